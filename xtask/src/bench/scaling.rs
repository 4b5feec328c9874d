//! The published scaling test: every session connects, resets, steps once with a wait of a second, and closes, on its own.
//!
//! Published for the reference: 2,048 sessions on 8 cores with 8 processes, and 16,384 on 96 cores behind a proxy with a p99
//! of 29.8 s. Here one process serves 16,384. What is added: no session closes before every session is open.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};
use hdrhistogram::Histogram;
use serde::Deserialize;
use tokio::{
    runtime,
    sync::{Semaphore, mpsc, watch},
    task::{JoinSet, spawn_blocking},
    time::timeout,
};

use super::{
    client::{RESET, Request, Session},
    process,
    report::{Figure, Report, Target},
    subject::{Pair, Subjects},
};
use crate::server::{self, Server};

const SESSIONS: usize = 16_384;
const WAIT: Duration = Duration::from_secs(1);
static STEP: LazyLock<Request> =
    LazyLock::new(|| Request::new(r#"{"type":"step","data":{"wait_seconds":1}}"#));
const CONNECTING_AT_ONCE: usize = 512;
/// Files that a process has open besides its sessions.
const OTHER_FILES: u64 = 256;
const OPEN_WITHIN: Duration = Duration::from_mins(1);
const STEP_WITHIN: Duration = Duration::from_mins(1);
const CLOSE_WITHIN: Duration = Duration::from_secs(30);
const SHOWN_ERRORS: usize = 3;
const STEP_TARGET: Target = Target::ValueAtMost(1.25);

/// When a session steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Start {
    /// As soon as it is open.
    Alone,
    /// At the instant at which all are open.
    Together,
}

/// What a session needs to take part.
#[derive(Clone, Debug)]
struct Course {
    server: SocketAddr,
    start: Start,
    permits: Arc<Semaphore>,
    /// Dropped when the session is open or has failed; nothing is ever sent.
    opening: mpsc::Sender<()>,
    all_open: watch::Receiver<bool>,
}

/// How long one session took for each phase.
#[derive(Debug)]
struct Times {
    connect: Duration,
    reset: Duration,
    step: Duration,
    close: Duration,
}

/// How all sessions fared.
#[derive(Debug)]
struct Outcome {
    times: Vec<Times>,
    errors: Vec<String>,
    opened_in: Duration,
    wall: Duration,
    peak: Peak,
}

/// The server while all sessions are open.
#[derive(Debug)]
struct Peak {
    sessions: usize,
    resident_kib: u64,
    threads: u64,
}

/// As much of `GET /capacity` as is of interest.
#[derive(Debug, Deserialize)]
struct Capacity {
    active: usize,
}

pub(super) fn measure(subjects: &Subjects, open_files: u64, report: &mut Report) -> Result<()> {
    let Some(ours) = &subjects.ours else {
        report.note("scaling: measures this server only, which was left out".to_owned());
        return Ok(());
    };
    let needed = SESSIONS as u64 + OTHER_FILES;
    ensure!(
        open_files >= needed,
        "{SESSIONS} sessions need {needed} open files, the limit is {open_files}"
    );
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;

    let server = ours.start("benchmark", SESSIONS + 16)?;
    let idle = process::resident_kib(server.process_id())?;
    let outcome = runtime.block_on(race(&server, Start::Alone))?;
    drop(server);
    report_alone(&outcome, idle, report);

    let server = ours.start("benchmark", SESSIONS + 16)?;
    let outcome = runtime.block_on(race(&server, Start::Together))?;
    report_burst(&outcome, report);
    Ok(())
}

fn report_alone(outcome: &Outcome, idle_kib: u64, report: &mut Report) {
    note_errors(outcome, "scaling", report);
    let successes = outcome.times.len();
    add(report, "scaling: successes", "sessions", successes as f64);
    let failures = single("scaling: failures", "sessions", outcome.errors.len() as f64);
    report.add(failures.target(Target::ValueAtMost(0.0)));
    let peak = &outcome.peak;
    add(
        report,
        "scaling: open at the same time",
        "sessions",
        peak.sessions as f64,
    );

    let steps = outcome.histogram(|times| times.step);
    let totals = outcome.histogram(|times| times.connect + times.reset + times.step);
    for (phase, histogram) in [("step", steps), ("total until closing", totals)] {
        for percentile in [50_u8, 90, 95, 99] {
            let value = seconds_at(&histogram, f64::from(percentile) / 100.0);
            let figure = single(&format!("scaling: {phase} p{percentile}"), "s", value);
            report.add(if percentile == 99 {
                figure.target(STEP_TARGET)
            } else {
                figure
            });
        }
    }
    let connects = outcome.histogram(|times| times.connect);
    let resets = outcome.histogram(|times| times.reset);
    let closes = outcome.histogram(|times| times.close);
    add(
        report,
        "scaling: connect p99",
        "s",
        seconds_at(&connects, 0.99),
    );
    add(report, "scaling: reset p99", "s", seconds_at(&resets, 0.99));
    add(report, "scaling: close p99", "s", seconds_at(&closes, 0.99));
    add(
        report,
        "scaling: all open after",
        "s",
        outcome.opened_in.as_secs_f64(),
    );
    let wall = outcome.wall.as_secs_f64();
    add(report, "scaling: all closed after", "s", wall);
    let waited = successes as f64 * WAIT.as_secs_f64();
    add(
        report,
        "scaling: effective concurrency",
        "sessions",
        waited / wall,
    );

    let memory = peak.resident_kib as f64 / 1024.0;
    add(report, "scaling: memory, all open", "MiB", memory);
    let per_session = peak.resident_kib.saturating_sub(idle_kib) as f64 / SESSIONS as f64;
    add(report, "scaling: memory per session", "KiB", per_session);
    add(report, "scaling: threads", "", peak.threads as f64);
}

/// The worst case: every step arrives, and every wait ends, at the same instant.
fn report_burst(outcome: &Outcome, report: &mut Report) {
    note_errors(outcome, "burst", report);
    let failures = outcome.errors.len() as f64;
    add(report, "burst: failures", "sessions", failures);
    let steps = outcome.histogram(|times| times.step);
    add(report, "burst: step p50", "s", seconds_at(&steps, 0.5));
    add(report, "burst: step p99", "s", seconds_at(&steps, 0.99));
}

fn note_errors(outcome: &Outcome, section: &str, report: &mut Report) {
    for error in outcome.errors.iter().take(SHOWN_ERRORS) {
        report.note(format!("{section}: {error}"));
    }
}

fn add(report: &mut Report, name: &str, unit: &'static str, value: f64) {
    report.add(single(name, unit, value));
}

fn single(name: &str, unit: &'static str, value: f64) -> Figure {
    let values = Pair {
        ours: Some(value),
        reference: None,
    };
    Figure::new(name, unit, values)
}

impl Outcome {
    fn histogram(&self, phase: impl Fn(&Times) -> Duration) -> Histogram<u64> {
        let mut histogram =
            Histogram::new_with_max(120_000_000, 3).expect("two minutes in microseconds are valid");
        for times in &self.times {
            let microseconds = u64::try_from(phase(times).as_micros()).unwrap_or(u64::MAX);
            histogram.saturating_record(microseconds);
        }
        histogram
    }
}

fn seconds_at(histogram: &Histogram<u64>, quantile: f64) -> f64 {
    histogram.value_at_quantile(quantile) as f64 / 1e6
}

async fn race(server: &Server, start: Start) -> Result<Outcome> {
    let (opening, mut all_opened) = mpsc::channel(1);
    let (tell_open, all_open) = watch::channel(false);
    let course = Course {
        server: server.address(),
        start,
        permits: Arc::new(Semaphore::new(CONNECTING_AT_ONCE)),
        opening,
        all_open,
    };
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..SESSIONS {
        tasks.spawn(take_part(course.clone(), number));
    }
    drop(course);

    all_opened.recv().await;
    let opened_in = begin.elapsed();
    let peak = Peak::of(server).await?;
    tell_open.send_replace(true);
    let finished = tasks.join_all().await;
    let wall = begin.elapsed();

    let mut times = Vec::with_capacity(SESSIONS);
    let mut errors = Vec::new();
    for result in finished {
        match result {
            Ok(one) => times.push(one),
            Err(error) => errors.push(format!("{error:#}")),
        }
    }
    Ok(Outcome {
        times,
        errors,
        opened_in,
        wall,
        peak,
    })
}

impl Peak {
    async fn of(server: &Server) -> Result<Self> {
        let address = server.address();
        let capacity = spawn_blocking(move || server::get(address, "/capacity")).await??;
        let capacity: Capacity = serde_json::from_str(&capacity)?;
        Ok(Self {
            sessions: capacity.active,
            resident_kib: process::resident_kib(server.process_id())?,
            threads: process::threads(server.process_id())?,
        })
    }
}

async fn take_part(course: Course, number: usize) -> Result<Times> {
    let Course {
        server,
        start,
        permits,
        opening,
        mut all_open,
    } = course;
    let permit = permits.acquire().await?;
    let begin = Instant::now();
    let (mut session, connect) = timeout(OPEN_WITHIN, async {
        let mut session = Session::connect(server, number).await?;
        let connect = begin.elapsed();
        session.ask(&RESET).await?;
        anyhow::Ok((session, connect))
    })
    .await
    .context("opening took too long")??;
    let reset = begin.elapsed().saturating_sub(connect);
    drop(permit);
    drop(opening);

    if start == Start::Together {
        hold_until(&mut session, &mut all_open).await?;
    }
    let begin = Instant::now();
    timeout(STEP_WITHIN, session.ask(&STEP))
        .await
        .context("the step took too long")??;
    let step = begin.elapsed();

    hold_until(&mut session, &mut all_open).await?;
    let begin = Instant::now();
    timeout(CLOSE_WITHIN, session.close())
        .await
        .context("closing took too long")??;
    Ok(Times {
        connect,
        reset,
        step,
        close: begin.elapsed(),
    })
}

/// Waits for the others. Reading keeps the answers to the server's pings going.
async fn hold_until(session: &mut Session, all_open: &mut watch::Receiver<bool>) -> Result<()> {
    tokio::select! {
        all_open = all_open.wait_for(|all_open| *all_open) => {
            all_open.context("the sessions were called off")?;
            Ok(())
        }
        () = session.hold() => bail!("the server closed while the session waited for the others"),
    }
}
