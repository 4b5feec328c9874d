//! A server that belongs to a client.

use std::sync::Mutex;

use super::Endpoint;
use crate::error::Result;
use crate::provider::Provider;

/// A server that was started for one client, and ends with it.
pub(super) struct OwnServer {
    /// Never locked: a provider need not be `Sync`, and a client is.
    provider: Mutex<Box<dyn Provider>>,
}

impl OwnServer {
    pub(super) async fn start(provider: impl Provider + 'static) -> Result<(Self, Endpoint)> {
        let mut provider: Box<dyn Provider> = Box::new(provider);
        let endpoint = provider.start().await?;
        let provider = Mutex::new(provider);
        Ok((Self { provider }, endpoint))
    }

    pub(super) async fn stop(self) -> Result<()> {
        let provider = self.provider.into_inner();
        // Nobody has held the lock, in a panic or otherwise.
        let mut provider = provider.unwrap_or_else(std::sync::PoisonError::into_inner);
        provider.stop().await
    }
}
