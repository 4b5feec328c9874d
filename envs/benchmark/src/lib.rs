//! Benchmark: waits, computes and answers as much as it is asked to.
//!
//! Each session does exactly what its action says, so a load test decides what
//! it measures: how many sessions a server holds (`wait_seconds`), what a busy
//! environment costs (`work_micros`), what large observations cost
//! (`payload_bytes`). The fields are the union of the two benchmark
//! environments that existing load tools know; all have defaults.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::process;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use openenv::{Environment, Metadata, ResetOptions, Result, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Longest wait of one step, in seconds: an hour.
pub const MAX_WAIT_SECONDS: f64 = 3600.0;
/// Longest computation of one step, in microseconds: ten seconds.
pub const MAX_WORK_MICROS: u64 = 10_000_000;
/// Largest payload of one step, in bytes: 16 MiB.
pub const MAX_PAYLOAD_BYTES: usize = 16 * 1024 * 1024;

/// What a step shall cost.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchmarkAction {
    /// Seconds to wait; a negative number waits as long as 0 does
    #[serde(default)]
    #[schemars(range(max = MAX_WAIT_SECONDS))]
    pub wait_seconds: f64,
    /// Microseconds to keep a processor busy, after the wait
    #[serde(default)]
    #[schemars(range(max = MAX_WORK_MICROS))]
    pub work_micros: u64,
    /// Size of the payload to answer with
    #[serde(default)]
    #[schemars(range(max = MAX_PAYLOAD_BYTES))]
    pub payload_bytes: usize,
}

/// What a step did, and where.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct BenchmarkObservation {
    /// Host name and port of the server, or `unknown`
    pub host_url: String,
    /// Process that answered
    pub pid: u32,
    /// 16 hexadecimal digits, different in every session
    pub session_hash: String,
    /// Seconds waited, as asked for; never negative
    pub waited_seconds: f64,
    /// Steps since the last reset
    pub step_count: u64,
    /// Time of the answer, in seconds since 1970
    pub timestamp: f64,
    /// As many `x` as asked for
    pub payload: String,
}

/// Waits, computes and answers as its action says.
#[derive(Debug)]
pub struct Benchmark {
    host_url: Arc<str>,
    session_hash: String,
    step_count: u64,
}

impl Default for Benchmark {
    fn default() -> Self {
        Self::on("unknown")
    }
}

impl Benchmark {
    /// A session on the host of the name `host_url`, by which a load test
    /// tells servers apart. Default: `unknown`.
    pub fn on(host_url: impl Into<Arc<str>>) -> Self {
        Self {
            host_url: host_url.into(),
            session_hash: session_hash(),
            step_count: 0,
        }
    }

    fn observe(&self) -> BenchmarkObservation {
        BenchmarkObservation {
            host_url: self.host_url.to_string(),
            pid: process::id(),
            session_hash: self.session_hash.clone(),
            step_count: self.step_count,
            timestamp: SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0.0, |elapsed| elapsed.as_secs_f64()),
            ..BenchmarkObservation::default()
        }
    }
}

impl Environment for Benchmark {
    type Action = BenchmarkAction;
    type Observation = BenchmarkObservation;
    type ResetObservation = BenchmarkObservation;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<BenchmarkObservation>> {
        self.step_count = 0;
        Ok(Step::new(self.observe()).reward(0.0))
    }

    async fn step(
        &mut self,
        action: BenchmarkAction,
        _: StepOptions,
    ) -> Result<Step<BenchmarkObservation>> {
        self.step_count += 1;
        let wait = effective_wait(action.wait_seconds);
        if wait > 0.0 {
            // A timer, not a thread: a waiting session costs its memory alone.
            tokio::time::sleep(Duration::from_secs_f64(wait)).await;
        }
        spin(Duration::from_micros(
            action.work_micros.min(MAX_WORK_MICROS),
        ))
        .await;
        let observation = BenchmarkObservation {
            waited_seconds: wait,
            payload: "x".repeat(action.payload_bytes.min(MAX_PAYLOAD_BYTES)),
            ..self.observe()
        };
        Ok(Step::new(observation).reward(1.0 / (1.0 + wait)))
    }

    fn state(&self) {}

    fn metadata() -> Metadata {
        Metadata::new(
            "benchmark",
            "Waits, computes and answers as asked, to measure servers and clients",
        )
        .version(env!("CARGO_PKG_VERSION"))
    }
}

/// Seconds that a step waits: 0 for what is negative or no number.
fn effective_wait(seconds: f64) -> f64 {
    if seconds.is_finite() {
        seconds.clamp(0.0, MAX_WAIT_SECONDS)
    } else {
        0.0
    }
}

/// Keeps a processor busy, in slices that let other sessions have a turn.
async fn spin(duration: Duration) {
    const SLICE: Duration = Duration::from_micros(100);

    let start = Instant::now();
    while start.elapsed() < duration {
        let slice = Instant::now();
        while slice.elapsed() < SLICE && start.elapsed() < duration {
            std::hint::spin_loop();
        }
        tokio::task::yield_now().await;
    }
}

/// Sixteen hexadecimal digits that no other session has, here or elsewhere.
fn session_hash() -> String {
    // Its key is random, so that processes differ as well.
    static KEY: LazyLock<RandomState> = LazyLock::new(RandomState::new);
    static NEXT: AtomicU64 = AtomicU64::new(0);

    format!(
        "{:016x}",
        KEY.hash_one(NEXT.fetch_add(1, Ordering::Relaxed))
    )
}

#[cfg(test)]
mod tests;
