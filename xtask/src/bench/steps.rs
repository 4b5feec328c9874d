//! Closed loop: every session sends its next step as soon as it has the answer to the last.

use std::{
    net::SocketAddr,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result};
use hdrhistogram::Histogram;
use tokio::{runtime::Runtime, task::JoinSet, time::timeout};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::{
    Effort,
    client::{Load, RESET, Session},
    process,
    report::{Figure, Report, Target},
    subject::Subjects,
};
use crate::server::Server;

const STEP: Utf8Bytes =
    Utf8Bytes::from_static(r#"{"type":"step","data":{"message":"a message of usual length"}}"#);
const SESSIONS: [usize; 3] = [1, 32, 256];
/// How long after the end of a round its last replies may take.
const GRACE: Duration = Duration::from_mins(1);

/// One server with its sessions, and all it has done so far.
#[derive(Debug)]
struct Run {
    label: &'static str,
    server: Server,
    sessions: Vec<Session>,
    latencies: Histogram<u64>,
    /// Steps per second of each round: how far to trust the whole.
    rates: Vec<f64>,
    wall: Duration,
    processor: Duration,
}

pub(super) fn measure(
    subjects: &Subjects,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
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
                latencies: empty(),
                rates: Vec::new(),
                wall: Duration::ZERO,
                processor: Duration::ZERO,
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
            runs.map(Run::processor_per_step),
        ));
        for run in runs.iter_mut() {
            let (low, high) = run.slowest_and_fastest_round();
            report.note(format!(
                "{count} {noun}, {}: rounds from {low:.0} to {high:.0} steps/s",
                run.label,
            ));
        }
    }
    Ok(())
}

impl Run {
    async fn round(&mut self, duration: Duration) -> Result<()> {
        let processor = process::processor_time(self.server.process_id())?;
        let begin = Instant::now();
        let mut tasks = JoinSet::new();
        for session in self.sessions.drain(..) {
            tasks.spawn(step_until(session, begin + duration));
        }
        let finished = timeout(duration + GRACE, tasks.join_all())
            .await
            .context("a step was not answered")?;
        let wall = begin.elapsed();
        let before = self.latencies.len();
        let spent = process::processor_time(self.server.process_id())?.saturating_sub(processor);
        self.processor += spent;
        for result in finished {
            let (session, latencies) = result?;
            self.latencies.add(latencies)?;
            self.sessions.push(session);
        }
        self.wall += wall;
        let steps = self.latencies.len() - before;
        self.rates.push(steps as f64 / wall.as_secs_f64());
        Ok(())
    }

    fn steps_per_second(&self) -> f64 {
        self.latencies.len() as f64 / self.wall.as_secs_f64()
    }

    fn processor_per_step(&self) -> f64 {
        self.processor.as_secs_f64() * 1e6 / self.latencies.len() as f64
    }

    fn slowest_and_fastest_round(&self) -> (f64, f64) {
        let low = self.rates.iter().copied().fold(f64::INFINITY, f64::min);
        let high = self.rates.iter().copied().fold(0.0, f64::max);
        (low, high)
    }

    /// In milliseconds.
    fn quantile(&self, quantile: f64) -> f64 {
        self.latencies.value_at_quantile(quantile) as f64 / 1e6
    }
}

async fn open(server: SocketAddr, count: usize) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    for number in 0..count {
        let mut session = Session::connect(server, number, Load::Busy).await?;
        session.ask(RESET).await?;
        sessions.push(session);
    }
    Ok(sessions)
}

async fn step_until(mut session: Session, end: Instant) -> Result<(Session, Histogram<u64>)> {
    let mut latencies = empty();
    let mut begin = Instant::now();
    while begin < end {
        session.ask(STEP).await?;
        let now = Instant::now();
        latencies.saturating_record(nanoseconds(now - begin));
        begin = now;
    }
    Ok((session, latencies))
}

/// Nanoseconds up to a minute, within one per cent.
fn empty() -> Histogram<u64> {
    Histogram::new_with_max(60_000_000_000, 2).expect("the bounds are valid")
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}
