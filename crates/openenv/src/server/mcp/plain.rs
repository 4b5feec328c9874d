//! The OpenEnv dialect: JSON-RPC without ceremony, whose failures are errors.

use std::net::SocketAddr;
use std::sync::Arc;

use serde_json::json;

use crate::error::Error;
use crate::json::Input;
use crate::server::connection::Frame;
use crate::server::conversation::{Answer, Dialect};
use crate::server::info::{CloseReason, Origin};
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::server::stateless::for_request;
use crate::tool::Progress;
use crate::wire::jsonrpc::{Outcome, Params, RpcError, RpcRequest, write_response};
use crate::wire::tool::listed;

/// Who asks.
pub(super) struct Caller {
    /// The session of the socket that the request came on.
    pub(super) session: Option<Arc<Session>>,
    pub(super) peer: Option<SocketAddr>,
}

/// One JSON-RPC request in each frame.
pub(super) struct RpcFrames;

impl Dialect for RpcFrames {
    async fn answer(sessions: Arc<Sessions>, session: Arc<Session>, frame: Frame) -> Answer {
        let request = match &frame {
            Frame::Text(text) => RpcRequest::from_text(text),
            Frame::NotText(_) => Err(RpcError::new(
                -32700,
                "Parse error: the binary frame is not UTF-8 text",
            )),
        };
        let caller = Caller {
            session: Some(session),
            peer: None,
        };
        let mut out = Vec::with_capacity(256);
        answer(&sessions, &caller, request, &mut out).await;
        Answer::Reply(out)
    }

    fn refusal(error: Error) -> Vec<u8> {
        let mut out = Vec::new();
        write_response(&mut out, None, &Err(error.into()));
        out
    }
}

/// Appends the response to one request to `out`.
pub(super) async fn answer(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    request: Result<RpcRequest<'_>, RpcError>,
    out: &mut Vec<u8>,
) {
    let (id, outcome) = match request {
        Ok(RpcRequest { id, method, params }) => {
            (id, call(sessions, caller, &method, params).await)
        }
        Err(error) => (None, Err(error)),
    };
    write_response(out, id.as_ref(), &outcome);
}

async fn call(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    method: &str,
    params: Params<'_>,
) -> Result<Outcome, RpcError> {
    match method {
        "openenv/session/create" => return create(sessions, caller).await,
        "openenv/session/close" => return close(sessions, caller, &params).await,
        _ => {}
    }
    let session = match (&caller.session, params.session_id()) {
        (Some(own), _) => Some(Arc::clone(own)),
        (None, Some(id)) => Some(sessions.find(&id)?),
        (None, None) => None,
    };
    if let Some(session) = &session {
        session.touch();
    }
    let tools = sessions.blueprint.tools();
    match method {
        "tools/list" | "tools/call" if tools.is_empty() => {
            Err(RpcError::new(-32603, "Environment does not support MCP"))
        }
        "tools/list" => {
            let own = match &session {
                Some(session) => session.list_tools().await?,
                None => None,
            };
            Ok(Outcome::Document(match own {
                Some(own) => listed(own.iter()),
                None => listed(tools.visible(sessions.config.mode)),
            }))
        }
        "tools/call" => {
            let (name, arguments) = params.tool_call()?;
            call_tool(sessions, session, &name, arguments).await
        }
        _ => Err(RpcError::new(-32601, format!("Method not found: {method}"))),
    }
}

async fn call_tool(
    sessions: &Arc<Sessions>,
    session: Option<Arc<Session>>,
    name: &str,
    arguments: Input<'_>,
) -> Result<Outcome, RpcError> {
    let progress = Progress::default();
    let called = if let Some(session) = session {
        let called = session.call_tool(name, arguments, progress).await;
        session.close_if_over(CloseReason::Failed);
        called
    } else {
        // A call that cannot succeed must not cost the making of an environment.
        sessions
            .blueprint
            .tools()
            .look_up(name, sessions.config.mode)?;
        for_request(sessions, async |session| {
            session.call_tool(name, arguments, progress).await
        })
        .await
    };
    Ok(Outcome::Tool(called?))
}

async fn create(sessions: &Arc<Sessions>, caller: &Caller) -> Result<Outcome, RpcError> {
    let id = match &caller.session {
        Some(own) => own.id,
        None => sessions.open(Origin::Http, caller.peer).await?.id,
    };
    Ok(Outcome::Document(json!({ "session_id": id.to_string() })))
}

async fn close(
    sessions: &Arc<Sessions>,
    caller: &Caller,
    params: &Params<'_>,
) -> Result<Outcome, RpcError> {
    let Some(id) = params.session_id() else {
        let message = "Invalid params - 'session_id' is required";
        return Err(RpcError::new(-32602, message));
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
    let answer = if session.request_close().await {
        json!({ "session_id": id, "closed": true })
    } else {
        json!({ "session_id": id, "closed": false, "closing": true })
    };
    Ok(Outcome::Document(answer))
}
