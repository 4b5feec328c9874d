//! `/mcp`: tools, by POST, by WebSocket and in frames of `/ws`.

use std::sync::Arc;

use axum::Router;
use axum::extract::ws::{WebSocketUpgrade, rejection::WebSocketUpgradeRejection};
use axum::extract::{FromRequestParts, Request, State};
use axum::http::{Method, StatusCode, request};
use axum::response::Response;
use axum::routing::any;

use crate::json::Input;
use crate::server::body::{self, Body};
use crate::server::fallback::method_not_allowed;
use crate::server::seat::Seat;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::server::{conversation, http, web_origin};
use crate::wire::jsonrpc::{RpcError, RpcRequest, error_document};

#[cfg(feature = "mcp")]
mod handler;
#[cfg(feature = "mcp")]
mod manager;
mod plain;
#[cfg(feature = "mcp")]
mod standard;
#[cfg(feature = "mcp")]
mod streams;

#[cfg(feature = "mcp")]
pub(crate) use manager::Conversations;
use plain::{Caller, RpcFrames};

pub(crate) fn routes() -> Router<Arc<Sessions>> {
    Router::new().route("/mcp", any(screen))
}

/// Lets nobody in who may not, and tells browsers who may.
async fn screen(State(sessions): State<Arc<Sessions>>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    match web_origin::screen(&parts, &sessions.config) {
        Ok(None) => dispatch(sessions, parts, body).await,
        Ok(Some(page)) => match page.preflight(&parts) {
            Some(answer) => answer,
            None => page.let_read(dispatch(sessions, parts, body).await),
        },
        Err(()) => refuse(StatusCode::FORBIDDEN, web_origin::REFUSAL),
    }
}

/// Sends each caller to its transport.
async fn dispatch(
    sessions: Arc<Sessions>,
    mut parts: request::Parts,
    body: axum::body::Body,
) -> Response {
    let peer = http::peer(&parts.extensions);
    let upgrade: Result<_, WebSocketUpgradeRejection> =
        WebSocketUpgrade::from_request_parts(&mut parts, &()).await;
    if upgrade.is_ok() {
        let served = Arc::clone(&sessions);
        return http::accept(
            &sessions,
            &parts.extensions,
            upgrade,
            |socket, peer| async move {
                let opening = Seat::open(&served, peer);
                conversation::serve::<RpcFrames>(socket, Arc::clone(&served), opening).await;
            },
        );
    }
    let body = match Body::collect(&parts, body).await {
        Ok(body) => body,
        Err(error) => {
            let status = StatusCode::from_u16(error.status()).unwrap_or(StatusCode::BAD_REQUEST);
            return body::raw_json(status, error_document(&error.into()).to_string());
        }
    };
    #[cfg(feature = "mcp")]
    let has_tools = !sessions.blueprint.tools().is_empty();
    // The future of the SDK takes 8 KiB, four times as much as the other dialect,
    // and the router moves what it gets: in a box it costs the others nothing.
    #[cfg(feature = "mcp")]
    if has_tools && standard::is_under_way(&parts.headers) {
        return Box::pin(standard::answer(&sessions, parts, body.into_bytes())).await;
    }
    if parts.method != Method::POST {
        return method_not_allowed(&Method::POST);
    }
    // A byte order mark is no part of JSON, but some editors put it there.
    let text = body
        .text()
        .map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    let request = text.ok().and_then(RpcRequest::from_body);
    #[cfg(feature = "mcp")]
    if has_tools && standard::begins(request.as_ref(), body.bytes()) {
        drop(request);
        return Box::pin(standard::answer(&sessions, parts, body.into_bytes())).await;
    }
    let Some(request) = request else {
        return body::json(&error_document(&RpcError::new(-32700, "Parse error")));
    };
    let caller = Caller {
        session: None,
        peer,
    };
    let mut out = Vec::with_capacity(256);
    plain::answer(&sessions, &caller, request, &mut out).await;
    body::raw_json(StatusCode::OK, out)
}

/// A refusal in the words of JSON-RPC, which both dialects share.
fn refuse(status: StatusCode, message: &str) -> Response {
    let error = error_document(&RpcError::new(-32600, message));
    body::raw_json(status, error.to_string())
}

/// Answers the JSON-RPC request inside of a frame on `/ws`.
pub(crate) async fn answer_frame(
    sessions: &Arc<Sessions>,
    session: Arc<Session>,
    rpc: Input<'_>,
    out: &mut Vec<u8>,
) {
    let caller = Caller {
        session: Some(session),
        peer: None,
    };
    plain::answer(sessions, &caller, RpcRequest::from_input(rpc), out).await;
}
