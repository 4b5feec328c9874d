//! A worker process: the calls that wait for it, and how it ends.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::frame::{Ask, FIRMLY, Frame, say};
use super::link::{Arrival, Inbox, Outbox};
use super::log;
use super::process::{Process, how_it_ended};
use super::question::{Answer, Asked, GRACE};
use crate::env::blueprint::Opening;
use crate::error::Result;
use crate::server::{SessionId, SessionLog};
use crate::tool::Progress;

/// How long after the end of a link its process may take to say how it ended.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Which call of which session, by the numbers that the worker knows.
pub(super) type Key = (u32, u32);

/// One worker process.
#[derive(Debug)]
pub(super) struct Worker {
    pub(super) number: u32,
    pub(super) began: Instant,
    process: Option<Process>,
    outbox: Mutex<Option<Outbox>>,
    calls: Mutex<Calls>,
    /// Sessions that it holds or is about to hold.
    load: AtomicUsize,
    retired: AtomicBool,
    dismissed: AtomicBool,
    /// Why it is, or will shortly be, no more.
    verdict: OnceLock<Arc<str>>,
    /// Told when it has ended and everybody who waited for it knows.
    pub(super) gone: CancellationToken,
}

#[derive(Debug, Default)]
struct Calls {
    waiting: HashMap<Key, Waiting>,
    sessions: HashMap<u32, (SessionId, SessionLog)>,
    last_session: u32,
    last_call: u32,
}

#[derive(Debug)]
struct Waiting {
    answer: oneshot::Sender<Answer>,
    progress: Progress,
}

impl Worker {
    /// Takes a process on that has introduced itself as a worker.
    ///
    /// `status` is how it ended, once it has.
    pub(super) fn employ(arrival: Arrival, status: oneshot::Receiver<i32>) -> Arc<Self> {
        let process = arrival.pid.and_then(|pid| Process::find(pid).ok());
        let worker = Arc::new(Self {
            number: arrival.hello.worker,
            began: Instant::now(),
            process,
            outbox: Mutex::new(Some(arrival.outbox)),
            calls: Mutex::default(),
            load: AtomicUsize::new(0),
            retired: AtomicBool::new(false),
            dismissed: AtomicBool::new(false),
            verdict: OnceLock::new(),
            gone: CancellationToken::new(),
        });
        tokio::spawn(listen(Arc::clone(&worker), arrival.inbox, status));
        worker
    }

    pub(super) fn pid(&self) -> Option<i32> {
        self.process.as_ref().map(Process::number)
    }

    pub(super) fn memory(&self) -> Option<u64> {
        self.process.as_ref()?.memory()
    }

    /// Why it serves no more, if it does not.
    pub(super) fn verdict(&self) -> Option<&Arc<str>> {
        self.verdict.get()
    }

    pub(super) fn load(&self) -> usize {
        self.load.load(Ordering::Acquire)
    }

    pub(super) fn load_more(&self) {
        self.load.fetch_add(1, Ordering::AcqRel);
    }

    /// How many are left.
    pub(super) fn load_less(&self) -> usize {
        self.load.fetch_sub(1, Ordering::AcqRel) - 1
    }

    /// Lets it take no further sessions: something in it does not end.
    pub(super) fn retire(&self) {
        self.retired.store(true, Ordering::Release);
    }

    pub(super) fn is_hiring(&self) -> bool {
        !self.retired.load(Ordering::Acquire) && self.verdict().is_none()
    }

    pub(super) fn was_dismissed(&self) -> bool {
        self.dismissed.load(Ordering::Acquire)
    }

    pub(super) fn is_retired(&self) -> bool {
        self.retired.load(Ordering::Acquire)
    }

    /// Ends it; who waits for it learns why.
    pub(super) fn kill(&self, why: String) {
        if self.verdict.set(why.into()).is_ok() {
            let why = self.verdict().map(|why| &**why);
            tracing::warn!(worker = self.number, pid = self.pid(), why, "worker ended");
        }
        match &self.process {
            Some(process) => process.kill(),
            None => drop(self.outbox().take()),
        }
    }

    /// Lets it end by itself: it has nothing left to do.
    pub(super) fn dismiss(&self) {
        self.dismissed.store(true, Ordering::Release);
        let _ = self.verdict.set("it was not needed any more".into());
        drop(self.outbox().take());
    }

    /// A number for a session that is to be opened here.
    pub(super) fn admit(&self, opening: &Opening) -> u32 {
        let mut calls = self.calls();
        calls.last_session += 1;
        let number = calls.last_session;
        let session = (opening.session, opening.log.clone());
        calls.sessions.insert(number, session);
        number
    }

    pub(super) fn dismiss_session(&self, number: u32) {
        self.calls().sessions.remove(&number);
    }

