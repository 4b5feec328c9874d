//! The workers of one package: how many there are, who goes where, and what happens
//! when one ends.

use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout};

use super::Options;
use super::nursery::Nursery;
use super::report::Traits;
use super::worker::Worker;
use crate::error::{Error, Kind, Result};

/// A worker that lasted less than this is as good as one that did not start.
const SHORT_LIFE: Duration = Duration::from_secs(10);

/// The longest pause before another worker is started after several failed.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Failures in a row after which sessions are refused rather than kept waiting.
const TOO_MANY_FAILURES: u32 = 3;

/// How long a worker beyond those that are always kept may have nothing to do.
const IDLE: Duration = Duration::from_secs(30);

/// How often memory is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// The workers of one package.
#[derive(Debug)]
pub(super) struct Pool {
    nursery: tokio::sync::Mutex<Arc<Nursery>>,
    pub(super) options: Options,
    /// Sessions that may share a worker.
    share: AtomicUsize,
    state: Mutex<State>,
    changed: Notify,
    last_number: AtomicU32,
}

#[derive(Debug, Default)]
struct State {
    workers: Vec<Arc<Worker>>,
    starting: usize,
    /// Sessions that wait for a worker.
    waiting: usize,
    failures: u32,
    last_failure: Option<String>,
}

impl Pool {
    /// Employs the workers that are always kept.
    ///
    /// Until it is known how the environment can be run, each session gets a worker.
    pub(super) fn new(nursery: Nursery, options: Options) -> Arc<Self> {
        let pool = Arc::new(Self {
            nursery: tokio::sync::Mutex::new(Arc::new(nursery)),
            options,
            share: AtomicUsize::new(1),
            state: Mutex::default(),
            changed: Notify::new(),
            last_number: AtomicU32::new(0),
        });
        pool.keep_up();
        if let Some(limit) = pool.options.memory_limit {
            tokio::spawn(watch_memory(Arc::downgrade(&pool), limit));
        }
        pool
    }

    /// Runs the environment as it can be run.
    pub(super) fn respect(&self, traits: Traits) {
        let share = if traits.concurrent && !traits.single_thread {
            self.options.sessions_per_worker.unwrap_or(usize::MAX)
        } else {
            1
        };
        self.share.store(share, Ordering::Relaxed);
    }

    /// Whether a session is alone in its worker.
    pub(super) fn isolates_sessions(&self) -> bool {
        self.share() == 1
    }

    fn share(&self) -> usize {
        self.share.load(Ordering::Relaxed)
    }

    /// Waits until as many workers are there as are always kept.
    ///
    /// # Errors
    /// If they cannot be started.
    pub(super) async fn warm_up(self: &Arc<Self>) -> Result<()> {
        loop {
            let changed = self.changed.notified();
            {
                let state = self.state();
                if state.workers.len() >= self.options.workers {
                    return Ok(());
                }
                if let Some(why) = state.last_failure.clone() {
                    return Err(Error::of(Kind::Configuration, why));
                }
            }
            changed.await;
        }
    }

    /// A place for a session in the worker with the fewest.
    ///
    /// # Errors
    /// If there is no worker and none can be started.
    pub(super) async fn place(self: &Arc<Self>) -> Result<Place> {
        let patience = self.options.start_timeout;
        let _waiting = Waiting::new(self);
        let placed = timeout(patience, async {
            loop {
                let changed = self.changed.notified();
                if let Some(place) = self.place_now()? {
                    return Ok(place);
                }
                self.keep_up();
                changed.await;
            }
        });
        placed.await.unwrap_or_else(|_| {
            Err(Error::of(
                Kind::Execution,
                format!("no worker was ready within {patience:?}"),
            ))
        })
    }

    fn place_now(self: &Arc<Self>) -> Result<Option<Place>> {
        let state = self.state();
        let worker = state
            .workers
            .iter()
            .filter(|worker| worker.is_hiring() && worker.load() < self.share())
            .min_by_key(|worker| worker.load());
        if let Some(worker) = worker {
            worker.load_more();
            return Ok(Some(Place {
                pool: Arc::downgrade(self),
                worker: Arc::clone(worker),
            }));
        }
        match &state.last_failure {
            Some(why) if state.failures >= TOO_MANY_FAILURES && state.workers.is_empty() => {
                Err(Error::new(why.clone()))
            }
            _ => Ok(None),
        }
    }

    /// Starts as many workers as are missing.
    fn keep_up(self: &Arc<Self>) {
        let mut state = self.state();
        loop {
            let free = state
                .workers
                .iter()
                .filter(|worker| worker.is_hiring() && worker.load() < self.share())
                .count();
            let there = state.workers.len() + state.starting;
            let missing = there < self.options.workers;
            // Who waits gets one of those that start; one more is on its way for the
            // next if each session has its own.
            let spare = usize::from(self.share() == 1);
            let wanted = state.waiting + spare > free + state.starting;
            if !missing && !wanted {
                return;
            }
            state.starting += 1;
            let pause = pause_after(state.failures);
            tokio::spawn(hire(Arc::downgrade(self), pause));
        }
    }

    /// Bytes of memory that the first worker has in use, if it can be told.
    pub(super) fn memory(&self) -> Option<u64> {
        self.state().workers.first()?.memory()
    }

