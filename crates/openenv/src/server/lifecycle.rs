//! How the sessions of one environment come to their end.

use std::time::Duration;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use crate::error::{Error, Kind};

/// Shared by the registry and by every session, so that a session can be closed
/// even when the server that it belonged to is gone.
pub(crate) struct Lifecycle {
    /// Name under which the environment is served.
    pub(crate) environment: String,
    /// Connections, requests, and environments that are being made or closed.
    pub(crate) tasks: TaskTracker,
    /// Stop taking on work; running calls may end.
    pub(crate) stopping: CancellationToken,
    /// Stop at once; running calls are abandoned.
    pub(crate) aborting: CancellationToken,
    /// How long an environment may take to close.
    pub(crate) close_timeout: Duration,
    /// Whether an environment gives its slot back before it is closed.
    pub(crate) concurrent: bool,
}

impl Lifecycle {
    pub(crate) fn new(environment: String, close_timeout: Duration, concurrent: bool) -> Self {
        Self {
            environment,
            tasks: TaskTracker::new(),
            stopping: CancellationToken::new(),
            aborting: CancellationToken::new(),
            close_timeout,
            concurrent,
        }
    }
}

pub(crate) fn shutting_down() -> Error {
    Error::of(Kind::Session, "the server is shutting down")
}
