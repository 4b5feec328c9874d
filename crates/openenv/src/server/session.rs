//! One session: one environment, its slot, and who is connected to it.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use futures_util::FutureExt;
use tokio::sync::Notify;

use crate::env::Mode;
use crate::env::erased::{AnyEnvironment, panicked};
use crate::error::{Error, Kind, Result};
#[cfg(feature = "web")]
use crate::server::episodes::Episode;
use crate::server::episodes::Recorder;
use crate::server::info::{CloseReason, Origin, SessionId, SessionInfo};
use crate::server::lifecycle::Lifecycle;
use crate::server::session_log::SessionLog;
use crate::server::sessions::{Leaving, Sessions, Slot};
use crate::tool::toolbox::Catalogue;

mod call;

/// One environment in use.
///
/// Calls are served one at a time, whoever makes them. The environment is taken
/// out of the session to be closed, so it is closed exactly once: by
/// [`close`](Self::close), or by `Drop` if whoever held the session vanished.
pub(crate) struct Session {
    pub(crate) id: SessionId,
    pub(crate) origin: Origin,
    /// Where it is registered, for as long as that exists.
    sessions: Weak<Sessions>,
    lifecycle: Arc<Lifecycle>,
    tools: Arc<Catalogue>,
    mode: Mode,
    peer: Option<SocketAddr>,
    opened: Instant,
    opened_at: SystemTime,
    environment: tokio::sync::Mutex<Option<Box<dyn AnyEnvironment>>>,
    slot: Mutex<Option<Slot>>,
    link: Mutex<Link>,
    /// Milliseconds from `opened` to the end of the last call.
    last_activity: AtomicU64,
    steps: AtomicU64,
    tool_calls: AtomicU64,
    running: AtomicUsize,
    /// Clients that wait for something: see [`Presence`].
    present: AtomicUsize,
    /// The environment panicked or cannot be interrupted: no call will be served.
    over: AtomicBool,
    /// Ends the running call.
    interrupt: Notify,
    /// Tells that a socket came back, or that the session was closed.
    settled: Notify,
    log: SessionLog,
    recorder: Recorder,
}

/// Who is connected to a session that was created over HTTP.
#[derive(Debug, Default)]
struct Link {
    attached: bool,
    /// Close when the socket leaves.
    closing: bool,
    /// Nobody may attach or call any more.
    ended: bool,
}

impl Session {
    pub(crate) fn new(
        sessions: &Arc<Sessions>,
        id: SessionId,
        origin: Origin,
        peer: Option<SocketAddr>,
        log: SessionLog,
        environment: Box<dyn AnyEnvironment>,
        slot: Slot,
    ) -> Self {
        let episodes = sessions.episodes.as_ref();
        let recorder = episodes
            .filter(|_| origin != Origin::Request)
            .map(|episodes| Recorder::new(episodes, id, origin, &sessions.name, log.clone()));
        Self {
            id,
            log,
            recorder: recorder.unwrap_or_default(),
            origin,
            sessions: Arc::downgrade(sessions),
            lifecycle: Arc::clone(&sessions.lifecycle),
            tools: sessions.blueprint.tools(),
            mode: sessions.config.mode,
            peer,
            opened: Instant::now(),
            opened_at: SystemTime::now(),
            environment: tokio::sync::Mutex::new(Some(environment)),
            slot: Mutex::new(Some(slot)),
            link: Mutex::default(),
            last_activity: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            tool_calls: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            present: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            interrupt: Notify::new(),
            settled: Notify::new(),
        }
    }

    /// Whether the environment can serve no further call.
    pub(crate) fn is_over(&self) -> bool {
        self.over.load(Ordering::Relaxed)
    }

    /// Claims the session for one socket.
    pub(crate) fn attach(&self) -> Result<()> {
        let mut link = self.link();
        if self.is_connected(&link) {
            let message = format!("Session {} already has an attached WebSocket", self.id);
            return Err(Error::of(Kind::Session, message));
        }
        if link.ended {
            return Err(unknown(&self.id.to_string()));
        }
        link.attached = true;
        drop(link);
        self.settled.notify_waiters();
        self.touch();
        Ok(())
    }

