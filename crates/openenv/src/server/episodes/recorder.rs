//! What writes a session's episodes down.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde::Deserialize;

use super::entry::{Attached, Entry, Kind, Outcome};
use super::{Episode, Episodes};
use crate::env::View;
use crate::error::{Error, Result};
use crate::server::info::{Origin, SessionId};
use crate::server::session_log::{LogLine, SessionLog};
use crate::wire;

/// The recorder of one session. Without anything to record to it does nothing.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Option<Recording>);

#[derive(Debug)]
struct Recording {
    episodes: Arc<Episodes>,
    session: SessionId,
    origin: Origin,
    environment: String,
    log: SessionLog,
    /// None before the first call.
    current: Mutex<Option<Arc<Episode>>>,
}

/// A call that is under way.
#[derive(Debug)]
pub(crate) struct Draft {
    kind: Kind,
    request: Box<str>,
    began: Instant,
}

impl Recorder {
    pub(crate) fn new(
        episodes: &Arc<Episodes>,
        session: SessionId,
        origin: Origin,
        environment: &str,
        log: SessionLog,
    ) -> Self {
        Self(Some(Recording {
            episodes: Arc::clone(episodes),
            session,
            origin,
            environment: environment.to_owned(),
            log,
            current: Mutex::default(),
        }))
    }

    /// Notes a call before it is made; `request` is its JSON.
    pub(crate) fn begin(&self, kind: Kind, request: impl FnOnce() -> Box<str>) -> Option<Draft> {
        self.0.as_ref()?;
        self.attach_lines();
        Some(Draft {
            kind,
            request: request(),
            began: Instant::now(),
        })
    }

    /// Writes down what came of it.
    pub(crate) fn finish(&self, draft: Option<Draft>, outcome: Result<&[u8], &Error>) {
        if let (Some(recording), Some(draft)) = (&self.0, draft) {
            recording.write(draft, outcome);
        }
    }

    /// Adds the state to the last thing that happened.
    pub(crate) fn attach_state(&self, state: &[u8]) {
        #[derive(Deserialize)]
        struct Named {
            episode_id: Option<String>,
        }
        let Some((recording, episode)) = self.current() else {
            return;
        };
        if let Ok(Named {
            episode_id: Some(episode_id),
        }) = serde_json::from_slice(state)
        {
            episode.name(episode_id);
        }
        recording.attach(&episode, |attached| attached.state = Some(state.into()));
    }

    /// Adds what the environment showed to the last thing that happened.
    pub(crate) fn attach_view(&self, view: &View) {
        if let (Some((recording, episode)), Ok(json)) = (self.current(), serde_json::to_vec(view)) {
            // Without the braces: it becomes part of another object.
            let fields = &json[1..json.len() - 1];
            recording.attach(&episode, |attached| attached.view = Some(fields.into()));
        }
    }

    /// The current episode, with the place of the last thing that happened in it.
    pub(crate) fn place(&self) -> Option<(Arc<Episode>, u64)> {
        let (_, episode) = self.current()?;
        let last = episode.length().checked_sub(1)?;
        Some((episode, last))
    }

    /// Adds what was said since to the last thing that happened: lines may come after
    /// the answer.
    fn attach_lines(&self) {
        if let Some((recording, episode)) = self.current() {
            let mut late = recording.log.take();
            if !late.is_empty() {
                recording.attach(&episode, |attached| attached.logs.append(&mut late));
            }
        }
    }

    /// The lines of the last thing that happened.
    pub(crate) fn last_lines(&self) -> Vec<LogLine> {
        self.attach_lines();
        let entry = self.current().and_then(|(_, episode)| episode.last());
        entry.map_or_else(Vec::new, |entry| entry.attached().logs.clone())
    }

    /// Notes that nothing more will happen.
    pub(crate) fn end(&self) {
        if let Some((_, episode)) = self.current() {
            episode.end();
        }
    }

    fn current(&self) -> Option<(&Recording, Arc<Episode>)> {
        let recording = self.0.as_ref()?;
        let episode = recording.current().clone()?;
        Some((recording, episode))
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.end();
    }
}

impl Recording {
    fn write(&self, draft: Draft, outcome: Result<&[u8], &Error>) {
        let outcome = match outcome {
            Ok(reply) => Outcome::Reply(reply.into()),
            Err(error) => Outcome::Error(wire::error_data(error).into()),
        };
        let begins = draft.kind == Kind::Reset && matches!(outcome, Outcome::Reply(_));
        let episode = self.episode(begins);
        let entry = Entry {
            kind: draft.kind,
            at: draft.began.saturating_duration_since(episode.began),
            took: draft.began.elapsed(),
            request: draft.request,
            outcome,
            attached: Mutex::new(Attached {
                logs: self.log.take(),
                ..Attached::default()
            }),
        };
        episode.push(entry, self.episodes.share());
        self.episodes.settle();
    }

    fn attach(&self, episode: &Episode, change: impl FnOnce(&mut Attached)) {
        episode.attach(change);
        self.episodes.settle();
    }

    /// The episode that is under way, or a new one.
    fn episode(&self, begins: bool) -> Arc<Episode> {
        let mut current = self.current();
        if let Some(episode) = current.as_ref().filter(|_| !begins) {
            return Arc::clone(episode);
        }
        let environment = self.environment.clone();
        let episode = Arc::new(Episode::new(
            self.session,
            self.origin,
            environment,
            &self.episodes.bytes,
        ));
        if let Some(before) = current.replace(Arc::clone(&episode)) {
            before.end();
        }
        drop(current);
        self.episodes.add(Arc::clone(&episode));
        episode
    }

    fn current(&self) -> MutexGuard<'_, Option<Arc<Episode>>> {
        self.current.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
