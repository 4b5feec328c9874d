//! A socket from the first frame to the last, whatever is spoken on it.

use std::future::Future;
use std::sync::Arc;

use axum::extract::ws::{Utf8Bytes, WebSocket};

use crate::error::{Error, Result};
use crate::server::connection::{Connection, Driven, Frame};
use crate::server::info::CloseReason;
use crate::server::seat::Seat;
use crate::server::session::Session;
use crate::server::sessions::Sessions;

/// What is spoken on a socket: how a frame is answered, how a client is refused.
pub(crate) trait Dialect {
    fn answer(
        sessions: Arc<Sessions>,
        session: Arc<Session>,
        frame: Frame,
    ) -> impl Future<Output = Answer> + Send + 'static;

    /// The last frame to a client that gets no session.
    fn refusal(error: Error) -> Vec<u8>;
}

/// What follows from a frame.
pub(crate) enum Answer {
    /// A reply, in JSON.
    Reply(Vec<u8>),
    /// The end.
    Close,
}

/// Serves one socket, with the session that `opening` finds for it.
pub(crate) async fn serve<D: Dialect>(
    socket: WebSocket,
    sessions: Arc<Sessions>,
    opening: impl Future<Output = Result<Seat>> + Send,
) {
    let mut connection = Connection::new(socket, &sessions);
    let seat = match connection.drive(Box::pin(opening)).await {
        Driven::Done(Ok(seat)) => seat,
        Driven::Done(Err(error)) => return connection.refuse(text(D::refusal(error))).await,
        Driven::Gone(reason) => return connection.end(reason).await,
    };
    let reason = converse::<D>(&mut connection, &sessions, &seat).await;
    // The slot is free and the environment closed before the client sees the
    // socket close, so that it can reconnect to a full server.
    seat.leave(reason).await;
    connection.end(reason).await;
}

/// Answers frame after frame until there is a reason to stop.
async fn converse<D: Dialect>(
    connection: &mut Connection,
    sessions: &Arc<Sessions>,
    seat: &Seat,
) -> CloseReason {
    let session = seat.session();
    loop {
        let frame = match connection.next_frame().await {
            Ok(frame) => frame,
            Err(reason) => return reason,
        };
        let answering = D::answer(Arc::clone(sessions), Arc::clone(session), frame);
        let mut answering = Box::pin(answering);
        match connection.drive(answering.as_mut()).await {
            Driven::Done(Answer::Reply(reply)) => {
                if let Err(reason) = connection.send(text(reply)).await {
                    return reason;
                }
            }
            Driven::Done(Answer::Close) => return CloseReason::ClosedByClient,
            Driven::Gone(reason) => {
                if !seat.is_owner() {
                    let rest = finish(answering, Arc::clone(sessions), Arc::clone(session));
                    sessions.lifecycle.tasks.spawn(rest);
                }
                return reason;
            }
        }
        if session.is_over() {
            return CloseReason::Failed;
        }
    }
}

/// Brings a call to its end whose socket is gone: the session outlives the
/// socket, and so does the call.
async fn finish(
    answering: impl Future<Output = Answer>,
    sessions: Arc<Sessions>,
    session: Arc<Session>,
) {
    let aborting = &sessions.lifecycle.aborting;
    aborting.run_until_cancelled(answering).await;
    if session.is_over() {
        session.close(CloseReason::Failed).await;
    }
}

fn text(json: Vec<u8>) -> Utf8Bytes {
    String::from_utf8(json)
        .expect("serde_json writes UTF-8")
        .into()
}
