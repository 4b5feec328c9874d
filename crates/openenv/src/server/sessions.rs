//! The sessions of one environment: capacity, registry, idle rule, shutdown.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, Once, PoisonError, Weak};
use std::time::{Duration, Instant};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::env::blueprint::{Blueprint, Opening};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::config::Config;
use crate::server::episodes::Episodes;
use crate::server::info::{Capacity, CloseReason, Origin, SessionId, SessionInfo};
use crate::server::lifecycle::{Lifecycle, shutting_down};
#[cfg(feature = "mcp")]
use crate::server::mcp::Conversations;
use crate::server::session::{Session, unknown};
use crate::server::session_log::SessionLog;
use crate::tool::toolbox::Action;

/// Every session of one environment.
pub(crate) struct Sessions {
    /// Name under which the environment is served.
    pub(crate) name: String,
    pub(crate) blueprint: Box<dyn Blueprint>,
    pub(crate) config: Config,
    pub(crate) lifecycle: Arc<Lifecycle>,
    slots: Slots,
    /// For sessions that serve one HTTP request, which do not count as sessions.
    request_slots: Slots,
    /// For environments that are being made: the threads for that are shared.
    factories: Semaphore,
    registry: Mutex<HashMap<SessionId, Arc<Session>>>,
    /// What happened in them, if that is kept.
    pub(crate) episodes: Option<Arc<Episodes>>,
    #[cfg(feature = "mcp")]
    pub(crate) conversations: Conversations,
    reaper: Once,
    /// When a refusal was last logged.
    last_refusal: Mutex<Option<Instant>>,
}

impl Sessions {
    /// # Errors
    /// If the environment cannot be served to as many sessions as configured.
    pub(crate) fn new(
        name: String,
        blueprint: Box<dyn Blueprint>,
        config: Config,
    ) -> Result<Arc<Self>> {
        let room = blueprint.room();
        let maximum = match (config.max_sessions, room.asked) {
            (Some(0), _) => {
                return Err(Error::configuration("max sessions must be at least 1"));
            }
            (Some(wanted), _) if wanted > room.most => {
                return Err(Error::configuration(format!(
                    "environment `{name}` does not declare itself safe for concurrent sessions, \
                     so it cannot be served with max sessions {wanted}: set \
                     `const CONCURRENT: bool = true` on `{}` if its sessions share nothing, \
                     or serve it with max sessions 1",
                    blueprint.factory_name()
                )));
            }
            (Some(wanted), _) | (None, Some(wanted)) => wanted,
            (None, None) => config.default_sessions.clamp(1, room.most),
        };
        let concurrent = blueprint.concurrent();
        let lifecycle = Lifecycle::new(name.clone(), config.close_timeout, concurrent);
        #[cfg(feature = "mcp")]
        let conversations = Conversations::new(&config, &lifecycle);
        Ok(Arc::new(Self {
            name,
            blueprint,
            lifecycle: Arc::new(lifecycle),
            slots: Slots::new(maximum),
            // An environment that cannot share the process serves one request at a time.
            request_slots: Slots::new(if concurrent { config.max_requests } else { 1 }),
            factories: Semaphore::new(config.max_factories),
            episodes: config.kept().map(|keep| Arc::new(Episodes::new(keep))),
            config,
            registry: Mutex::default(),
            #[cfg(feature = "mcp")]
            conversations,
            reaper: Once::new(),
            last_refusal: Mutex::default(),
        }))
    }

    /// Opens a session that counts, waiting for a slot as long as configured.
    pub(crate) async fn open(
        self: &Arc<Self>,
        origin: Origin,
        peer: Option<SocketAddr>,
    ) -> Result<Arc<Session>> {
        let slot = tokio::select! {
            biased;
            () = self.lifecycle.stopping.cancelled() => return Err(shutting_down()),
            slot = self.slots.take(&self.config) => slot.inspect_err(|error| self.log_refusal(error))?,
        };
        let session = self.make(origin, peer, slot).await?;
        self.registry().insert(session.id, Arc::clone(&session));
        let peer = peer.map(tracing::field::display);
        tracing::info!(session = %session.id, environment = self.name, %origin, peer, "session opened");
        if self.lifecycle.stopping.is_cancelled() {
            // Shutdown may have looked at the registry a moment too early.
            session.close(CloseReason::Shutdown).await;
            return Err(shutting_down());
        }
        self.start_reaper();
        Ok(session)
    }

