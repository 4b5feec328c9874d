//! The frames of `/ws`: reset, step, state, and JSON-RPC for tools.
//!
//! Requests are answered strictly in order. While a call runs, the socket is
//! still read: pings are answered, frames that were sent ahead are kept, and a
//! client that leaves is noticed at once.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::extract::ws::WebSocket;

use crate::error::{Error, Kind};
use crate::server::connection::Frame;
use crate::server::conversation::{self, Answer, Dialect};
use crate::server::mcp;
use crate::server::seat::Seat;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::wire::request::ResetInput;
use crate::wire::{self, Form, Incoming, Request};

/// Serves one socket, from the first frame to the last.
pub(crate) async fn serve(
    socket: WebSocket,
    sessions: Arc<Sessions>,
    attach: Option<Attach>,
    peer: Option<SocketAddr>,
) {
    let serving = Arc::clone(&sessions);
    let opening = async {
        match attach {
            None => Seat::open(&sessions, peer).await,
            Some(Attach { session_id, linger }) => Seat::attach(&sessions, &session_id, linger),
        }
    };
    conversation::serve::<EnvironmentFrames>(socket, serving, opening).await;
}

/// A session that a socket wants to drive.
pub(crate) struct Attach {
    pub(crate) session_id: String,
    /// How long the session waits for another socket after this one.
    pub(crate) linger: Option<Duration>,
}

/// One request of the environment protocol in each frame.
struct EnvironmentFrames;

impl Dialect for EnvironmentFrames {
    async fn answer(sessions: Arc<Sessions>, session: Arc<Session>, frame: Frame) -> Answer {
        answer(sessions, session, frame).await
    }

    fn refusal(error: Error) -> Vec<u8> {
        let mut out = Vec::new();
        wire::write_error(&mut out, &error);
        out
    }
}

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
            return Answer::Reply(out);
        }
    };
    let result = match request {
        Request::Step { action, options } => {
            out.extend_from_slice(b"{\"type\":\"observation\",\"data\":");
            session
                .step(action, options, Form::WebSocket, &mut out)
                .await
        }
        Request::Reset(data) => {
            out.extend_from_slice(b"{\"type\":\"observation\",\"data\":");
            let asked = ResetInput::AsSent(data);
            session.reset(asked, Form::WebSocket, &mut out).await
        }
        Request::State => {
            out.extend_from_slice(b"{\"type\":\"state\",\"data\":");
            session.state(Form::WebSocket, &mut out).await
        }
        Request::View => {
            out.extend_from_slice(b"{\"type\":\"view\",\"data\":");
            let shown = session.view().await;
            shown.and_then(|shown| Ok(serde_json::to_writer(&mut out, &shown)?))
        }
        Request::Mcp(rpc) => {
            out.extend_from_slice(b"{\"type\":\"mcp\",\"data\":");
            mcp::answer_frame(&sessions, session, rpc, &mut out).await;
            Ok(())
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
    Answer::Reply(out)
}