    /// Gives the session up; answers why it has to be closed now, if it has to.
    pub(crate) fn detach(&self) -> Option<CloseReason> {
        self.touch();
        let mut link = self.link();
        link.attached = false;
        let reason = if link.closing {
            CloseReason::Requested
        } else if self.is_over() {
            CloseReason::Failed
        } else if self.lifecycle.stopping.is_cancelled() {
            CloseReason::Shutdown
        } else {
            return None;
        };
        link.ended = true;
        Some(reason)
    }

    /// Closes the session now, or when its socket leaves: answers whether it is closed.
    pub(crate) async fn request_close(self: &Arc<Self>) -> bool {
        let connected = {
            let mut link = self.link();
            let connected = self.is_connected(&link);
            link.closing |= connected;
            link.ended |= !connected;
            connected
        };
        if !connected {
            // Nobody waits for the answer of a call that still runs.
            self.interrupt.notify_one();
            self.close(CloseReason::Requested).await;
        }
        !connected
    }

    /// Ends the session for good if nobody has used it for `limit` nor is using it now.
    pub(crate) fn end_if_abandoned(&self, limit: Duration) -> bool {
        let mut link = self.link();
        let abandoned = !self.is_connected(&link)
            && self.running.load(Ordering::Acquire) == 0
            && self.present.load(Ordering::Acquire) == 0
            && self.idle() >= limit;
        link.ended |= abandoned;
        abandoned
    }

    /// Ends a session whose socket left, unless another one comes in time. Who waits
    /// for a slot meanwhile is not refused.
    pub(crate) fn end_unless_attached(self: &Arc<Self>, patience: Duration) {
        let session = Arc::clone(self);
        let Ok(runtime) = tokio::runtime::Handle::try_current() else {
            return;
        };
        let leaving = self.leaving();
        let end = async move {
            // A call that its client left behind may go on for longer.
            while session.awaits_socket() {
                tokio::select! {
                    () = session.lifecycle.stopping.cancelled() => break,
                    () = session.settled.notified() => break,
                    () = tokio::time::sleep(patience) => {}
                }
                if session.end_if_abandoned(patience) {
                    session.close(CloseReason::Disconnected).await;
                    break;
                }
            }
            drop(leaving);
        };
        self.lifecycle.tasks.spawn_on(end, &runtime);
    }

    /// Whether a socket may still come.
    fn awaits_socket(&self) -> bool {
        let link = self.link();
        !link.ended && !self.is_connected(&link)
    }

    /// Lets others wait for the slot.
    fn leaving(&self) -> Option<Leaving> {
        let slot = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        slot.as_ref().map(Slot::leaving)
    }

    fn idle(&self) -> Duration {
        let last = Duration::from_millis(self.last_activity.load(Ordering::Relaxed));
        self.opened.elapsed().saturating_sub(last)
    }

