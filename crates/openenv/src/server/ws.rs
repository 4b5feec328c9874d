//! The `/ws` loop: one task owns the socket and drives its session.
//!
//! Requests are answered strictly in order. While a call runs, the socket is
//! still read: pings are answered, frames that were sent ahead are kept, and a
//! client that leaves is noticed at once.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::extract::ws::{Utf8Bytes, WebSocket};

use crate::error::{Error, Kind};
use crate::server::connection::{Connection, Driven, Frame};
use crate::server::info::CloseReason;
use crate::server::mcp;
use crate::server::seat::Seat;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::wire::{self, Form, Incoming, Request};

/// Serves one socket, from the first frame to the last.
pub(crate) async fn serve(
    socket: WebSocket,
    sessions: Arc<Sessions>,
    session_id: Option<String>,
    peer: Option<SocketAddr>,
) {
    let mut connection = Connection::new(socket, &sessions);
    let opening = async {
        match &session_id {
            None => Seat::open(&sessions, peer).await,
            Some(id) => Seat::attach(&sessions, id),
        }
    };
    let seat = match connection.drive(Box::pin(opening)).await {
        Driven::Done(Ok(seat)) => seat,
        Driven::Done(Err(error)) => {
            let mut out = Vec::new();
            wire::write_error(&mut out, &error);
            return connection.refuse(text(out)).await;
        }
        Driven::Gone(reason) => return connection.end(reason).await,
    };
    let reason = converse(&mut connection, &sessions, &seat).await;
    // The slot is free and the environment closed before the client sees the
    // socket close, so that it can reconnect to a full server.
    seat.leave(reason).await;
    connection.end(reason).await;
}

/// Answers frame after frame until there is a reason to stop.
async fn converse(
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
        let answering = answer(Arc::clone(sessions), Arc::clone(session), frame);
        let mut answering = Box::pin(answering);
        match connection.drive(answering.as_mut()).await {
            Driven::Done(Answer::Reply(reply)) => {
                if let Err(reason) = connection.send(reply).await {
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

enum Answer {
    Reply(Utf8Bytes),
    Close,
}

/// Answers one frame.
async fn answer(sessions: Arc<Sessions>, session: Arc<Session>, frame: Frame) -> Answer {
    let mut out = Vec::with_capacity(256);
    let incoming = match &frame {
        Frame::Text(text) => Incoming::parse(text),
        Frame::NotText(_) => Err(Error::of(
            Kind::InvalidJson,
            "Invalid JSON: the binary frame is not UTF-8 text",
        )),
    };
    let (request, request_id) = match incoming {
        Ok(Incoming {
            request,
            request_id,
        }) => (request, request_id),
        Err(error) => {
            wire::write_error(&mut out, &error);
            return Answer::Reply(text(out));
        }
    };
    let result = match request {
        Request::Step { action, options } => {
            out.extend_from_slice(b"{\"type\":\"observation\",\"data\":");
            session
                .step(action, options, Form::WebSocket, &mut out)
                .await
        }
        Request::Reset(options) => {
            out.extend_from_slice(b"{\"type\":\"observation\",\"data\":");
            session.reset(options, Form::WebSocket, &mut out).await
        }
        Request::State => {
            out.extend_from_slice(b"{\"type\":\"state\",\"data\":");
            session.state(&mut out).await
        }
        Request::Mcp(rpc) => {
            out.extend_from_slice(b"{\"type\":\"mcp\",\"data\":");
            mcp::answer_frame(&sessions, &session, rpc, &mut out).await
        }
        Request::Close => return Answer::Close,
    };
    match result {
        Ok(()) => out.push(b'}'),
        Err(error) => {
            out.clear();
            wire::write_error(&mut out, &error);
        }
    }
    if let Some(request_id) = request_id {
        out.pop();
        out.extend_from_slice(b",\"request_id\":");
        serde_json::to_writer(&mut out, &request_id).expect("strings always serialise");
        out.push(b'}');
    }
    Answer::Reply(text(out))
}

fn text(json: Vec<u8>) -> Utf8Bytes {
    String::from_utf8(json)
        .expect("serde_json writes UTF-8")
        .into()
}
