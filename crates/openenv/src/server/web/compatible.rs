//! The routes of the reference's page, for programs that use them: a session over
//! plain HTTP, and a socket that tells what happens in it.
//!
//! There, everybody shares one environment. Here, a request has the session that it
//! names (`?session=`), else the one of the machine that it comes from.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::State;
use axum::extract::ws::rejection::WebSocketUpgradeRejection;
use axum::extract::ws::{Message, WebSocket, WebSocketUpgrade};
use axum::http::{Method, StatusCode, request};
use axum::response::Response;
use axum::routing::any;
use axum::{Extension, Router};
use bytes::Bytes;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::visitors::{Visitor, Visitors};
use crate::env::StepOptions;
use crate::error::{Error, Result};
use crate::json::Input;
use crate::server::body::{self, Body};
use crate::server::fallback::only;
use crate::server::http;
use crate::server::info::CloseReason;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::wire::Form;
use crate::wire::request::ResetInput;

/// What is said where there is no session to look at.
const NO_SESSION: &str = "there is no episode yet: begin one with `POST /web/reset`";
/// Time between two looks for something to tell.
const PAUSE: Duration = Duration::from_millis(50);
/// Time between two pings where nobody says otherwise.
const USUAL_INTERVAL: Duration = Duration::from_secs(20);
/// Actions that are told of at most.
const MOST_ACTIONS: usize = 1000;

pub(super) fn routes() -> Router<Arc<Sessions>> {
    Router::new()
        .route("/web/reset", only(Method::POST, reset))
        .route("/web/step", only(Method::POST, step))
        .route("/web/state", only(Method::GET, state))
        .route("/ws/ui", any(watch))
        .layer(Extension(Arc::<Visitors>::default()))
}

async fn reset(
    State(sessions): State<Arc<Sessions>>,
    Extension(visitors): Extension<Arc<Visitors>>,
    visitor: Visitor,
    body: Body,
) -> Result<Response> {
    let data = object(&body)?;
    let session = visitors.session(&sessions, visitor).await?;
    let data = Value::Object(data).to_string();
    let mut out = Vec::new();
    let asked = ResetInput::AsSent(Input::raw(&data));
    let result = session.reset(asked, Form::WebSocket, &mut out).await;
    answered(&session, result, out)
}

async fn step(
    State(sessions): State<Arc<Sessions>>,
    Extension(visitors): Extension<Arc<Visitors>>,
    visitor: Visitor,
    body: Body,
) -> Result<Response> {
    let mut data = object(&body)?;
    let action = match (data.remove("action"), data.remove("message")) {
        (Some(Value::Object(action)), _) => from_form(action),
        (None, Some(message)) => json!({ "message": message }),
        (Some(_), _) => return Err(Error::invalid("action", "`action` must be an object")),
        (None, None) => {
            return Err(Error::invalid(
                "action",
                "the body needs an `action`, as `{\"action\": {…}}`",
            ));
        }
    };
    let session = visitors.session(&sessions, visitor).await?;
    let action = action.to_string();
    let mut out = Vec::new();
    let result = session
        .step(
            Input::raw(&action),
            StepOptions::default(),
            Form::WebSocket,
            &mut out,
        )
        .await;
    answered(&session, result, out)
}

async fn state(
    State(sessions): State<Arc<Sessions>>,
    Extension(visitors): Extension<Arc<Visitors>>,
    visitor: Visitor,
) -> Result<Response> {
    // To look at it makes no session: that is for what changes something.
    let Some(session) = visitors.find(&sessions, &visitor).await else {
        return Ok(body::detail(StatusCode::CONFLICT, NO_SESSION));
    };
    let mut out = Vec::new();
    match session.state(Form::WebSocket, &mut out).await {
        // An environment that has no state yet.
        Err(error) if error.is_execution() => {
            Ok(body::detail(StatusCode::CONFLICT, error.message()))
        }
        result => answered(&session, result, out),
    }
}

fn answered(session: &Arc<Session>, result: Result<()>, out: Vec<u8>) -> Result<Response> {
    session.close_if_over(CloseReason::Failed);
    result?;
    Ok(body::raw_json(StatusCode::OK, out))
}

/// The body, which may be missing.
fn object(body: &Body) -> Result<Map<String, Value>> {
    if body.is_empty() {
        return Ok(Map::new());
    }
    let text = body.text().unwrap_or_default();
    match serde_json::from_str(text) {
        Ok(Value::Object(fields)) => Ok(fields),
        Ok(_) => Err(Error::invalid("body", "the body must be a JSON object")),
        Err(error) => Err(Error::invalid(
            "body",
            format!("the body is no JSON: {error}"),
        )),
    }
}

