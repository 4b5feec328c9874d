//! Episodes that are kept to be looked at: what happened in the sessions of one
//! environment lately, within a time and a size.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

mod entry;
mod episode;
mod recorder;

pub(crate) use entry::Kind;
pub(crate) use episode::Episode;
#[cfg(feature = "web")]
pub(crate) use episode::Summary;
pub(crate) use recorder::Recorder;

/// For how long, and how much of them, episodes are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Keep {
    /// Time after the end of an episode; `None` for as long as there is room.
    pub(crate) time: Option<Duration>,
    /// Bytes of all episodes of one environment.
    pub(crate) bytes: usize,
}

/// The episodes of one environment.
#[derive(Debug)]
pub(crate) struct Episodes {
    keep: Keep,
    /// What all of them take; each counts itself.
    bytes: Arc<AtomicUsize>,
    /// By when they began.
    kept: Mutex<VecDeque<Arc<Episode>>>,
}

impl Episodes {
    pub(crate) fn new(keep: Keep) -> Self {
        Self {
            keep,
            bytes: Arc::default(),
            kept: Mutex::default(),
        }
    }

    pub(crate) fn keep(&self) -> Keep {
        self.keep
    }

    /// The newest first.
    pub(crate) fn list(&self, most: usize) -> Vec<Arc<Episode>> {
        self.forget_old();
        self.kept().iter().rev().take(most).cloned().collect()
    }

    pub(crate) fn find(&self, key: &str) -> Option<Arc<Episode>> {
        self.forget_old();
        self.kept()
            .iter()
            .find(|episode| episode.key == key)
            .cloned()
    }

    fn add(&self, episode: Arc<Episode>) {
        self.kept().push_back(episode);
        self.settle();
    }

    /// The most that one episode may take: others are to be seen beside it.
    fn share(&self) -> usize {
        self.keep.bytes / 4
    }

    /// Makes room if the episodes have become too large.
    fn settle(&self) {
        if self.bytes.load(Ordering::Relaxed) > self.keep.bytes {
            self.make_room();
        }
    }

    /// Forgets the oldest episodes. Those that go on lose what happened first.
    fn make_room(&self) {
        let mut kept = self.kept();
        // More than is needed, so that not every step has to make room again.
        let goal = self.keep.bytes - self.keep.bytes / 8;
        let over = |episodes: &Self| episodes.bytes.load(Ordering::Relaxed) > goal;
        kept.retain(|episode| {
            let goes = over(self) && !episode.is_live();
            if goes {
                episode.trim(0);
            }
            !goes
        });
        let mut share = self.keep.bytes / kept.len().max(1) / 2;
        while over(self) {
            for episode in kept.iter() {
                episode.trim(share);
            }
            if share == 0 {
                return;
            }
            share /= 2;
        }
    }

    /// Forgets what is too old. It looks at every episode: not for each new one.
    pub(crate) fn forget_old(&self) {
        let Some(time) = self.keep.time else {
            return;
        };
        self.kept().retain(|episode| {
            let goes = episode.ended_ago().is_some_and(|ago| ago > time);
            if goes {
                episode.trim(0);
            }
            !goes
        });
    }

    fn kept(&self) -> MutexGuard<'_, VecDeque<Arc<Episode>>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
