//! What environments print, in the log of the server.

use tracing::Level;

use crate::server::{SessionId, SessionLog};

const STDOUT: u8 = 0;
const STDERR: u8 = 1;
const WARNING: u8 = 3;
const ERROR: u8 = 4;

/// Logs what a worker said, under the name of its session if that is known.
pub(super) fn line(worker: u32, session: Option<(SessionId, SessionLog)>, flag: u8, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let (session, log) = session.unzip();
    let session = session.map(tracing::field::display);
    let level = match flag {
        STDOUT => {
            tracing::info!(worker, session, stream = "stdout", "{text}");
            Level::INFO
        }
        STDERR => {
            tracing::info!(worker, session, stream = "stderr", "{text}");
            Level::INFO
        }
        WARNING => {
            tracing::warn!(worker, session, "{text}");
            Level::WARN
        }
        ERROR => {
            tracing::error!(worker, session, "the environment failed\n{text}");
            Level::ERROR
        }
        _ => {
            tracing::debug!(worker, session, "{text}");
            Level::DEBUG
        }
    };
    if let Some(log) = log {
        log.line(level, text);
    }
}