    /// Starts a worker, and first of all what it is forked from if that has ended.
    async fn hire(&self) -> Result<Arc<Worker>> {
        let nursery = {
            let mut nursery = self.nursery.lock().await;
            if nursery.is_gone() {
                tracing::warn!(
                    "the process that workers are forked from ended; another is started"
                );
                *nursery = Arc::new(nursery.again().await?);
            }
            Arc::clone(&nursery)
        };
        let number = self.last_number.fetch_add(1, Ordering::Relaxed) + 1;
        nursery.hire(number, self.options.start_timeout).await
    }

    /// A worker that answers what is no session's business.
    ///
    /// # Errors
    /// If there is none and none can be started.
    pub(super) async fn anyone(self: &Arc<Self>) -> Result<Arc<Worker>> {
        let there = {
            let state = self.state();
            let workers = state.workers.iter().filter(|worker| worker.is_hiring());
            workers.min_by_key(|worker| worker.load()).cloned()
        };
        match there {
            Some(worker) => Ok(worker),
            None => Ok(Arc::clone(&self.place().await?.worker)),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Strikes a worker off that has ended.
    fn lose(self: &Arc<Self>, worker: &Arc<Worker>) {
        {
            let mut state = self.state();
            state.workers.retain(|other| !Arc::ptr_eq(other, worker));
            if worker.began.elapsed() < SHORT_LIFE && !worker.was_dismissed() {
                state.failures += 1;
            }
        }
        self.changed.notify_waiters();
        self.keep_up();
    }

    /// Lets a worker go that nobody has needed for a while.
    fn let_go_if_idle(&self, worker: &Arc<Worker>) {
        let state = self.state();
        let hiring = state.workers.iter().filter(|worker| worker.is_hiring());
        if worker.load() == 0 && hiring.count() > self.kept() {
            worker.dismiss();
        }
    }

    /// How many workers are kept although they have nothing to do: one more than
    /// asked for where each session has its own, for the next to find.
    fn kept(&self) -> usize {
        self.options.workers + usize::from(self.share() == 1)
    }
}

/// Doubles with each failure.
fn pause_after(failures: u32) -> Duration {
    match failures.checked_sub(1) {
        None => Duration::ZERO,
        Some(doublings) => {
            LONGEST_PAUSE.min(Duration::from_millis(100) * 2_u32.pow(doublings.min(12)))
        }
    }
}

/// Starts one worker and stays with it until it ends.
async fn hire(pool: Weak<Pool>, pause: Duration) {
    tokio::time::sleep(pause).await;
    let Some(there) = pool.upgrade() else {
        return;
    };
    let hired = there.hire().await;
    let worker = {
        let mut state = there.state();
        state.starting -= 1;
        match hired {
            Ok(worker) => {
                state.workers.push(Arc::clone(&worker));
                state.last_failure = None;
                Some(worker)
            }
            Err(error) => {
                state.failures += 1;
                let pause = pause_after(state.failures);
                tracing::error!(%error, ?pause, "a worker did not start");
                state.last_failure = Some(error.to_string());
                None
            }
        }
    };
    there.changed.notify_waiters();
    let Some(worker) = worker else {
        there.keep_up();
        return;
    };
    drop(there);
    tokio::select! {
        () = worker.gone.cancelled() => {}
        () = tokio::time::sleep(SHORT_LIFE) => {
            if let Some(pool) = pool.upgrade() {
                pool.state().failures = 0;
            }
            worker.gone.cancelled().await;
        }
    }
    if let Some(pool) = pool.upgrade() {
        pool.lose(&worker);
    }
}

/// Ends workers that take more memory than they may.
async fn watch_memory(pool: Weak<Pool>, limit: u64) {
    const MIB: u64 = 1 << 20;
    let mut ticks = tokio::time::interval(LOOK);
    loop {
        ticks.tick().await;
        let Some(pool) = pool.upgrade() else {
            return;
        };
        let workers = pool.state().workers.clone();
        for worker in workers {
            match worker.memory() {
                Some(used) if used > limit => worker.kill(format!(
                    "worker {} was ended because it used {} MiB of memory, more than its limit of {} MiB",
                    worker.number,
                    used / MIB,
                    limit / MIB,
                )),
                _ => {}
            }
        }
    }
}

/// A session that waits for a worker, for as long as it does.
struct Waiting<'a>(&'a Pool);

impl<'a> Waiting<'a> {
    fn new(pool: &'a Pool) -> Self {
        pool.state().waiting += 1;
        Self(pool)
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        self.0.state().waiting -= 1;
    }
}

/// A session's place in a worker, given back on drop.
#[derive(Debug)]
pub(super) struct Place {
    pool: Weak<Pool>,
    pub(super) worker: Arc<Worker>,
}

impl Place {
    /// The same place, to be kept when this one is dropped.
    pub(super) fn hold_on(&self) -> Self {
        self.worker.load_more();
        Self {
            pool: Weak::clone(&self.pool),
            worker: Arc::clone(&self.worker),
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let left = self.worker.load_less();
        if let Some(pool) = self.pool.upgrade() {
            pool.changed.notify_waiters();
        }
        if left > 0 {
            return;
        }
        if self.worker.is_retired() {
            self.worker
                .kill(format!("worker {} had retired", self.worker.number));
            return;
        }
        let Some(pool) = self.pool.upgrade() else {
            return;
        };
        if pool.state().workers.len() <= pool.kept() {
            return;
        }
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (pool, worker) = (Weak::clone(&self.pool), Arc::clone(&self.worker));
            let since = Instant::now();
            runtime.spawn(async move {
                tokio::time::sleep_until(since + IDLE).await;
                if let Some(pool) = pool.upgrade() {
                    pool.let_go_if_idle(&worker);
                }
            });
        }
    }
}
