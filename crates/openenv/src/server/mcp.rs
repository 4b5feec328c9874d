//! `/mcp`: sessions over JSON-RPC, by POST, by WebSocket and in frames of `/ws`.
//!
//! The tools themselves are not served yet: every environment answers that it
//! does not support MCP. What is here is what the clients need besides tools,
//! creating and closing sessions that a socket can attach to.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Utf8Bytes, WebSocket, WebSocketUpgrade};
use axum::http::{Extensions, Method};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde_json::{Value, json};

use crate::error::Result;
use crate::json::{self, Input};
use crate::server::body::{self, Body};
use crate::server::connection::{Connection, Driven, Frame};
use crate::server::fallback::method_not_allowed;
use crate::server::http;
use crate::server::info::{CloseReason, Origin};
use crate::server::seat::Seat;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::wire::jsonrpc::{RpcError, RpcRequest, response};

pub(crate) fn routes() -> Router<Arc<Sessions>> {
    Router::new().route("/mcp", any(dispatch))
}

/// Sends each caller to its transport.
async fn dispatch(
    State(sessions): State<Arc<Sessions>>,
    method: Method,
    extensions: Extensions,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    request: Result<Body>,
) -> Response {
    if upgrade.is_ok() {
        let serve_sessions = Arc::clone(&sessions);
        return http::accept(&sessions, &extensions, upgrade, |socket, peer| {
            serve(socket, serve_sessions, peer)
        });
    }
    if method != Method::POST {
        return method_not_allowed(&Method::POST);
    }
    let request = match request {
        Ok(request) => request,
        Err(error) => return error.into_response(),
    };
    // A byte order mark is no part of JSON, but some editors put it there.
    let text = request
        .text()
        .map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let reply = match text.and_then(json::read) {
        Ok(document) if document.value.is_object() => {
            let caller = Caller {
                session: None,
                peer: http::peer(&extensions),
            };
            let request = RpcRequest::from_input(&Input::Lenient(document));
            answer(&sessions, &caller, request).await
        }
        _ => response(&Value::Null, Err(RpcError::new(-32700, "Parse error"))),
    };
    body::json(&reply)
}

/// Serves a socket whose every frame is a JSON-RPC request.
async fn serve(socket: WebSocket, sessions: Arc<Sessions>, peer: Option<SocketAddr>) {
    let mut connection = Connection::new(socket, &sessions);
    let seat = match connection
        .drive(Box::pin(Seat::open(&sessions, peer)))
        .await
    {
        Driven::Done(Ok(seat)) => seat,
        Driven::Done(Err(error)) => {
            let refusal = response(&Value::Null, Err(error.into()));
            return connection.refuse(refusal.to_string().into()).await;
        }
        Driven::Gone(reason) => return connection.end(reason).await,
    };
    let caller = Caller {
        session: Some(Arc::clone(seat.session())),
        peer,
    };
    let reason = converse(&mut connection, &sessions, &caller).await;
    seat.leave(reason).await;
    connection.end(reason).await;
}

async fn converse(
    connection: &mut Connection,
    sessions: &Arc<Sessions>,
    caller: &Caller,
) -> CloseReason {
    loop {
        let request = match connection.next_frame().await {
            Ok(Frame::Text(text)) => RpcRequest::from_text(&text),
            Ok(Frame::NotText(_)) => Err(RpcError::new(
                -32700,
                "Parse error: the binary frame is not UTF-8 text",
            )),
            Err(reason) => return reason,
        };
        let answering = Box::pin(answer(sessions, caller, request));
        let sent = match connection.drive(answering).await {
            Driven::Done(reply) => connection.send(Utf8Bytes::from(reply.to_string())).await,
            Driven::Gone(reason) => Err(reason),
        };
        if let Err(reason) = sent {
            return reason;
        }
    }
}

/// Answers the JSON-RPC request inside of a frame on `/ws`.
pub(crate) async fn answer_frame(
    sessions: &Arc<Sessions>,
    session: &Arc<Session>,
    rpc: Input<'_>,
    out: &mut Vec<u8>,
) -> Result<()> {
    let caller = Caller {
        session: Some(Arc::clone(session)),
        peer: None,
    };
    let reply = answer(sessions, &caller, RpcRequest::from_input(&rpc)).await;
    serde_json::to_writer(out, &reply)?;
    Ok(())
}

/// Who asks.
struct Caller {
    /// The session of the socket that the request came on.
    session: Option<Arc<Session>>,
    peer: Option<SocketAddr>,
}

async fn answer(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    request: Result<RpcRequest, RpcError>,
) -> Value {
    match request {
        Ok(request) => {
            let outcome = call(sessions, caller, &request).await;
            response(&request.id, outcome)
        }
        Err(error) => response(&Value::Null, Err(error)),
    }
}

async fn call(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    request: &RpcRequest,
) -> Result<Value, RpcError> {
    match request.method.as_str() {
        "openenv/session/create" => {
            let id = match &caller.session {
                Some(own) => own.id,
                None => sessions.open(Origin::Http, caller.peer).await?.id,
            };
            Ok(json!({ "session_id": id.to_string() }))
        }
        "openenv/session/close" => close(sessions, caller, request.params.get("session_id")).await,
        method => {
            if caller.session.is_none()
                && let Some(id) = session_id(request.params.get("session_id"))
            {
                sessions.find(&id)?.touch();
            }
            match method {
                "tools/list" | "tools/call" => {
                    Err(RpcError::new(-32603, "Environment does not support MCP"))
                }
                _ => Err(RpcError::new(-32601, format!("Method not found: {method}"))),
            }
        }
    }
}

async fn close(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    id: Option<&Value>,
) -> Result<Value, RpcError> {
    let Some(id) = session_id(id) else {
        return Err(RpcError::invalid_params(
            "Invalid params - 'session_id' is required",
        ));
    };
    let session = sessions.find(&id)?;
    if caller
        .session
        .as_ref()
        .is_some_and(|own| own.id == session.id)
    {
        let message = "Cannot close active WebSocket-managed session via MCP method";
        return Err(RpcError::new(-32600, message));
    }
    if session.request_close().await {
        Ok(json!({ "session_id": id, "closed": true }))
    } else {
        Ok(json!({ "session_id": id, "closed": false, "closing": true }))
    }
}

/// A session id that says something; what is no string is no id of ours either.
fn session_id(value: Option<&Value>) -> Option<String> {
    match value? {
        Value::Null | Value::Bool(false) => None,
        Value::String(id) if id.is_empty() => None,
        Value::Number(number) if number.as_f64() == Some(0.0) => None,
        Value::Array(items) if items.is_empty() => None,
        Value::Object(fields) if fields.is_empty() => None,
        Value::String(id) => Some(id.clone()),
        other => Some(json::python_repr(other)),
    }
}
