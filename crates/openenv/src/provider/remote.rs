//! A server that somebody else runs.

use std::time::Duration;

use futures_util::future::BoxFuture;

use super::{Provider, START_TIMEOUT, until_healthy};
use crate::client::Endpoint;
use crate::error::Result;

/// A server that somebody else runs: it is waited for, and never stopped.
///
/// ```no_run
/// # async fn example() -> openenv::Result<()> {
/// use openenv::Endpoint;
/// use openenv::provider::{Provider, Remote};
///
/// let mut server = Remote::new(Endpoint::new("http://localhost:8000")?);
/// let endpoint = server.start().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Remote {
    endpoint: Endpoint,
    start_timeout: Duration,
}

impl Remote {
    /// The server at `endpoint`.
    pub fn new(endpoint: Endpoint) -> Self {
        Self {
            endpoint,
            start_timeout: START_TIMEOUT,
        }
    }

    /// How long to wait until it is healthy; 30 seconds by default.
    #[must_use]
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }
}

impl Provider for Remote {
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>> {
        Box::pin(async move {
            until_healthy(&self.endpoint, self.start_timeout).await?;
            Ok(self.endpoint.clone())
        })
    }

    fn stop(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async { Ok(()) })
    }
}
