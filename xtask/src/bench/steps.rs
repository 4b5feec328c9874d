//! Closed loop: every session sends its next step as soon as it has the answer to the last.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use hdrhistogram::Histogram;
use tokio::{runtime, task::JoinSet, time::timeout};

use super::{
    Effort,
    client::{RESET, Request, Session},
    process,
    report::{Figure, Report, Target},
    subject::Subjects,
};
use crate::server::Server;

static STEP: LazyLock<Request> = LazyLock::new(|| {
    Request::new(r#"{"type":"step","data":{"message":"a message of usual length"}}"#)
});
const SESSIONS: [usize; 3] = [1, 32, 256];
/// How long after the end of a round its last replies may take.
const GRACE: Duration = Duration::from_mins(1);

/// One server with its sessions, and all it has done so far.
#[derive(Debug)]
struct Run {
    label: &'static str,
    server: Server,
    sessions: Vec<Session>,
    /// All tasks of a round share one thread, and so one histogram: one for each session would not fit into the cache.
    latencies: Arc<Mutex<Histogram<u64>>>,
    steps: u64,
    /// Steps per second of each round: how far to trust the whole.
    rates: Vec<f64>,
    wall: Duration,
    server_time: Duration,
    client_time: Duration,
}

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    // Two threads keep both processors of a small machine busy: with one, our server at 32 sessions
    // waits for the client.
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()?;
    let (rounds, duration) = match effort {
        Effort::Quick => (2, Duration::from_secs(1)),
        Effort::Full => (4, Duration::from_secs(3)),
    };
    for count in SESSIONS {
        let mut runs = subjects.try_map(|subject| {
            let server = subject.start("echo", 512)?;
            let sessions = runtime.block_on(open(server.address(), count))?;
            Ok(Run {
                label: subject.label(),
                server,
                sessions,
                latencies: Arc::new(Mutex::new(empty())),
                steps: 0,
                rates: Vec::new(),
                wall: Duration::ZERO,
                server_time: Duration::ZERO,
                client_time: Duration::ZERO,
            })
        })?;
        // In turn, so that a busy moment of the machine meets both.
        for _ in 0..rounds {
            for run in runs.iter_mut() {
                runtime.block_on(run.round(duration))?;
            }
        }

        let noun = if count == 1 { "session" } else { "sessions" };
        let rate = runs.map(Run::steps_per_second);
        let mut figure = Figure::new(&format!("steps, {count} {noun}"), "steps/s", rate);
        if count == 32 {
            figure = figure.target(Target::RatioAtLeast(20.0));
        }
        report.add(figure);
        let name = format!("latency p50, {count} {noun}");
        report.add(Figure::new(&name, "ms", runs.map(|run| run.quantile(0.5))));
        let name = format!("latency p99, {count} {noun}");
        let mut figure = Figure::new(&name, "ms", runs.map(|run| run.quantile(0.99)));
        if count == 256 {
            figure = figure.target(Target::RatioAtMost(1.0 / 10.0));
        }
        report.add(figure);
        let name = format!("server processor time, {count} {noun}");
        report.add(Figure::new(
            &name,
            "us/step",
            runs.map(|run| run.per_step(run.server_time)),
        ));
        for run in runs.iter_mut() {
            let (low, high) = run.slowest_and_fastest_round();
            report.note(format!(
                "{count} {noun}, {}: rounds from {low:.0} to {high:.0} steps/s, the client's own processor time is {:.1} us/step",
                run.label,
                run.per_step(run.client_time),
            ));
        }
    }
    Ok(())
}

impl Run {
    async fn round(&mut self, duration: Duration) -> Result<()> {
        let server = self.server.process_id();
        let client = std::process::id();
        let server_before = process::processor_time(server)?;
        let client_before = process::processor_time(client)?;
        let begin = Instant::now();
        let mut tasks = JoinSet::new();
        for session in self.sessions.drain(..) {
            let latencies = Arc::clone(&self.latencies);
            tasks.spawn(step_until(session, begin + duration, latencies));
        }
        let finished = timeout(duration + GRACE, tasks.join_all())
            .await
            .context("a step was not answered")?;
        let wall = begin.elapsed();
        self.server_time += process::processor_time(server)?.saturating_sub(server_before);
        self.client_time += process::processor_time(client)?.saturating_sub(client_before);
        for session in finished {
            self.sessions.push(session?);
        }
        let before = self.steps;
        self.steps = lock(&self.latencies).len();
        self.wall += wall;
        self.rates
            .push((self.steps - before) as f64 / wall.as_secs_f64());
        Ok(())
    }

    fn steps_per_second(&self) -> f64 {
        self.steps as f64 / self.wall.as_secs_f64()
    }

    /// In microseconds.
    fn per_step(&self, processor_time: Duration) -> f64 {
        processor_time.as_secs_f64() * 1e6 / self.steps as f64
    }

    fn slowest_and_fastest_round(&self) -> (f64, f64) {
        let low = self.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.rates.iter().copied().fold(0.0, f64::max);
        (low, high)
    }

    /// In milliseconds.
    fn quantile(&self, quantile: f64) -> f64 {
        lock(&self.latencies).value_at_quantile(quantile) as f64 / 1e6
    }
}

async fn open(server: SocketAddr, count: usize) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    for number in 0..count {
        let mut session = Session::connect(server, number).await?;
        session.ask(&RESET).await?;
        sessions.push(session);
    }
    Ok(sessions)
}

async fn step_until(
    mut session: Session,
    end: Instant,
    latencies: Arc<Mutex<Histogram<u64>>>,
) -> Result<Session> {
    let mut begin = Instant::now();
    while begin < end {
        session.ask(&STEP).await?;
        let now = Instant::now();
        lock(&latencies).saturating_record(nanoseconds(now - begin));
        begin = now;
    }
    Ok(session)
}

fn lock(latencies: &Mutex<Histogram<u64>>) -> std::sync::MutexGuard<'_, Histogram<u64>> {
    latencies.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Nanoseconds up to a minute, within one per cent.
fn empty() -> Histogram<u64> {
    Histogram::new_with_max(60_000_000_000, 2).expect("the bounds are valid")
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