/// An action as forms send it: the arguments of a tool as text that is JSON, an
/// `action_id` as text that is a number.
fn from_form(mut action: Map<String, Value>) -> Value {
    let read = |value: &Value| serde_json::from_str::<Value>(value.as_str()?).ok();
    if action.get("type").is_some_and(|kind| kind == "call_tool")
        && let Some(arguments) = action.get("arguments").and_then(read)
    {
        action.insert("arguments".to_owned(), arguments);
    }
    if let Some(number @ Value::Number(_)) = action.get("action_id").and_then(read) {
        action.insert("action_id".to_owned(), number);
    }
    Value::Object(action)
}

async fn watch(
    State(sessions): State<Arc<Sessions>>,
    Extension(visitors): Extension<Arc<Visitors>>,
    visitor: Visitor,
    parts: request::Parts,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Response {
    let serving = Arc::clone(&sessions);
    http::accept(&sessions, &parts.extensions, upgrade, |socket, _| {
        tell(socket, serving, visitors, visitor)
    })
}

/// Tells everything at first, and again whenever something happened.
async fn tell(
    mut socket: WebSocket,
    sessions: Arc<Sessions>,
    visitors: Arc<Visitors>,
    visitor: Visitor,
) {
    let mut told = None;
    let interval = sessions.config.keepalive_interval.unwrap_or(USUAL_INTERVAL);
    let mut pings = tokio::time::interval_at(Instant::now() + interval, interval);
    loop {
        let session = visitors.find(&sessions, &visitor).await;
        let episode = session.as_ref().and_then(|session| session.episode());
        let now = episode.as_ref().map(|it| (it.key.clone(), it.length()));
        if told.as_ref() != Some(&now) {
            let text = episode.map_or_else(nothing_yet, |episode| {
                let summary = episode.summary();
                let skip = summary.length.saturating_sub(MOST_ACTIONS as u64);
                let mut steps = Vec::new();
                episode.part(skip, MOST_ACTIONS).write(&mut steps);
                let steps: Vec<Value> = serde_json::from_slice(&steps).unwrap_or_default();
                update(summary.episode_id.as_deref(), summary.started_at, &steps)
            });
            if !send(&mut socket, &sessions, Message::text(text.to_string())).await {
                return;
            }
            told = Some(now);
        }
        tokio::select! {
            received = socket.recv() => match received {
                Some(Ok(Message::Close(_)) | Err(_)) | None => return,
                Some(Ok(_)) => {}
            },
            () = tokio::time::sleep(PAUSE) => {}
            // Who is gone is noticed at the latest when a ping does not arrive.
            _ = pings.tick() => {
                if !send(&mut socket, &sessions, Message::Ping(Bytes::new())).await {
                    return;
                }
            }
            () = sessions.lifecycle.stopping.cancelled() => return,
        }
    }
}

/// Sends a message, unless the client does not take it or the server stops.
async fn send(socket: &mut WebSocket, sessions: &Sessions, message: Message) -> bool {
    let sending = tokio::time::timeout(sessions.config.send_timeout, socket.send(message));
    let stopping = &sessions.lifecycle.stopping;
    let sent = stopping.run_until_cancelled(sending).await;
    matches!(sent, Some(Ok(Ok(()))))
}

fn nothing_yet() -> Value {
    update(None, 0.0, &[])
}

/// An episode in the words of the reference's page.
fn update(episode_id: Option<&str>, started_at: f64, steps: &[Value]) -> Value {
    let is_step = |step: &&Value| step["kind"] == "step" && !step["reply"].is_null();
    let actions: Vec<Value> = steps
        .iter()
        .filter(is_step)
        .map(|step| {
            let mut action = step["request"].clone();
            if let Value::Object(fields) = &mut action {
                fields.remove("metadata");
            }
            let seconds = started_at + step["at"].as_f64().unwrap_or_default();
            json!({
                "timestamp": timestamp(seconds),
                "action": action,
                "observation": step["reply"]["observation"],
                "reward": step["reply"]["reward"],
                "done": step["reply"]["done"],
                // An episode has its reset at 0.
                "step_count": step["n"],
            })
        })
        .collect();
    let last = steps.iter().rev().find(|step| !step["reply"].is_null());
    json!({
        "type": "state_update",
        "episode_state": {
            "episode_id": episode_id,
            "step_count": actions.last().map_or(json!(0), |last| last["step_count"].clone()),
            "current_observation": last.map(|step| &step["reply"]["observation"]),
            "is_reset": actions.is_empty(),
            "action_logs": actions,
        },
    })
}

/// ISO 8601 without a zone.
fn timestamp(seconds: f64) -> String {
    let time = std::time::UNIX_EPOCH + Duration::from_secs_f64(seconds.max(0.0));
    let text = humantime::format_rfc3339_micros(time).to_string();
    text.trim_end_matches('Z').to_owned()
}
