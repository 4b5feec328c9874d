//! Servers that are kept ready.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::task::JoinSet;

use super::Provider;
use crate::client::Endpoint;
use crate::error::{Error, Kind, Result};

mod keeper;

use keeper::Keeper;

/// Somebody who waits for a server.
type Request = oneshot::Sender<Result<Lease>>;

type Make = dyn Fn() -> Box<dyn Provider> + Send + Sync;

/// Servers that are kept ready, so that nobody waits for one to start.
///
/// ```no_run
/// # use openenv::provider::Process;
/// # async fn example() -> openenv::Result<()> {
/// use openenv::provider::{AfterUse, WarmPool};
/// use openenv::{Json, ResetOptions};
///
/// let echo = || Process::new("openenv").args(["serve", "echo", "--port", "{port}"]);
/// let mut pool = WarmPool::new(4, echo).after_use(AfterUse::Replace);
/// pool.start().await?;
///
/// let server = pool.take().await?;
/// let mut env = server.connect::<Json>().await?;
/// env.reset(ResetOptions::default()).await?;
/// env.close().await?;
/// drop(server);
///
/// pool.close().await
/// # }
/// ```
///
/// A server that ends while nobody has it is replaced at once, and one that does not answer
/// any more instead of being lent. A server that cannot be started is an error of whoever takes
/// the next one, and is tried again.
///
/// Dropping the pool drops its providers, which leaves nothing running;
/// [`close`](Self::close) stops them one and all, in their own time.
pub struct WarmPool {
    size: usize,
    make: Arc<Make>,
    after_use: AfterUse,
    desk: Option<mpsc::UnboundedSender<Request>>,
    closing: watch::Sender<bool>,
    keepers: JoinSet<Result<()>>,
}

/// What becomes of a server that is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AfterUse {
    /// It is lent again once its sessions have ended, if it is healthy and tells how many it has
    /// (at `/envs`; the Python package does not). The next one finds new sessions, and whatever else
    /// the server keeps.
    Reuse,
    /// It is stopped and a fresh one started in its place, which nobody waits for.
    Replace,
}

/// A server on loan from a [`WarmPool`], given back when dropped.
///
/// It is an [`Endpoint`] to open sessions on. Close them before: the pool replaces a server
/// whose sessions do not end.
#[derive(Debug)]
pub struct Lease {
    endpoint: Endpoint,
    back: Option<oneshot::Sender<()>>,
}

impl Lease {
    /// The server.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    /// Gives the server back to be replaced, whatever the pool does otherwise.
    pub fn discard(mut self) {
        if let Some(back) = self.back.take() {
            // A pool that is gone has no use for it.
            let _ = back.send(());
        }
    }
}

impl Deref for Lease {
    type Target = Endpoint;

    fn deref(&self) -> &Endpoint {
        &self.endpoint
    }
}

impl WarmPool {
    /// A pool of `size` servers, each of a provider of its own.
    pub fn new<P: Provider + 'static>(
        size: usize,
        make: impl Fn() -> P + Send + Sync + 'static,
    ) -> Self {
        Self {
            size,
            make: Arc::new(move || Box::new(make())),
            after_use: AfterUse::Reuse,
            desk: None,
            closing: watch::Sender::new(false),
            keepers: JoinSet::new(),
        }
    }

    /// What becomes of a server that is given back. Default: [`AfterUse::Reuse`].
    #[must_use]
    pub fn after_use(mut self, after_use: AfterUse) -> Self {
        self.after_use = after_use;
        self
    }

    /// How many servers there are, lent ones included.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Starts all servers at the same time, and waits until they are healthy.
    ///
    /// # Errors
    /// The first error of a server; none is left running then. A configuration error if the
    /// pool is of no servers, or was started before.
    pub async fn start(&mut self) -> Result<()> {
        if self.size == 0 {
            return Err(Error::configuration(
                "a pool of no servers has none to lend",
            ));
        }
        if self.desk.is_some() {
            return Err(Error::configuration("the pool was started already"));
        }
        let (desk, requests) = mpsc::unbounded_channel();
        let requests = Arc::new(Mutex::new(requests));
        let (report, mut reports) = mpsc::channel(self.size);
        // In a set of their own until all is well: dropped, they take what they started along.
        let mut keepers = JoinSet::new();
        let ready = Arc::default();
        for _ in 0..self.size {
            let keeper = Keeper {
                ready: Arc::clone(&ready),
                make: Arc::clone(&self.make),
                after_use: self.after_use,
                desk: desk.clone(),
                requests: Arc::clone(&requests),
                closing: self.closing.subscribe(),
                report: Some(report.clone()),
            };
            keepers.spawn(keeper.keep());
        }
        drop(report);
        let mut outcome = Ok(());
        for _ in 0..self.size {
            let started = reports.recv().await;
            outcome = started.unwrap_or_else(|| Err(Error::new("a provider panicked")));
            if outcome.is_err() {
                break;
            }
        }
        if let Err(error) = outcome {
            self.closing.send_replace(true);
            while keepers.join_next().await.is_some() {}
            self.closing.send_replace(false);
            return Err(error);
        }
        self.desk = Some(desk);
        self.keepers = keepers;
        Ok(())
    }

    /// A server of one's own for a while: at once if one is ready, otherwise the next that is.
    ///
    /// # Errors
    /// That of a server that could not be started.
    pub async fn take(&self) -> Result<Lease> {
        let closed = || Error::of(Kind::Connection, "the pool is not running; start it first");
        let desk = self.desk.as_ref().ok_or_else(closed)?;
        let (answer, answered) = oneshot::channel();
        desk.send(answer).map_err(|_| closed())?;
        answered.await.map_err(|_| closed())?
    }

    /// Stops all servers, those that are lent as well, and waits until they have.
    ///
    /// # Errors
    /// The first error, after all have been stopped.
    pub async fn close(mut self) -> Result<()> {
        self.closing.send_replace(true);
        let mut outcome = Ok(());
        while let Some(ended) = self.keepers.join_next().await {
            let ended = ended.unwrap_or_else(|panicked| Err(Error::from_source(panicked)));
            outcome = outcome.and(ended);
        }
        outcome
    }
}

impl fmt::Debug for WarmPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WarmPool")
            .field("size", &self.size)
            .field("after_use", &self.after_use)
            .field("started", &self.desk.is_some())
            .finish_non_exhaustive()
    }
}
