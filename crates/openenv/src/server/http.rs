//! The HTTP routes of one environment.
//!
//! Reset, step and state are stateless: each request gets an environment of its
//! own, which is closed before the answer leaves.

use std::future::Future;
use std::net::SocketAddr;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use axum::Router;
use axum::extract::ws::WebSocketUpgrade;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::{ConnectInfo, Query, State};
use axum::http::{Extensions, Method, StatusCode, request};
use axum::response::{IntoResponse, Response};
use axum::routing::any;
use serde::Deserialize;
use serde_json::json;

use crate::contract::{Base, Shape};
use crate::env::{Mode, ResetOptions};
use crate::error::Result;
use crate::json::Input;
use crate::server::body::{self, Body};
use crate::server::fallback::{not_found, only};
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::server::stateless::for_request;
#[cfg(feature = "web")]
use crate::server::web;
use crate::server::{mcp, openapi, web_origin, ws};
use crate::wire::Form;
use crate::wire::request::{ResetInput, ResetRequest, StepRequest};

/// tungstenite fills its whole read buffer with zeros before each read
/// (<https://github.com/snapview/tungstenite-rs/issues/547>); actions are small,
/// so 4 KiB instead of 128 KiB makes a step 1.7 times cheaper.
const READ_BUFFER: usize = 4 * 1024;

/// Long enough for any page to be loaded again.
const LONGEST_LINGER: Duration = Duration::from_mins(1);

/// Header that names the contract on every `/schema` answer and handshake.
const CONTRACT_HEADER: &str = "x-openenv-contract";

static RESET: LazyLock<Shape<ResetRequest>> = LazyLock::new(|| Shape::fixed(Base::Open));
static STEP: LazyLock<Shape<StepRequest>> = LazyLock::new(|| Shape::fixed(Base::Open));

/// Every route of one environment, relative to where it is mounted.
///
/// `control` says whether sessions can be controlled there; `names` are those of all
/// environments.
pub(crate) fn routes(
    sessions: &Arc<Sessions>,
    control: bool,
    #[cfg_attr(not(feature = "web"), expect(unused, reason = "for the page"))] names: &Arc<
        [String],
    >,
) -> Router {
    let mut router = Router::new()
        .route("/health", only(Method::GET, health))
        .route("/metadata", only(Method::GET, metadata))
        .route("/schema", only(Method::GET, schema))
        .route("/capacity", only(Method::GET, capacity))
        .merge(mcp::routes())
        .merge(openapi::routes(sessions, control));
    if control {
        router = router
            .route("/sessions", only(Method::GET, list_sessions))
            .route("/ws", any(upgrade));
    }
    if control && sessions.config.mode == Mode::Simulation {
        router = router
            .route("/reset", only(Method::POST, reset))
            .route("/step", only(Method::POST, step))
            .route("/state", only(Method::GET, state));
    }
    #[cfg(feature = "web")]
    if control && sessions.config.web {
        router = router.merge(web::routes(sessions, names));
    }
    router.with_state(Arc::clone(sessions))
}

async fn health() -> Response {
    body::json(&json!({ "status": "healthy" }))
}

async fn metadata(State(sessions): State<Arc<Sessions>>) -> Response {
    body::json(&*sessions.blueprint.metadata())
}

async fn schema(State(sessions): State<Arc<Sessions>>) -> Response {
    let contract = sessions.blueprint.contract();
    let digest = contract.digest().to_owned();
    ([(CONTRACT_HEADER, digest)], body::json(contract.document())).into_response()
}

async fn list_sessions(State(sessions): State<Arc<Sessions>>) -> Response {
    body::json(&sessions.infos())
}

async fn capacity(State(sessions): State<Arc<Sessions>>) -> Response {
    body::json(&sessions.capacity())
}

async fn reset(State(sessions): State<Arc<Sessions>>, body: Body) -> Result<Response> {
    let options = if body.is_empty() {
        ResetOptions::default()
    } else {
        body.read(&RESET)?.into()
    };
    answer(&sessions, async |session, out| {
        let asked = ResetInput::Checked(options);
        session.reset(asked, Form::Http, out).await
    })
    .await
}

async fn step(State(sessions): State<Arc<Sessions>>, body: Body) -> Result<Response> {
    let (action, options) = body.read(&STEP)?.into_parts();
    let action = Input::raw(action.get());
    // A bad action must not cost the making of an environment.
    sessions.check_action(&action).await?;
    answer(&sessions, async |session, out| {
        session.step(action, options, Form::Http, out).await
    })
    .await
}

async fn state(State(sessions): State<Arc<Sessions>>) -> Result<Response> {
    answer(&sessions, async |session, out| {
        session.state(Form::Http, out).await
    })
    .await
}

/// Answers one request with what `call` writes, in a session of its own.
async fn answer<F>(sessions: &Arc<Sessions>, call: F) -> Result<Response>
where
    F: AsyncFnOnce(&Session, &mut Vec<u8>) -> Result<()>,
{
    let out = for_request(sessions, async |session| {
        let mut out = Vec::with_capacity(256);
        call(session, &mut out).await?;
        Ok(out)
    })
    .await?;
    Ok(body::raw_json(StatusCode::OK, out))
}

#[derive(Deserialize)]
struct AttachQuery {
    #[serde(default)]
    session_id: String,
    /// Seconds.
    #[serde(default)]
    linger: Option<u16>,
}

async fn upgrade(
    State(sessions): State<Arc<Sessions>>,
    Query(AttachQuery { session_id, linger }): Query<AttachQuery>,
    parts: request::Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    if web_origin::screen(&parts, &sessions.config).is_err() {
        return body::detail(StatusCode::FORBIDDEN, web_origin::REFUSAL);
    }
    let serve_session = Arc::clone(&sessions);
    let attach = (!session_id.is_empty()).then(|| ws::Attach {
        session_id,
        linger: linger.map(|seconds| Duration::from_secs(seconds.into()).min(LONGEST_LINGER)),
    });
    accept(&sessions, &parts.extensions, upgrade, |socket, peer| {
        ws::serve(socket, serve_session, attach, peer)
    })
}

/// Who sent a request, where the application that serves the routes tells.
pub(crate) fn peer(extensions: &Extensions) -> Option<SocketAddr> {
    extensions
        .get::<ConnectInfo<SocketAddr>>()
        .map(|ConnectInfo(peer)| *peer)
}

/// Accepts a WebSocket with the limits of the server and keeps track of its task.
pub(crate) fn accept<F, S>(
    sessions: &Arc<Sessions>,
    extensions: &Extensions,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
    serve: F,
) -> Response
where
    F: FnOnce(axum::extract::ws::WebSocket, Option<SocketAddr>) -> S + Send + 'static,
    S: Future<Output = ()> + Send + 'static,
{
    let Ok(upgrade) = upgrade else {
        return not_found();
    };
    let peer = peer(extensions);
    let limit = sessions.config.max_message_size;
    let tasks = sessions.lifecycle.tasks.clone();
    let response = upgrade
        .read_buffer_size(READ_BUFFER)
        .max_message_size(limit)
        .max_frame_size(limit)
        .on_upgrade(move |socket| tasks.track_future(serve(socket, peer)));
    let digest = sessions.blueprint.contract().digest().to_owned();
    ([(CONTRACT_HEADER, digest)], response).into_response()
}
