//! What an environment says while it is called, kept with the step that it was said in.

use std::cell::RefCell;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::{SystemTime, UNIX_EPOCH};

use serde::Serialize;

/// Lines that are kept of one step.
const MOST_LINES: usize = 200;
/// Bytes that are kept of one line.
const LONGEST_LINE: usize = 4096;

thread_local! {
    static CURRENT: RefCell<SessionLog> = const { RefCell::new(SessionLog(None)) };
}

/// The log of one session, which its page shows step by step.
///
/// A subscriber of `tracing` hands lines to the [current](Self::current) one.
#[derive(Debug, Clone, Default)]
pub struct SessionLog(Option<Arc<Mutex<Lines>>>);

#[derive(Debug, Default)]
struct Lines {
    kept: Vec<LogLine>,
    left_out: usize,
}

/// One line of the log.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct LogLine {
    /// Seconds since 1970.
    at: f64,
    level: &'static str,
    text: String,
}

impl LogLine {
    pub(crate) fn size(&self) -> usize {
        size_of::<Self>() + self.text.len()
    }
}

impl SessionLog {
    /// The log of the session whose environment is being called on this thread, if
    /// there is one and it is kept.
    pub fn current() -> Option<Self> {
        let current = CURRENT.try_with(|current| current.borrow().clone()).ok()?;
        current.0.is_some().then_some(current)
    }

    pub(crate) fn kept(keep: bool) -> Self {
        Self(keep.then(Arc::default))
    }

    /// Adds a line.
    pub fn line(&self, level: tracing::Level, text: impl Into<String>) {
        let Some(lines) = &self.0 else {
            return;
        };
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.kept.len() == MOST_LINES {
            lines.left_out += 1;
            return;
        }
        let mut text = text.into();
        if text.len() > LONGEST_LINE {
            text.truncate(text.floor_char_boundary(LONGEST_LINE));
            text.push('…');
        }
        lines.kept.push(LogLine::now(level, text));
    }

    /// What was said since this was last asked.
    pub(crate) fn take(&self) -> Vec<LogLine> {
        let Some(lines) = &self.0 else {
            return Vec::new();
        };
        let mut lines = lines.lock().unwrap_or_else(PoisonError::into_inner);
        let left_out = std::mem::take(&mut lines.left_out);
        let mut kept = std::mem::take(&mut lines.kept);
        if left_out > 0 {
            let text = format!("{left_out} more lines were not kept");
            kept.push(LogLine::now(tracing::Level::WARN, text));
        }
        kept
    }

    /// Makes it the current one of this thread until the guard is dropped.
    pub(crate) fn enter(&self) -> Entered {
        Entered(CURRENT.with(|current| current.replace(self.clone())))
    }

    /// Makes it the current one whenever `future` runs.
    pub(crate) fn during<F: Future + Unpin>(&self, future: F) -> During<'_, F> {
        During { log: self, future }
    }
}

impl LogLine {
    fn now(level: tracing::Level, text: String) -> Self {
        let at = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            at: at.unwrap_or_default().as_secs_f64(),
            level: level.as_str(),
            text,
        }
    }
}

/// Holds what was current before.
pub(crate) struct Entered(SessionLog);

impl Drop for Entered {
    fn drop(&mut self) {
        let before = std::mem::take(&mut self.0);
        let _ = CURRENT.try_with(|current| current.replace(before));
    }
}

/// See [`SessionLog::during`].
pub(crate) struct During<'a, F> {
    log: &'a SessionLog,
    future: F,
}

impl<F: Future + Unpin> Future for During<'_, F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        let _entered = self.log.0.is_some().then(|| self.log.enter());
        Pin::new(&mut self.future).poll(context)
    }
}