    pub(crate) fn touch(&self) {
        let now = u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX);
        self.last_activity.store(now, Ordering::Relaxed);
    }

    /// Closes the environment and frees the slot, once; returns when both are done.
    pub(crate) async fn close(self: &Arc<Self>, reason: CloseReason) {
        self.forget();
        let environment = self.environment.lock().await.take();
        self.recorder.end();
        self.settled.notify_waiters();
        if let Some(environment) = environment
            && let Some(closing) = self.close_in_background(environment, reason)
        {
            let _ = closing.await;
        }
    }

    /// Closes a session whose environment can serve no further call, unless a
    /// socket is there to do so.
    pub(crate) fn close_if_over(self: &Arc<Self>, reason: CloseReason) {
        if self.is_over() && !self.is_connected(&self.link()) {
            let session = Arc::clone(self);
            let close = async move { session.close(reason).await };
            self.lifecycle.tasks.spawn(close);
        }
    }

    /// Takes the session out of the registry: nobody can find it any more.
    pub(crate) fn forget(&self) {
        if let Some(sessions) = self.sessions.upgrade() {
            sessions.forget(&self.id);
        }
    }

    /// Closes the environment on a task of its own, so that it is closed even
    /// if whoever asked for it goes away.
    fn close_in_background(
        &self,
        environment: Box<dyn AnyEnvironment>,
        reason: CloseReason,
    ) -> Option<tokio::task::JoinHandle<()>> {
        let slot = self
            .slot
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take();
        self.log_close(reason);
        // An environment that cannot share the process keeps its slot until it
        // is closed (or takes too long for that); any other makes room at once.
        let slot = if self.lifecycle.concurrent {
            drop(slot);
            None
        } else {
            slot.map(Slot::closing)
        };
        let (id, limit) = (self.id, self.lifecycle.close_timeout);
        let runtime = tokio::runtime::Handle::try_current().ok()?;
        let close = async move {
            let close = AssertUnwindSafe(async move { environment.close().await }).catch_unwind();
            match tokio::time::timeout(limit, close).await {
                Ok(Ok(())) => {}
                Ok(Err(panic)) => {
                    tracing::error!(session = %id, error = %panicked(&*panic), "close failed");
                }
                Err(_) => {
                    tracing::warn!(session = %id, ?limit, "gave up waiting for the environment to close");
                }
            }
            drop(slot);
        };
        Some(self.lifecycle.tasks.spawn_on(close, &runtime))
    }

    fn log_close(&self, reason: CloseReason) {
        let steps = self.steps.load(Ordering::Relaxed);
        let tool_calls = self.tool_calls.load(Ordering::Relaxed);
        let seconds = self.opened.elapsed().as_secs_f64();
        if self.origin == Origin::Request {
            tracing::debug!(session = %self.id, "request served");
        } else {
            let environment = &*self.lifecycle.environment;
            let reason = reason.to_string();
            tracing::info!(session = %self.id, environment, reason, steps, tool_calls, seconds, "session closed");
        }
    }

    pub(crate) fn info(&self) -> SessionInfo {
        SessionInfo {
            id: self.id,
            environment: self.lifecycle.environment.clone(),
            origin: self.origin,
            attached: self.is_connected(&self.link()),
            peer: self.peer,
            opened_at: self.opened_at,
            idle: self.idle(),
            running: self.running.load(Ordering::Relaxed) > 0,
            steps: self.steps.load(Ordering::Relaxed),
            tool_calls: self.tool_calls.load(Ordering::Relaxed),
        }
    }

    /// What happens in it now, if that is kept.
    #[cfg(feature = "web")]
    pub(crate) fn episode(&self) -> Option<Arc<Episode>> {
        self.recorder.place().map(|(episode, _)| episode)
    }

    /// Whether a socket drives the session: its owner, for as long as it lives,
    /// or one that attached to it.
    fn is_connected(&self, link: &Link) -> bool {
        self.origin == Origin::WebSocket || link.attached
    }

    fn link(&self) -> std::sync::MutexGuard<'_, Link> {
        self.link.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(environment) = self.environment.get_mut().take() {
            let _ = self.close_in_background(environment, CloseReason::Abandoned);
        }
    }
}

/// A client that waits for an answer, or for whatever else may come: while it
/// does, the session is not idle.
#[cfg(feature = "mcp")]
pub(crate) struct Presence(Arc<Session>);

#[cfg(feature = "mcp")]
impl Session {
    pub(crate) fn presence(self: Arc<Self>) -> Presence {
        self.present.fetch_add(1, Ordering::AcqRel);
        Presence(self)
    }

    /// Waits for the running call, and then for those who are present to take
    /// the answer and leave, but for that no longer than `patience`.
    pub(crate) async fn until_nobody_is_present(&self, patience: Duration) {
        let until_zero = async |counter: &AtomicUsize| {
            while counter.load(Ordering::Acquire) > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let aborting = &self.lifecycle.aborting;
        aborting
            .run_until_cancelled(until_zero(&self.running))
            .await;
        let _ = tokio::time::timeout(patience, until_zero(&self.present)).await;
    }
}

#[cfg(feature = "mcp")]
impl Drop for Presence {
    fn drop(&mut self) {
        self.0.touch();
        self.0.present.fetch_sub(1, Ordering::AcqRel);
    }
}

pub(crate) fn unknown(id: &str) -> Error {
    Error::of(Kind::Session, format!("Unknown session_id: {id}"))
}

fn gone(session: &Session) -> Error {
    Error::of(Kind::Session, format!("session {} is closed", session.id))
}
