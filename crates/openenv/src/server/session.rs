//! One session: one environment, its slot, and who is connected to it.

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime};

use futures_util::FutureExt;
use tokio::sync::{MappedMutexGuard, MutexGuard, Notify};

use crate::env::erased::{AnyEnvironment, BoxFuture, panicked};
use crate::env::{ResetOptions, StepOptions};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::at_once::at_once;
use crate::server::info::{CloseReason, Origin, SessionId, SessionInfo};
use crate::server::lifecycle::Lifecycle;
use crate::server::sessions::{Sessions, Slot};
use crate::wire::Form;

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
    peer: Option<SocketAddr>,
    opened: Instant,
    opened_at: SystemTime,
    environment: tokio::sync::Mutex<Option<Box<dyn AnyEnvironment>>>,
    slot: Mutex<Option<Slot>>,
    link: Mutex<Link>,
    /// Milliseconds from `opened` to the end of the last call.
    last_activity: AtomicU64,
    steps: AtomicU64,
    running: AtomicUsize,
    /// The environment panicked or cannot be interrupted: no call will be served.
    over: AtomicBool,
    /// Ends the running call.
    interrupt: Notify,
}

/// Who is connected to a session that was created over HTTP.
#[derive(Debug, Default)]
struct Link {
    attached: bool,
    /// Close when the socket leaves.
    closing: bool,
    /// Nobody may attach any more.
    ended: bool,
}

impl Session {
    pub(crate) fn new(
        sessions: &Arc<Sessions>,
        origin: Origin,
        peer: Option<SocketAddr>,
        environment: Box<dyn AnyEnvironment>,
        slot: Slot,
    ) -> Self {
        Self {
            id: SessionId::new(),
            origin,
            sessions: Arc::downgrade(sessions),
            lifecycle: Arc::clone(&sessions.lifecycle),
            peer,
            opened: Instant::now(),
            opened_at: SystemTime::now(),
            environment: tokio::sync::Mutex::new(Some(environment)),
            slot: Mutex::new(Some(slot)),
            link: Mutex::default(),
            last_activity: AtomicU64::new(0),
            steps: AtomicU64::new(0),
            running: AtomicUsize::new(0),
            over: AtomicBool::new(false),
            interrupt: Notify::new(),
        }
    }

    pub(crate) async fn reset(
        &self,
        options: ResetOptions,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut call = Call::begin(self).await?;
        let future = call.environment.reset(options, form, out);
        self.guard(future, None, "reset").await
    }

    pub(crate) async fn step(
        &self,
        action: Input<'_>,
        options: StepOptions,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut call = Call::begin(self).await?;
        self.steps.fetch_add(1, Ordering::Relaxed);
        let limit = match (call.environment.step_timeout(), options.timeout) {
            (Some(own), Some(asked)) => Some(own.min(asked)),
            (own, asked) => own.or(asked),
        };
        let interruptible = call.environment.interruptible();
        let future = call.environment.step(action, options, form, out);
        let result = self.guard(future, limit, "step").await;
        match result {
            Err(error) if error.is_timeout() && !interruptible => {
                self.over.store(true, Ordering::Relaxed);
                Err(Error::of(
                    Kind::Timeout,
                    format!("{error}; the session is over"),
                ))
            }
            result => result,
        }
    }

    pub(crate) async fn state(&self, out: &mut Vec<u8>) -> Result<()> {
        let mut call = Call::begin(self).await?;
        let future = call.environment.state(out);
        self.guard(future, None, "state").await
    }

    /// Runs a call so that neither a panic nor a lack of time gets past it.
    async fn guard(
        &self,
        future: BoxFuture<'_, Result<()>>,
        limit: Option<Duration>,
        what: &str,
    ) -> Result<()> {
        let mut future = AssertUnwindSafe(future).catch_unwind();
        let outcome = match at_once(&mut future).await {
            Some(outcome) => outcome,
            None => self.wait(future, limit, what).await?,
        };
        let result = outcome.unwrap_or_else(|panic| Err(panicked(&*panic)));
        if let Err(error) = &result
            && error.is_panic()
        {
            self.over.store(true, Ordering::Relaxed);
            tracing::error!(session = %self.id, %error, "the environment failed");
            let message = format!("{error}; the session is over");
            return Err(Error::of(Kind::Panic, message));
        }
        result
    }

    /// Waits for a call that is not done at once, unless it has to end before.
    async fn wait<F: Future>(
        &self,
        future: F,
        limit: Option<Duration>,
        what: &str,
    ) -> Result<F::Output> {
        let timed_out = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            output = future => Ok(output),
            () = self.interrupt.notified() => Err(gone(self)),
            () = timed_out => {
                let seconds = limit.unwrap_or_default().as_secs_f64();
                Err(Error::of(Kind::Timeout, format!("{what} timed out after {seconds} seconds")))
            }
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
            && self.idle() >= limit;
        link.ended |= abandoned;
        abandoned
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
        if let Some(environment) = environment
            && let Some(closing) = self.close_in_background(environment, reason)
        {
            let _ = closing.await;
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
        let seconds = self.opened.elapsed().as_secs_f64();
        if self.origin == Origin::Request {
            tracing::debug!(session = %self.id, "request served");
        } else {
            let environment = &*self.lifecycle.environment;
            let reason = reason.to_string();
            tracing::info!(session = %self.id, environment, reason, steps, seconds, "session closed");
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
        }
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

/// The right to use the environment, for the length of one call.
struct Call<'a> {
    session: &'a Session,
    environment: MappedMutexGuard<'a, Box<dyn AnyEnvironment>>,
}

impl<'a> Call<'a> {
    async fn begin(session: &'a Session) -> Result<Self> {
        let environment = session.environment.lock().await;
        if session.is_over() {
            return Err(gone(session));
        }
        let environment =
            MutexGuard::try_map(environment, Option::as_mut).map_err(|_| gone(session))?;
        session.running.fetch_add(1, Ordering::AcqRel);
        Ok(Self {
            session,
            environment,
        })
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.session.touch();
        self.session.running.fetch_sub(1, Ordering::AcqRel);
    }
}

pub(crate) fn unknown(id: &str) -> Error {
    Error::of(Kind::Session, format!("Unknown session_id: {id}"))
}

fn gone(session: &Session) -> Error {
    Error::of(Kind::Session, format!("session {} is closed", session.id))
}
