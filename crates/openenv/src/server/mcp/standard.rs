//! The Model Context Protocol over HTTP, as its own clients speak it.

use std::sync::Arc;

use axum::body::Bytes;
use axum::http::header::{ACCEPT, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, request};
use axum::response::{IntoResponse, Response};
use http_body_util::{BodyExt, Full};
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcRequest, RequestId};
use rmcp::transport::StreamableHttpService;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use super::handler::Handler;
use super::manager::Manager;
use super::refuse;
use crate::server::body;
use crate::server::http;
use crate::server::info::Origin;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::wire::jsonrpc::{Params, RpcError, RpcRequest, error_document};

const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");

/// What clients accept who say nothing about it, or that they accept anything.
const ACCEPTED: HeaderValue = HeaderValue::from_static("application/json, text/event-stream");

/// Whether a request comes from an MCP client that has introduced itself: its headers say so.
pub(super) fn is_under_way(headers: &HeaderMap) -> bool {
    [SESSION_ID, PROTOCOL_VERSION]
        .iter()
        .any(|header| headers.contains_key(header))
}

/// Whether a message is the first one of an MCP client, which has no headers yet;
/// `request` is what the other dialect makes of it.
pub(super) fn begins(request: Option<&Result<RpcRequest<'_>, RpcError>>, message: &[u8]) -> bool {
    let is_first = |method: &str| matches!(method, "initialize" | "server/discover");
    // What was read without patience is not read again to find that it is something else.
    if let Some(Ok(request)) = request
        && matches!(request.params, Params::Plain(_))
        && !is_first(&request.method)
    {
        return false;
    }
    method(message).is_some_and(|method| is_first(&method))
}

fn method(message: &[u8]) -> Option<String> {
    #[derive(Deserialize)]
    struct Message {
        method: String,
    }
    let message: Message = serde_json::from_slice(message).ok()?;
    Some(message.method)
}

/// Answers one HTTP request of an MCP client.
pub(super) async fn answer(
    sessions: &Arc<Sessions>,
    mut parts: request::Parts,
    message: Bytes,
) -> Response {
    accept_anything(&mut parts.headers);
    let deletes = parts.method == Method::DELETE;
    if deletes
        && let Some(id) = parts.headers.get(SESSION_ID)
        && !id.to_str().is_ok_and(|id| is_ours(sessions, id))
    {
        return refuse(StatusCode::NOT_FOUND, "Session not found");
    }
    let opened = if parts.method == Method::POST && opens_session(&parts.headers, &message) {
        // A message that is wrong must not cost the making of an environment.
        let Some(id) = request_id(&message) else {
            return refuse(
                StatusCode::BAD_REQUEST,
                "Invalid request: `initialize` needs an id, and in its parameters a \
                 `protocolVersion`, `capabilities` and `clientInfo`",
            );
        };
        match sessions
            .open(Origin::Mcp, http::peer(&parts.extensions))
            .await
        {
            Ok(session) => Some(Newborn(Some(session))),
            // Told in words: a bare status says nothing to a client. And under
            // the name of the request: clients wait for that, and for ever.
            Err(error) => {
                let error: RpcError = error.into();
                return body::json(&json!({ "jsonrpc": "2.0", "id": id, "error": error }));
            }
        }
    } else {
        None
    };
    let session = opened.as_ref().and_then(|newborn| newborn.0.clone());
    let handler = Handler::new(Arc::clone(sessions), session.clone());
    let manager = Manager::new(Arc::clone(sessions), session);
    let config = sessions.conversations.config.clone();
    let service =
        StreamableHttpService::new(move || Ok(handler.clone()), Arc::new(manager), config);
    let request = axum::http::Request::from_parts(parts, Full::new(message.clone()));
    let response = service.handle(request).await;
    if let Some(mut newborn) = opened
        && response.status().is_success()
    {
        newborn.0 = None;
    }
    if response.status() == StatusCode::ACCEPTED && deletes {
        // What is gone is gone: clients take "accepted" for a failure.
        return StatusCode::NO_CONTENT.into_response();
    }
    in_words(response, &message).await
}

/// A session that its client does not know yet: who will never know it must not
/// keep its place.
struct Newborn(Option<Arc<Session>>);

impl Drop for Newborn {
    fn drop(&mut self) {
        if let Some(session) = self.0.take() {
            session.forget();
        }
    }
}

fn opens_session(headers: &HeaderMap, message: &[u8]) -> bool {
    !headers.contains_key(SESSION_ID) && method(message).as_deref() == Some("initialize")
}

/// The name of a request for a session, if the SDK can read it.
fn request_id(message: &[u8]) -> Option<RequestId> {
    match serde_json::from_slice(message).ok()? {
        ClientJsonRpcMessage::Request(JsonRpcRequest {
            id,
            request: ClientRequest::InitializeRequest(_),
            ..
        }) => Some(id),
        _ => None,
    }
}

/// Whether there is such a session, and it is one of this protocol.
fn is_ours(sessions: &Sessions, id: &str) -> bool {
    sessions
        .find(id)
        .is_ok_and(|session| session.origin == Origin::Mcp)
}

/// The SDK insists on both types by name; HTTP lets a client accept anything.
fn accept_anything(headers: &mut HeaderMap) {
    let anything = match headers.get(ACCEPT) {
        None => true,
        Some(accept) => accept
            .to_str()
            .is_ok_and(|accept| accept.split(',').any(|part| part.trim().starts_with("*/*"))),
    };
    if anything {
        headers.insert(ACCEPT, ACCEPTED);
    }
}

/// The answer, with a refusal of the SDK's in JSON-RPC: clients show its message.
async fn in_words<B>(response: axum::http::Response<B>, message: &[u8]) -> Response
where
    B: axum::body::HttpBody<Data = Bytes> + Send + 'static,
    B::Error: Into<axum::BoxError>,
{
    let status = response.status();
    if status.is_success() || response.headers().contains_key(CONTENT_TYPE) {
        return response.map(axum::body::Body::new);
    }
    let (parts, body) = response.into_parts();
    let text = match body.collect().await {
        Ok(body) => String::from_utf8_lossy(&body.to_bytes()).into_owned(),
        Err(_) => String::new(),
    };
    let mut response = if !text.starts_with("fail to deserialize") {
        refuse(status, &text)
    } else if let Err(error) = serde_json::from_slice::<IgnoredAny>(message) {
        let error = RpcError::new(-32700, format!("Parse error: {error}"));
        body::raw_json(StatusCode::BAD_REQUEST, error_document(&error).to_string())
    } else {
        refuse(
            StatusCode::BAD_REQUEST,
            "Invalid request: this is no message of the Model Context Protocol",
        )
    };
    for (name, value) in &parts.headers {
        response.headers_mut().entry(name).or_insert(value.clone());
    }
    response
}
