//! Closed loop: every caller makes its next call as soon as it has the answer to the last.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use hdrhistogram::Histogram;
use tokio::{runtime, task::JoinSet, time::timeout};

use super::{Effort, process, subject::Pair};
use crate::server::Server;

/// How long after the end of a round its last replies may take.
const GRACE: Duration = Duration::from_mins(1);

/// Somebody who makes the same call again and again.
pub(super) trait Caller: Send + 'static {
    fn call(&mut self) -> impl Future<Output = Result<()>> + Send;
}

/// One server with its callers, and all it has done so far.
#[derive(Debug)]
pub(super) struct Run<'a, C> {
    server: &'a Server,
    callers: Vec<C>,
    /// One for all: one for each caller would not fit into the cache.
    latencies: Arc<Mutex<Histogram<u64>>>,
    calls: u64,
    /// Calls per second of each round: how far to trust the whole.
    rates: Vec<f64>,
    wall: Duration,
    server_time: Duration,
    client_time: Duration,
}

/// Two threads keep both processors of a small machine busy: with one, our server at 32 sessions waits for the client.
pub(super) fn runtime() -> Result<runtime::Runtime> {
    Ok(runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?)
}

/// Runs both sides in turn, so that a busy moment of the machine meets both.
pub(super) fn alternate<C: Caller>(
    runs: &mut Pair<Run<'_, C>>,
    effort: Effort,
    runtime: &runtime::Runtime,
) -> Result<()> {
    let (rounds, duration) = match effort {
        Effort::Quick => (2, Duration::from_secs(1)),
        Effort::Full => (4, Duration::from_secs(3)),
    };
    for _ in 0..rounds {
        for run in runs.iter_mut() {
            runtime.block_on(run.round(duration))?;
        }
    }
    Ok(())
}

impl<'a, C: Caller> Run<'a, C> {
    pub(super) fn new(server: &'a Server, callers: Vec<C>) -> Self {
        Self {
            server,
            callers,
            latencies: Arc::new(Mutex::new(empty())),
            calls: 0,
            rates: Vec::new(),
            wall: Duration::ZERO,
            server_time: Duration::ZERO,
            client_time: Duration::ZERO,
        }
    }

    async fn round(&mut self, duration: Duration) -> Result<()> {
        let server = self.server.process_id();
        let client = std::process::id();
        let server_before = process::processor_time(server)?;
        let client_before = process::processor_time(client)?;
        let begin = Instant::now();
        let mut tasks = JoinSet::new();
        for caller in self.callers.drain(..) {
            let latencies = Arc::clone(&self.latencies);
            tasks.spawn(call_until(caller, begin + duration, latencies));
        }
        let finished = timeout(duration + GRACE, tasks.join_all())
            .await
            .context("a call was not answered")?;
        let wall = begin.elapsed();
        self.server_time += process::processor_time(server)?.saturating_sub(server_before);
        self.client_time += process::processor_time(client)?.saturating_sub(client_before);
        for caller in finished {
            self.callers.push(caller?);
        }
        let before = self.calls;
        self.calls = lock(&self.latencies).len();
        self.wall += wall;
        self.rates
            .push((self.calls - before) as f64 / wall.as_secs_f64());
        Ok(())
    }

    pub(super) fn calls_per_second(&self) -> f64 {
        self.calls as f64 / self.wall.as_secs_f64()
    }

    /// The server's processor time for a call, in microseconds.
    pub(super) fn server_time(&self) -> f64 {
        self.per_call(self.server_time)
    }

    /// In milliseconds.
    pub(super) fn quantile(&self, quantile: f64) -> f64 {
        lock(&self.latencies).value_at_quantile(quantile) as f64 / 1e6
    }

    fn per_call(&self, processor_time: Duration) -> f64 {
        processor_time.as_secs_f64() * 1e6 / self.calls as f64
    }

    fn slowest_and_fastest_round(&self) -> (f64, f64) {
        let low = self.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.rates.iter().copied().fold(0.0, f64::max);
        (low, high)
    }
}

/// How far to trust the figures of both sides, which count in `unit`.
pub(super) fn trust<C: Caller>(runs: &Pair<Run<'_, C>>, what: &str, unit: &str) -> Vec<String> {
    runs.labelled()
        .map(|(label, run)| {
            let (low, high) = run.slowest_and_fastest_round();
            format!(
                "{what}, {label}: rounds from {low:.0} to {high:.0} {unit}s/s, the client's own processor time is {:.1} us/{unit}",
                run.per_call(run.client_time),
            )
        })
        .collect()
}

async fn call_until<C: Caller>(
    mut caller: C,
    end: Instant,
    latencies: Arc<Mutex<Histogram<u64>>>,
) -> Result<C> {
    let mut begin = Instant::now();
    while begin < end {
        caller.call().await?;
        let now = Instant::now();
        lock(&latencies).saturating_record(nanoseconds(now - begin));
        begin = now;
    }
    Ok(caller)
}

fn lock(latencies: &Mutex<Histogram<u64>>) -> MutexGuard<'_, Histogram<u64>> {
    latencies.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds up to a minute, within one per cent.
fn empty() -> Histogram<u64> {
    Histogram::new_with_max(60_000_000_000, 2).expect("the bounds are valid")
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
