//! The published scaling test: sessions that each wait one second, all at the same time.
//!
//! Published for the reference: 2,048 sessions on 8 cores with 8 processes, and 16,384 on 96 cores behind a proxy with a p99
//! of 29.8 s. Here one process serves 16,384.

use std::{
    net::SocketAddr,
    sync::{Arc, LazyLock},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use hdrhistogram::Histogram;
use tokio::{
    runtime::Runtime,
    sync::{Semaphore, mpsc, watch},
    task::JoinSet,
    time::timeout,
};

use super::{
    client::{RESET, Request, Session},
    process,
    report::{Figure, Report, Target},
    subject::{Pair, Subjects},
};
use crate::server::Server;

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

/// How one session fared.
#[derive(Debug)]
struct Times {
    connect: Duration,
    step: Duration,
}

/// What a session needs to take part.
#[derive(Clone, Debug)]
struct Course {
    server: SocketAddr,
    permits: Arc<Semaphore>,
    /// Dropped when the session is open or has failed; nothing is ever sent.
    ready: mpsc::Sender<()>,
    go: watch::Receiver<bool>,
}

pub(super) fn measure(
    subjects: &Subjects,
    open_files: u64,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    let Some(ours) = &subjects.ours else {
        report.note("scaling: measures this server only, which was left out".to_owned());
        return Ok(());
    };
    let needed = SESSIONS as u64 + OTHER_FILES;
    ensure!(
        open_files >= needed,
        "{SESSIONS} sessions need {needed} open files, the limit is {open_files}"
    );
    let server = ours.start("benchmark", SESSIONS + 16)?;
    runtime.block_on(race(&server, report))
}

async fn race(server: &Server, report: &mut Report) -> Result<()> {
    let (ready, mut all_ready) = mpsc::channel(1);
    let (start, go) = watch::channel(false);
    let course = Course {
        server: server.address(),
        permits: Arc::new(Semaphore::new(CONNECTING_AT_ONCE)),
        ready,
        go,
    };
    let idle = process::resident_kib(server.process_id())?;
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for number in 0..SESSIONS {
        tasks.spawn(take_part(course.clone(), number));
    }
    drop(course);

    all_ready.recv().await;
    let opened_in = begin.elapsed();
    let full = process::resident_kib(server.process_id())?;
    let threads = process::threads(server.process_id())?;
    let failed_to_open = reap_finished(&mut tasks, report);
    start.send_replace(true);
    let finished = tasks.join_all().await;
    let wall = begin.elapsed();

    let mut connects = empty();
    let mut steps = empty();
    let mut errors = Vec::new();
    for result in finished {
        match result {
            Ok(times) => {
                connects.saturating_record(milliseconds(times.connect));
                steps.saturating_record(milliseconds(times.step));
            }
            Err(error) => errors.push(format!("{error:#}")),
        }
    }
    let failures = failed_to_open + errors.len();
    for error in errors.iter().take(SHOWN_ERRORS) {
        report.note(format!("scaling: {error}"));
    }
    if failed_to_open > 0 {
        report.note(format!(
            "scaling: {failed_to_open} of {SESSIONS} sessions were not open when the others stepped"
        ));
    }

    let mut add = |name: &str, unit: &'static str, value: f64, target: Option<Target>| {
        let pair = Pair {
            ours: Some(value),
            reference: None,
        };
        let figure = Figure::new(&format!("scaling: {name}"), unit, pair);
        report.add(match target {
            Some(target) => figure.target(target),
            None => figure,
        });
    };
    add("successes", "sessions", (SESSIONS - failures) as f64, None);
    add(
        "failures",
        "sessions",
        failures as f64,
        Some(Target::ValueAtMost(0.0)),
    );
    add("step p50", "s", seconds_at(&steps, 0.5), None);
    add(
        "step p99",
        "s",
        seconds_at(&steps, 0.99),
        Some(Target::ValueAtMost(1.25)),
    );
    add("connect p99", "s", seconds_at(&connects, 0.99), None);
    add("all open after", "s", opened_in.as_secs_f64(), None);
    add("total", "s", wall.as_secs_f64(), None);
    let waited = SESSIONS as f64 * WAIT.as_secs_f64();
    add(
        "effective concurrency",
        "sessions",
        waited / wall.as_secs_f64(),
        None,
    );
    add("memory, all open", "MiB", full as f64 / 1024.0, None);
    let per_session = full.saturating_sub(idle) as f64 / SESSIONS as f64;
    add("memory per session", "KiB", per_session, None);
    add("threads", "", threads as f64, None);
    Ok(())
}

/// Sessions that ended before the start failed to open. Returns how many they were.
fn reap_finished(tasks: &mut JoinSet<Result<Times>>, report: &mut Report) -> usize {
    let mut failed = 0;
    while let Some(finished) = tasks.try_join_next() {
        failed += 1;
        if failed <= SHOWN_ERRORS {
            report.note(format!("scaling: {finished:?}"));
        }
    }
    failed
}

async fn take_part(course: Course, number: usize) -> Result<Times> {
    let Course {
        server,
        permits,
        ready,
        mut go,
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
    drop(permit);
    drop(ready);

    // Reading keeps the answers to the server's pings going.
    tokio::select! {
        started = go.wait_for(|started| *started) => { started.context("the start was called off")?; }
        () = session.hold() => anyhow::bail!("the server closed before the step"),
    }
    let begin = Instant::now();
    timeout(STEP_WITHIN, session.ask(&STEP))
        .await
        .context("the step took too long")??;
    let step = begin.elapsed();
    timeout(CLOSE_WITHIN, session.close())
        .await
        .context("closing took too long")??;
    Ok(Times { connect, step })
}

/// Milliseconds up to two minutes.
fn empty() -> Histogram<u64> {
    Histogram::new_with_max(120_000, 3).expect("the bounds are valid")
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn seconds_at(histogram: &Histogram<u64>, quantile: f64) -> f64 {
    histogram.value_at_quantile(quantile) as f64 / 1e3
}
