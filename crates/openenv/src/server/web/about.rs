//! What the page has to know of its environment.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use serde_json::{Value, json};

use super::{compressed, readme};
use crate::server::body;
use crate::server::sessions::Sessions;
use crate::wire::tool::listed;

/// Everything at once, so that the page is ready after one question.
pub(super) fn about(sessions: &Sessions, names: &[String], headers: &HeaderMap) -> Response {
    let blueprint = &sessions.blueprint;
    let mut metadata = json!(*blueprint.metadata());
    if let Value::Object(fields) = &mut metadata {
        fields.remove("readme_content");
    }
    let mode = sessions.config.mode;
    let mut tools = listed(blueprint.tools().visible(mode));
    let keep = sessions.episodes.as_ref().map(|episodes| episodes.keep());
    let about = json!({
        "name": sessions.name,
        "server_version": env!("CARGO_PKG_VERSION"),
        "metadata": metadata,
        "readme_html": blueprint.readme().map(|text| readme::to_html(&text)),
        "mode": mode.to_string(),
        "environments": names,
        "contract": blueprint.contract().document(),
        "tools": tools["tools"].take(),
        "tasks": blueprint.tasks().is_some(),
        "capacity": sessions.capacity(),
        "keep": keep.map(|keep| json!({
            "seconds": keep.time.map(|time| time.as_secs_f64()),
            "bytes": keep.bytes,
        })),
    });
    compressed::json(&about, headers)
}

/// The metadata under the name that the environment is served by, with its README.
pub(super) async fn metadata(State(sessions): State<Arc<Sessions>>) -> Response {
    let mut metadata = (*sessions.blueprint.metadata()).clone();
    metadata.name.clone_from(&sessions.name);
    metadata.readme_content = sessions.blueprint.readme();
    body::json(&metadata)
}
