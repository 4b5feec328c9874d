//! Sessions and episodes, to be looked at.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::http::StatusCode;
use axum::response::Response;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::server::body;
use crate::server::episodes::{Episode, Summary};
use crate::server::info::SessionInfo;
use crate::server::sessions::Sessions;

/// Episodes in one list.
const MOST_EPISODES: usize = 1000;
/// Steps in one answer, if nobody says otherwise, and at most.
const USUAL_STEPS: usize = 500;
const MOST_STEPS: usize = 1000;

#[derive(Serialize)]
struct Live {
    #[serde(flatten)]
    info: SessionInfo,
    episode: Option<Summary>,
}

/// Every session, with what happens in it.
pub(super) async fn sessions(State(sessions): State<Arc<Sessions>>) -> Response {
    let live = sessions.snapshot().into_iter().map(|session| Live {
        info: session.info(),
        episode: session.episode().map(|episode| episode.summary()),
    });
    let mut live: Vec<Live> = live.collect();
    live.sort_by_key(|live| live.info.opened_at);
    body::json(&live)
}

/// Every episode that is kept, the newest first.
pub(super) async fn episodes(State(sessions): State<Arc<Sessions>>) -> Response {
    let kept = sessions.episodes.as_ref();
    let kept = kept.map_or_else(Vec::new, |kept| kept.list(MOST_EPISODES));
    let summaries: Vec<Summary> = kept.iter().map(|episode| episode.summary()).collect();
    body::json(&summaries)
}

#[derive(Deserialize)]
pub(super) struct Range {
    #[serde(default)]
    from: u64,
    limit: Option<usize>,
}

/// One episode, or a part of it.
pub(super) async fn episode(
    State(sessions): State<Arc<Sessions>>,
    Path(key): Path<String>,
    Query(Range { from, limit }): Query<Range>,
) -> Result<Response> {
    let episode = find(&sessions, &key)?;
    let limit = limit.unwrap_or(USUAL_STEPS).min(MOST_STEPS);
    Ok(body::raw_json(StatusCode::OK, part(&episode, from, limit)))
}

fn part(episode: &Episode, from: u64, limit: usize) -> Vec<u8> {
    let part = episode.part(from, limit);
    let mut out = b"{\"summary\":".to_vec();
    write_summary(episode, &mut out);
    out.extend_from_slice(b",\"steps\":");
    part.write(&mut out);
    out.push(b'}');
    out
}

pub(super) fn write_summary(episode: &Episode, out: &mut Vec<u8>) {
    serde_json::to_writer(out, &episode.summary()).expect("numbers and texts always serialise");
}

pub(super) fn find(sessions: &Sessions, key: &str) -> Result<Arc<Episode>> {
    let episodes = sessions.episodes.as_ref();
    episodes
        .and_then(|episodes| episodes.find(key))
        .ok_or_else(|| Error::not_found(format!("episode {key} is not kept, or no longer")))
}
