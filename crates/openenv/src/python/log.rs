//! What environments print, in the log of the server.

use crate::server::SessionId;

const STDOUT: u8 = 0;
const STDERR: u8 = 1;
const WARNING: u8 = 3;
const ERROR: u8 = 4;

/// Logs what a worker said, under the name of its session if that is known.
pub(super) fn line(worker: u32, session: Option<SessionId>, flag: u8, text: &[u8]) {
    let text = String::from_utf8_lossy(text);
    let session = session.map(tracing::field::display);
    match flag {
        STDOUT => tracing::info!(worker, session, stream = "stdout", "{text}"),
        STDERR => tracing::info!(worker, session, stream = "stderr", "{text}"),
        WARNING => tracing::warn!(worker, session, "{text}"),
        ERROR => tracing::error!(worker, session, "the environment failed\n{text}"),
        _ => tracing::debug!(worker, session, "{text}"),
    }
}
