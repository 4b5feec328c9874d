//! One episode that is kept, while it goes on and after.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::Serialize;

use super::entry::{Attached, Entry, Kind};
use crate::server::info::{Origin, SessionId};

/// One episode of one session.
#[derive(Debug)]
pub(crate) struct Episode {
    /// What it is called here; clients choose names for episodes more than once.
    pub(crate) key: String,
    pub(crate) session: SessionId,
    pub(super) began: Instant,
    origin: Origin,
    environment: String,
    began_at: SystemTime,
    log: Mutex<Log>,
}

#[derive(Debug)]
struct Log {
    episode_id: Option<String>,
    entries: VecDeque<Arc<Entry>>,
    /// Entries that are no longer kept.
    dropped: u64,
    bytes: usize,
    /// What all episodes take, this one included.
    all_bytes: Arc<AtomicUsize>,
    ended: Option<Instant>,
    tally: Tally,
}

/// What the entries up to one add up to.
///
/// They are read when somebody wants to know, or when they go: a session does not
/// wait for that.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    counted: u64,
    rewards: f64,
    done: bool,
    errors: u64,
}

/// An episode in a line.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Summary {
    key: String,
    pub(crate) episode_id: Option<String>,
    session: SessionId,
    origin: Origin,
    environment: String,
    pub(crate) started_at: f64,
    pub(crate) length: u64,
    pub(crate) dropped: u64,
    #[serde(rename = "return")]
    rewards: f64,
    done: bool,
    errors: u64,
    pub(crate) live: bool,
}

/// Some entries of an episode, in order.
pub(crate) struct Part {
    /// Place of the first.
    pub(crate) from: u64,
    entries: Vec<Arc<Entry>>,
}

impl Part {
    /// Place after the last.
    pub(crate) fn end(&self) -> u64 {
        self.from + self.entries.len() as u64
    }

    /// Appends the entries as an array.
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        out.push(b'[');
        for (n, entry) in (self.from..).zip(&self.entries) {
            if n > self.from {
                out.push(b',');
            }
            entry.write(n, out);
        }
        out.push(b']');
    }
}

/// What an episode takes besides its entries. It counts once the episode is over: those
/// that go on cannot be forgotten, and looking for room among them at every step would
/// find none.
const OVERHEAD: usize = 512;

impl Drop for Episode {
    fn drop(&mut self) {
        let log = self.log();
        log.all_bytes
            .fetch_sub(log.bytes + OVERHEAD, Ordering::Relaxed);
    }
}

impl Episode {
    pub(super) fn new(
        session: SessionId,
        origin: Origin,
        environment: String,
        all_bytes: &Arc<AtomicUsize>,
    ) -> Self {
        let mut key = uuid::Uuid::new_v4().simple().to_string();
        key.truncate(12);
        Self {
            key,
            session,
            origin,
            environment,
            began: Instant::now(),
            began_at: SystemTime::now(),
            log: Mutex::new(Log {
                episode_id: None,
                entries: VecDeque::new(),
                dropped: 0,
                bytes: 0,
                all_bytes: Arc::clone(all_bytes),
                ended: None,
                tally: Tally::default(),
            }),
        }
    }

    /// Adds an entry and drops the first ones beyond `share`.
    pub(super) fn push(&self, entry: Entry, share: usize) {
        let mut log = self.log();
        log.resize(0, entry.size());
        log.entries.push_back(Arc::new(entry));
        if log.bytes > share {
            // The last one stays, however large it is.
            log.trim(share - share / 8, 1);
        }
    }

    /// Changes what belongs to the last entry.
    pub(super) fn attach(&self, change: impl FnOnce(&mut Attached)) {
        let mut log = self.log();
        if let Some(entry) = log.entries.back().cloned() {
            let mut attached = entry.attached();
            let before = attached.size();
            change(&mut attached);
            log.resize(before, attached.size());
        }
    }

    /// Drops the first entries until the rest takes `bytes` at most.
    pub(super) fn trim(&self, bytes: usize) {
        self.log().trim(bytes, 0);
    }

    pub(super) fn last(&self) -> Option<Arc<Entry>> {
        self.log().entries.back().cloned()
    }

    pub(super) fn name(&self, episode_id: String) {
        self.log().episode_id = Some(episode_id);
    }

    pub(super) fn end(&self) {
        let mut log = self.log();
        if log.ended.is_none() {
            log.ended = Some(Instant::now());
            log.all_bytes.fetch_add(OVERHEAD, Ordering::Relaxed);
        }
    }

    pub(crate) fn is_live(&self) -> bool {
        self.log().ended.is_none()
    }

    pub(super) fn ended_ago(&self) -> Option<Duration> {
        Some(self.log().ended?.elapsed())
    }

    /// Entries so far, those that were dropped included.
    pub(crate) fn length(&self) -> u64 {
        self.log().length()
    }

    pub(crate) fn summary(&self) -> Summary {
        let mut log = self.log();
        let all = log.length();
        log.count_up_to(all);
        Summary {
            key: self.key.clone(),
            episode_id: log.episode_id.clone(),
            session: self.session,
            origin: self.origin,
            environment: self.environment.clone(),
            started_at: self
                .began_at
                .duration_since(UNIX_EPOCH)
                .unwrap_or_default()
                .as_secs_f64(),
            length: all,
            dropped: log.dropped,
            rewards: log.tally.rewards,
            done: log.tally.done,
            errors: log.tally.errors,
            live: log.ended.is_none(),
        }
    }

    /// The entries from a place on; the first that is kept if that one is not.
    pub(crate) fn part(&self, from: u64, most: usize) -> Part {
        let log = self.log();
        let from = from.max(log.dropped);
        let skip = usize::try_from(from - log.dropped).unwrap_or(usize::MAX);
        let entries = log.entries.iter().skip(skip).take(most);
        Part {
            from,
            entries: entries.cloned().collect(),
        }
    }

    fn log(&self) -> MutexGuard<'_, Log> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Log {
    fn length(&self) -> u64 {
        self.dropped + self.entries.len() as u64
    }

    fn resize(&mut self, before: usize, after: usize) {
        self.bytes = self.bytes + after - before;
        self.all_bytes.fetch_add(after, Ordering::Relaxed);
        self.all_bytes.fetch_sub(before, Ordering::Relaxed);
    }

    fn trim(&mut self, bytes: usize, least: usize) {
        while self.bytes > bytes && self.entries.len() > least {
            self.count_up_to(self.dropped + 1);
            if let Some(entry) = self.entries.pop_front() {
                self.dropped += 1;
                self.resize(entry.size(), 0);
            }
        }
    }

    fn count_up_to(&mut self, end: u64) {
        let skip = usize::try_from(self.tally.counted.saturating_sub(self.dropped));
        let some = usize::try_from(end.saturating_sub(self.tally.counted));
        let entries = self.entries.iter().skip(skip.unwrap_or(usize::MAX));
        for entry in entries.take(some.unwrap_or(usize::MAX)) {
            let worth = entry.worth();
            self.tally.counted += 1;
            self.tally.errors += u64::from(entry.is_error());
            if let Some(reward) = worth.reward {
                self.tally.rewards += reward.as_f64();
            }
            if entry.kind == Kind::Step && !entry.is_error() {
                self.tally.done = worth.done;
            }
        }
    }
}
