//! One thread of a measurement, with its share of the sessions.

use std::sync::{Arc, MutexGuard};
use std::time::{Duration, Instant};

use futures_util::{StreamExt, stream};
use tokio::sync::Barrier;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::plan::Plan;
use super::session::Session;
use super::tally::{Phase, SharedTally, Tally};
use crate::config::Load;

/// Sessions that are opened or closed at the same time, by all workers together.
/// More would measure how long they queue.
const AT_ONCE: usize = 64;

/// Drives its sessions on one thread; nothing moves between workers.
#[derive(Debug)]
pub(super) struct Worker {
    index: usize,
    plan: Arc<Plan>,
    tally: SharedTally,
    /// Where all workers wait until every session is open.
    gate: Arc<Barrier>,
    /// Ends the measurement for all workers.
    stop_all: CancellationToken,
    /// The same: a token of its own, so that workers do not meet at one lock.
    stop: CancellationToken,
}

impl Worker {
    pub(super) fn new(
        index: usize,
        plan: &Arc<Plan>,
        tally: SharedTally,
        gate: &Arc<Barrier>,
        stop: &CancellationToken,
    ) -> Self {
        Self {
            index,
            plan: Arc::clone(plan),
            tally,
            gate: Arc::clone(gate),
            stop: stop.child_token(),
            stop_all: stop.clone(),
        }
    }

    pub(super) async fn run(self) {
        let begin = Instant::now();
        let mut sessions = self.open(begin).await;
        self.gate.wait().await;

        self.enter(Phase::Running).opening = begin.elapsed();
        let begin = Instant::now();
        let processor_time = thread_processor_time();
        if !sessions.is_empty() {
            match self.plan.load {
                Load::ClosedLoop => sessions = self.step(sessions, begin).await,
                Load::Hold => self.hold(&mut sessions, begin).await,
            }
        }
        {
            let mut tally = self.enter(Phase::Closing);
            tally.processor_time = thread_processor_time()
                .zip(processor_time)
                .map(|(after, before)| after.saturating_sub(before));
        }
        // Whoever stopped it does not want to wait for steps that may take long;
        // dropping a session ends it as well.
        if !self.stop.is_cancelled() {
            stream::iter(sessions)
                .for_each_concurrent(self.at_once(), Session::close)
                .await;
        }
    }

    /// Opens the sessions; those that fail are counted, the rest is returned.
    async fn open(&self, begin: Instant) -> Vec<Session> {
        let opening = stream::iter(self.plan.share(self.index)).map(|number| async move {
            let delay = self.plan.delay(number);
            sleep(delay.saturating_sub(begin.elapsed())).await;
            Session::open(&self.plan, &self.tally, number)
                .await
                .inspect_err(|error| {
                    let mut tally = self.tally.lock();
                    tally.fail(error);
                    tally.unopened += 1;
                })
                .ok()
        });
        opening
            .buffer_unordered(self.at_once())
            .take_until(self.stop.cancelled())
            .filter_map(std::future::ready)
            .collect()
            .await
    }

    /// Lets every session step as fast as it can.
    async fn step(&self, sessions: Vec<Session>, begin: Instant) -> Vec<Session> {
        let end = begin + self.plan.duration;
        let mut tasks = JoinSet::new();
        for mut session in sessions {
            let stop_all = self.stop_all.clone();
            tasks.spawn(async move {
                session.step_until(end, &stop_all).await;
                session
            });
        }
        let mut sessions = Vec::new();
        let finish = async {
            while let Some(session) = tasks.join_next().await {
                sessions.extend(session);
            }
        };
        tokio::select! {
            () = finish => {}
            () = self.stop.cancelled() => {}
        }
        self.tally.lock().window = begin.elapsed();
        tasks.shutdown().await;
        sessions
    }

    /// Leaves every session alone, then asks each for a sign of life.
    async fn hold(&self, sessions: &mut [Session], begin: Instant) {
        tokio::select! {
            () = sleep(self.plan.duration) => {}
            () = self.stop.cancelled() => {}
        }
        self.tally.lock().window = begin.elapsed();
        stream::iter(sessions)
            .for_each_concurrent(self.at_once(), Session::step_once)
            .await;
    }

    fn at_once(&self) -> usize {
        AT_ONCE.div_ceil(self.plan.threads)
    }

    fn enter(&self, phase: Phase) -> MutexGuard<'_, Tally> {
        let mut tally = self.tally.lock();
        tally.phase = phase;
        tally
    }
}

/// Processor time of this thread so far, where the system tells.
#[cfg(unix)]
fn thread_processor_time() -> Option<Duration> {
    use rustix::time::{ClockId, clock_gettime};

    let time = clock_gettime(ClockId::ThreadCPUTime);
    let nanoseconds = u32::try_from(time.tv_nsec).ok()?;
    Some(Duration::new(u64::try_from(time.tv_sec).ok()?, nanoseconds))
}

#[cfg(not(unix))]
fn thread_processor_time() -> Option<Duration> {
    None
}