    /// One line a second is enough to see that clients are turned away.
    fn log_refusal(&self, error: &Error) {
        let mut last = self
            .last_refusal
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_none_or(|last| last.elapsed() >= Duration::from_secs(1)) {
            *last = Some(Instant::now());
            tracing::warn!(environment = self.name, %error, "session refused");
        }
    }

    /// Opens a session for one HTTP request: outside of the capacity, known to nobody.
    pub(crate) async fn open_for_request(self: &Arc<Self>) -> Result<Arc<Session>> {
        let slot = self.request_slots.wait().await;
        self.make(Origin::Request, None, slot).await
    }

    /// Makes an environment and the session around it.
    ///
    /// A task of its own does so: if the caller goes away meanwhile, the session
    /// is dropped when it is ready, which closes the environment, and only then
    /// is its slot free.
    async fn make(
        self: &Arc<Self>,
        origin: Origin,
        peer: Option<SocketAddr>,
        slot: Slot,
    ) -> Result<Arc<Session>> {
        let sessions = Arc::clone(self);
        let making = self.lifecycle.tasks.spawn(async move {
            let _turn = sessions.factories.acquire().await;
            let id = SessionId::new();
            let log = SessionLog::kept(sessions.episodes.is_some() && origin != Origin::Request);
            let opening = Opening {
                session: id,
                mode: sessions.config.mode,
                log: log.clone(),
            };
            let environment = sessions.blueprint.open(opening).await?;
            let session = Session::new(&sessions, id, origin, peer, log, environment, slot);
            Ok(Arc::new(session))
        });
        making.await.unwrap_or_else(|_| Err(shutting_down()))
    }

    /// Whether the action would be accepted, without a session to act in.
    pub(crate) async fn check_action(&self, action: &Input<'_>) -> Result<()> {
        match self.blueprint.tools().action(action.clone())? {
            Action::Own(action) => self.blueprint.check_action(&action).await,
            Action::List | Action::Call { .. } => Ok(()),
        }
    }

    pub(crate) fn find(&self, id: &str) -> Result<Arc<Session>> {
        SessionId::parse(id)
            .and_then(|id| self.registry().get(&id).cloned())
            .ok_or_else(|| unknown(id))
    }

    /// Takes a session out of the registry: nobody can find it any more.
    pub(crate) fn forget(self: &Arc<Self>, id: &SessionId) {
        let forgotten = self.registry().remove(id);
        #[cfg(feature = "mcp")]
        if let Some(session) = &forgotten
            && session.origin == Origin::Mcp
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let (sessions, session) = (Arc::clone(self), Arc::clone(session));
            runtime.spawn(async move { sessions.conversations.end(&session).await });
        }
        // Dropped outside of the lock: it may be the last reference.
        drop(forgotten);
    }

    pub(crate) fn capacity(&self) -> Capacity {
        let free = self.slots.free.available_permits();
        Capacity {
            environment: self.name.clone(),
            active: self.slots.maximum - free,
            maximum: self.slots.maximum,
            free,
            waiting: self.slots.counters.waiting.load(Ordering::Relaxed),
        }
    }

    pub(crate) fn infos(&self) -> Vec<SessionInfo> {
        let sessions = self.snapshot();
        sessions.iter().map(|session| session.info()).collect()
    }

    /// Refuses new work, lets running calls end for a while, closes every environment.
    pub(crate) async fn shut_down(&self) {
        self.lifecycle.stopping.cancel();
        self.lifecycle.tasks.close();
        // Sessions with a socket are closed by the task of the socket.
        let detached = |session: &Arc<Session>| !session.info().attached;
        for session in self.snapshot().into_iter().filter(detached) {
            let close = async move { session.close(CloseReason::Shutdown).await };
            self.lifecycle.tasks.spawn(close);
        }
        if tokio::time::timeout(self.config.drain_timeout, self.lifecycle.tasks.wait())
            .await
            .is_err()
        {
            tracing::warn!(
                environment = self.name,
                "drain time is over, abandoning running calls"
            );
            self.lifecycle.aborting.cancel();
            let grace = self.config.close_timeout + Duration::from_secs(1);
            let _ = tokio::time::timeout(grace, self.lifecycle.tasks.wait()).await;
        }
    }

    pub(crate) fn snapshot(&self) -> Vec<Arc<Session>> {
        self.registry().values().cloned().collect()
    }

    fn registry(&self) -> std::sync::MutexGuard<'_, HashMap<SessionId, Arc<Session>>> {
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts the one task that ends sessions which nobody uses, with the first session.
    fn start_reaper(self: &Arc<Self>) {
        let Some(limit) = self.config.session_timeout else {
            return;
        };
        self.reaper.call_once(|| {
            tokio::spawn(reap(Arc::downgrade(self), limit));
        });
    }
}

