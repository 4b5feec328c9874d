//! How far a tool call is.

use std::fmt;
use std::sync::Arc;

/// Tells the caller how far a tool call is.
///
/// Callers that did not ask for it, and protocols that have no place for it,
/// leave the reports unheard: reporting never fails and never waits.
#[derive(Clone, Default)]
pub struct Progress {
    listener: Option<Arc<dyn Fn(ProgressUpdate) + Send + Sync>>,
}

/// One report of a [`Progress`].
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ProgressUpdate {
    /// How much is done, in units of the tool's own.
    pub done: f64,
    /// How much there is to do, if that is known.
    pub total: Option<f64>,
    /// What is happening.
    pub message: String,
}

impl Progress {
    /// Hands every report to `listener`; of use to test a tool.
    pub fn to(listener: impl Fn(ProgressUpdate) + Send + Sync + 'static) -> Self {
        Self {
            listener: Some(Arc::new(listener)),
        }
    }

    /// Reports that `done` of `total` is done.
    pub fn report(&self, done: f64, total: impl Into<Option<f64>>, message: impl Into<String>) {
        if let Some(listener) = &self.listener {
            listener(ProgressUpdate {
                done,
                total: total.into(),
                message: message.into(),
            });
        }
    }
}

impl fmt::Debug for Progress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Progress")
            .field("heard", &self.listener.is_some())
            .finish()
    }
}
