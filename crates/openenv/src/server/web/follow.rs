//! An episode while it goes on, for those who look on.
//!
//! The session knows nothing of them: they come by now and then for what is new,
//! and what is too much to show is left out. So however many look on, and however
//! slowly, the session is as fast as without them.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::extract::{Path, Query, State};
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::stream;
use serde::Deserialize;

use super::kept;
use crate::error::Result;
use crate::server::episodes::Episode;
use crate::server::sessions::Sessions;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(100);
/// Time between two looks at the environment itself.
const VIEW_PAUSE: Duration = Duration::from_millis(500);
/// Steps that are shown of those between two looks.
const MOST_STEPS: u64 = 500;

#[derive(Deserialize)]
pub(super) struct Wish {
    /// The first step that is wanted.
    #[serde(default)]
    from: u64,
    /// Whether to ask the environment what it shows, when it is not busy.
    #[serde(default)]
    view: u8,
}

pub(super) async fn follow(
    State(sessions): State<Arc<Sessions>>,
    Path(key): Path<String>,
    Query(wish): Query<Wish>,
    headers: HeaderMap,
) -> Result<Response> {
    let episode = kept::find(&sessions, &key)?;
    // A browser that lost the connection says what it saw last.
    let seen = headers.get("last-event-id");
    let seen = seen.and_then(|id| id.to_str().ok()?.parse().ok());
    let follower = Follower {
        next: seen.unwrap_or(wish.from),
        sessions,
        episode,
        view: wish.view > 0,
        viewed: None,
        phase: Phase::First,
    };
    let events = stream::unfold(follower, |mut follower| async move {
        let event = follower.next_event().await?;
        Some((Ok::<_, Infallible>(event), follower))
    });
    Ok(Sse::new(events)
        .keep_alive(KeepAlive::new().interval(Duration::from_secs(15)))
        .into_response())
}

struct Follower {
    sessions: Arc<Sessions>,
    episode: Arc<Episode>,
    next: u64,
    view: bool,
    /// When the environment was last asked, and at which step.
    viewed: Option<(Instant, u64)>,
    phase: Phase,
}

#[derive(PartialEq, Eq)]
enum Phase {
    First,
    Running,
    Over,
    Told,
}

impl Follower {
    /// What is new, once something is.
    async fn next_event(&mut self) -> Option<Event> {
        if self.phase == Phase::Over {
            self.phase = Phase::Told;
            return Some(Event::default().event("end").data("{}"));
        }
        if self.phase == Phase::Told {
            return None;
        }
        loop {
            // Looked at first: what comes after it is found at the next look.
            let live = self.episode.is_live();
            let viewed = self.look().await;
            let length = self.episode.length();
            if length > self.next || viewed || !live || self.phase == Phase::First {
                self.phase = if live { Phase::Running } else { Phase::Over };
                return Some(self.news(length, viewed));
            }
            let stopping = &self.sessions.lifecycle.stopping;
            if tokio::time::timeout(PAUSE, stopping.cancelled())
                .await
                .is_ok()
            {
                return None;
            }
        }
    }

    fn news(&mut self, length: u64, viewed: bool) -> Event {
        // A step that was shown before its picture came is shown again.
        let wanted = if viewed {
            self.next.min(length.saturating_sub(1))
        } else {
            self.next
        };
        let from = wanted.max(length.saturating_sub(MOST_STEPS));
        let part = self.episode.part(from, usize::MAX);
        let mut out = b"{\"summary\":".to_vec();
        kept::write_summary(&self.episode, &mut out);
        out.extend_from_slice(b",\"steps\":");
        part.write(&mut out);
        let skipped = part.from.saturating_sub(wanted);
        out.extend_from_slice(format!(",\"skipped\":{skipped}}}").as_bytes());
        self.next = part.end().max(self.next);
        let data = String::from_utf8(out).expect("JSON is text");
        Event::default().id(self.next.to_string()).data(data)
    }

    /// Asks the environment what it shows, unless it is busy or was just asked.
    async fn look(&mut self) -> bool {
        let length = self.episode.length();
        let is_time = self
            .viewed
            .is_none_or(|(at, step)| at.elapsed() >= VIEW_PAUSE && step < length);
        if !self.view || !is_time || !self.episode.is_live() {
            return false;
        }
        let session = self.sessions.find(&self.episode.session.to_string());
        let Ok(session) = session else {
            return false;
        };
        self.viewed = Some((Instant::now(), length));
        session.view_if_free().await.is_some()
    }
}