async fn reap(sessions: Weak<Sessions>, limit: Duration) {
    let pause = (limit / 4).clamp(Duration::from_millis(10), Duration::from_secs(5));
    let mut ticks = tokio::time::interval(pause);
    loop {
        ticks.tick().await;
        let Some(sessions) = sessions.upgrade() else {
            return;
        };
        if sessions.lifecycle.stopping.is_cancelled() {
            return;
        }
        if let Some(episodes) = &sessions.episodes {
            episodes.forget_old();
        }
        for session in sessions.snapshot() {
            if session.end_if_abandoned(limit) {
                // Each on its own task: one slow close must not hold up the others.
                let close = async move { session.close(CloseReason::Idle).await };
                sessions.lifecycle.tasks.spawn(close);
            }
        }
    }
}

/// The capacity: a session holds a [`Slot`] and gives it back by dropping it.
struct Slots {
    free: Arc<Semaphore>,
    maximum: usize,
    counters: Arc<Counters>,
}

#[derive(Debug, Default)]
struct Counters {
    waiting: AtomicUsize,
    closing: AtomicUsize,
}

impl Slots {
    fn new(maximum: usize) -> Self {
        let maximum = maximum.min(Semaphore::MAX_PERMITS);
        Self {
            free: Arc::new(Semaphore::new(maximum)),
            maximum,
            counters: Arc::default(),
        }
    }

    /// A slot, as soon as there is one.
    async fn wait(&self) -> Slot {
        let permit = Arc::clone(&self.free).acquire_owned().await;
        self.slot(permit.expect("the semaphore is never closed"))
    }

    /// A slot, within the time that the configuration gives.
    async fn take(&self, config: &Config) -> Result<Slot> {
        // A slot whose environment is being closed is as good as free: a client
        // that reconnects must not be refused for coming back too soon. Looked
        // at first, so that a slot which becomes free meanwhile is found below.
        let closing = self.counters.closing.load(Ordering::Acquire) > 0;
        if let Ok(permit) = Arc::clone(&self.free).try_acquire_owned() {
            return Ok(self.slot(permit));
        }
        let patience = if closing {
            config.queue_timeout.max(config.close_timeout)
        } else {
            config.queue_timeout
        };
        if !patience.is_zero() {
            let _waiting = Counted::new(&self.counters, |counters| &counters.waiting);
            if let Ok(slot) = tokio::time::timeout(patience, self.wait()).await {
                return Ok(slot);
            }
        }
        let active = self.maximum - self.free.available_permits();
        let maximum = self.maximum;
        Err(Error::of(
            Kind::Capacity { active, maximum },
            format!(
                "Server at capacity: {active}/{maximum} sessions active. Cannot accept new connections."
            ),
        ))
    }

    fn slot(&self, permit: OwnedSemaphorePermit) -> Slot {
        Slot {
            permit,
            counters: Arc::clone(&self.counters),
        }
    }
}

/// The right to one session, given back on drop.
pub(crate) struct Slot {
    permit: OwnedSemaphorePermit,
    counters: Arc<Counters>,
}

impl Slot {
    /// Notes that the slot will be free soon, or is used on.
    pub(crate) fn leaving(&self) -> Leaving {
        Leaving(Counted::new(&self.counters, |counters| &counters.closing))
    }

    /// Notes that the slot will soon be free.
    pub(crate) fn closing(self) -> ClosingSlot {
        ClosingSlot {
            _closing: Counted::new(&self.counters, |counters| &counters.closing),
            _permit: self.permit,
        }
    }
}

/// A slot whose session ends unless its client comes back, for as long as that is open.
pub(crate) struct Leaving(#[expect(dead_code, reason = "counts while it lives")] Counted);

/// A slot whose environment is being closed.
pub(crate) struct ClosingSlot {
    // Dropped in this order: whoever finds nobody closing finds the permit.
    _permit: OwnedSemaphorePermit,
    _closing: Counted,
}

/// One more in a counter, for as long as it lives.
struct Counted {
    counters: Arc<Counters>,
    which: fn(&Counters) -> &AtomicUsize,
}

impl Counted {
    fn new(counters: &Arc<Counters>, which: fn(&Counters) -> &AtomicUsize) -> Self {
        which(counters).fetch_add(1, Ordering::AcqRel);
        Self {
            counters: Arc::clone(counters),
            which,
        }
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        (self.which)(&self.counters).fetch_sub(1, Ordering::AcqRel);
    }
}
