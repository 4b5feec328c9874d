//! What gets a server running for a client.
//!
//! A client needs a server; a [`Provider`] sees to it that there is one, and that
//! it is gone again afterwards. [`Process`] runs a command on this machine,
//! `Docker` (with the feature `docker`) a container, [`Remote`] waits for a server
//! that somebody else runs. Implement [`Provider`] for anything else that can run
//! one: a cluster, a cloud.
//!
//! A [`WarmPool`] keeps servers of any provider ready.

use std::future::pending;
use std::time::Duration;

#[doc(no_inline)]
pub use futures_util::future::BoxFuture;
use tokio::time::{sleep, timeout};

use crate::client::Endpoint;
use crate::error::{Error, Kind, Result};

#[cfg(feature = "docker")]
pub mod docker;
mod group;
mod output;
mod process;
mod remote;
mod warm_pool;

#[cfg(feature = "docker")]
#[doc(inline)]
pub use docker::Docker;
pub use process::Process;
pub use remote::Remote;
pub use warm_pool::{AfterUse, Lease, WarmPool};

/// How long a server may take until it is healthy, unless told otherwise.
const START_TIMEOUT: Duration = Duration::from_secs(30);

/// The pause after the first failed question; each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(20);

/// The longest pause between two questions.
const LONGEST_PAUSE: Duration = Duration::from_millis(500);

/// Gets a server running for a client.
///
/// Usable as `Box<dyn Provider>`: a method of an implementation is
/// `Box::pin(async move { … })`.
pub trait Provider: Send {
    /// Starts what serves the environment and waits until it is healthy.
    ///
    /// What fails leaves nothing running, and neither does a future that is
    /// dropped before it is ready.
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>>;

    /// Stops what was started; a second call does nothing.
    fn stop(&mut self) -> BoxFuture<'_, Result<()>>;

    /// Waits until what was started ends by itself, and says how it did.
    ///
    /// Never ends where that cannot be known, which is the default. To drop the future
    /// and to ask again later is no loss.
    fn ended(&mut self) -> BoxFuture<'_, Error> {
        Box::pin(pending())
    }
}

impl<P: Provider + ?Sized> Provider for Box<P> {
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>> {
        (**self).start()
    }

    fn stop(&mut self) -> BoxFuture<'_, Result<()>> {
        (**self).stop()
    }

    fn ended(&mut self) -> BoxFuture<'_, Error> {
        (**self).ended()
    }
}

/// Asks a server how it is until it is well.
async fn until_healthy(endpoint: &Endpoint, limit: Duration) -> Result<()> {
    let mut last = None;
    let asking = async {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = endpoint.health().await {
            last = Some(error);
            sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    };
    if timeout(limit, asking).await.is_ok() {
        return Ok(());
    }
    let why = last.map_or_else(|| "it does not answer".to_owned(), |last| last.to_string());
    Err(Error::of(
        Kind::Timeout,
        format!("`{endpoint}` is not healthy after {limit:?}: {why}"),
    ))
}
