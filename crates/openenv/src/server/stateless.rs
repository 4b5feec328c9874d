//! A session for the length of one request.

use std::sync::Arc;

use crate::error::Result;
use crate::server::info::CloseReason;
use crate::server::lifecycle::shutting_down;
use crate::server::session::Session;
use crate::server::sessions::Sessions;

/// Makes an environment for one request and closes it before the answer leaves.
pub(crate) async fn for_request<T, F>(sessions: &Arc<Sessions>, call: F) -> Result<T>
where
    F: AsyncFnOnce(&Session) -> Result<T>,
{
    // Shutdown waits for the request as it does for a socket.
    let _running = sessions.lifecycle.tasks.token();
    let session = sessions.open_for_request().await?;
    let result = tokio::select! {
        biased;
        result = call(&session) => result,
        () = sessions.lifecycle.aborting.cancelled() => Err(shutting_down()),
    };
    if !session.is_over() {
        session.close(CloseReason::Abandoned).await;
    }
    // Dropped otherwise: who asked for a limit must not wait for a thread that
    // does not stop.
    drop(session);
    result
}