    /// The one session that it has, if there is just one.
    pub(super) fn only_session(&self) -> Option<(SessionId, SessionLog)> {
        let calls = self.calls();
        let mut sessions = calls.sessions.values();
        sessions
            .next()
            .filter(|_| calls.sessions.len() == 1)
            .cloned()
    }

    /// Asks something of a session; 0 is none.
    pub(super) fn ask(
        self: &Arc<Self>,
        ask: Ask,
        session: u32,
        flag: u8,
        parts: &[&[u8]],
        progress: Progress,
    ) -> Result<Asked> {
        let (answer, answered) = oneshot::channel();
        let mut calls = self.calls();
        calls.last_call = calls.last_call.wrapping_add(1);
        let key = (session, calls.last_call);
        // Looked at under the lock under which it is set: afterwards nobody listens.
        if let Some(why) = self.verdict().filter(|_| self.gone.is_cancelled()) {
            let _ = answer.send(Answer::Gone(Arc::clone(why)));
        } else {
            calls.waiting.insert(key, Waiting { answer, progress });
        }
        drop(calls);
        let asked = Asked::new(Arc::clone(self), key, answered);
        if let Some(outbox) = &*self.outbox() {
            outbox.send(ask, key.0, key.1, flag, parts)?;
        }
        Ok(asked)
    }

    /// Tells a call to end; `firmly` also where that may leave things half done.
    pub(super) fn cancel(&self, (session, call): Key, firmly: bool) {
        if let Some(outbox) = &*self.outbox() {
            let flag = if firmly { FIRMLY } else { 0 };
            let _ = outbox.send(Ask::Cancel, session, call, flag, &[]);
        }
    }

    pub(super) fn is_waited_for(&self, key: Key) -> bool {
        self.calls().waiting.contains_key(&key)
    }

    /// Ends a call that nobody waits for any more; whether it did.
    pub(super) async fn end(&self, key: Key) -> bool {
        self.cancel(key, true);
        let patience = tokio::time::Instant::now() + GRACE;
        while self.is_waited_for(key) {
            if tokio::time::Instant::now() >= patience {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }

    /// Ends what a session still does; whether it did within `patience`.
    pub(super) async fn end_session(&self, session: u32, patience: Duration) -> bool {
        let running = || -> Vec<Key> {
            let calls = self.calls();
            let keys = calls.waiting.keys().copied();
            keys.filter(|(of, _)| *of == session).collect()
        };
        for key in running() {
            self.cancel(key, true);
        }
        let until = tokio::time::Instant::now() + patience;
        while !running().is_empty() {
            if tokio::time::Instant::now() >= until {
                return false;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        true
    }

    fn hear(&self, frame: &Frame) {
        let key = (frame.session, frame.call);
        match frame.kind {
            say::LOG => {
                let session = self.calls().sessions.get(&frame.session).cloned();
                let session = session.or_else(|| self.only_session());
                log::line(self.number, session, frame.flag, &frame.payload);
            }
            say::PROGRESS => {
                let calls = self.calls();
                if let Some(waiting) = calls.waiting.get(&key)
                    && let Ok(update) = serde_json::from_slice::<Update>(&frame.payload)
                {
                    let message = update.message.unwrap_or_default();
                    waiting.progress.report(update.done, update.total, message);
                }
            }
            _ => {
                let waiting = self.calls().waiting.remove(&key);
                if let Some(waiting) = waiting {
                    // Nobody may be waiting any more.
                    let _ = waiting.answer.send(Answer::of(frame));
                }
            }
        }
    }

    fn calls(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn outbox(&self) -> MutexGuard<'_, Option<Outbox>> {
        self.outbox.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The life of a worker, as far as it is heard of.
async fn listen(worker: Arc<Worker>, mut inbox: Inbox, status: oneshot::Receiver<i32>) {
    while let Some(frame) = inbox.next().await {
        worker.hear(&frame);
    }
    let how = match timeout(LAST_WORDS, status).await {
        Ok(Ok(status)) => how_it_ended(status),
        _ => "ended without a word".to_owned(),
    };
    let number = worker.number;
    if worker
        .verdict
        .set(format!("worker {number} {how}").into())
        .is_ok()
    {
        tracing::warn!(worker = number, pid = worker.pid(), how, "worker ended");
    }
    // It may have closed its end and live on.
    if let Some(process) = &worker.process {
        process.kill();
    }
    let why = worker
        .verdict()
        .cloned()
        .unwrap_or_else(|| "it ended".into());
    let waiting = {
        let mut calls = worker.calls();
        worker.gone.cancel();
        std::mem::take(&mut calls.waiting)
    };
    for (_, waiting) in waiting {
        let _ = waiting.answer.send(Answer::Gone(Arc::clone(&why)));
    }
}

/// How far a tool is.
#[derive(Deserialize)]
struct Update {
    done: f64,
    #[serde(default)]
    total: Option<f64>,
    #[serde(default)]
    message: Option<String>,
}
