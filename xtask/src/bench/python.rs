//! The same environment in Python under this server and under the reference.
//!
//! Ours runs it without the framework installed, as it does by default: a light stand-in takes its place.

use std::{
    net::SocketAddr,
    process::Command,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use anyhow::{Context as _, Result, bail};
use tokio::runtime::Runtime;

use super::{
    Effort,
    client::{RESET, Request, Session},
    closed_loop::{self, Caller, Run},
    process,
    report::{Figure, Report, Target},
    start::median,
    subject::{Pair, Subject, Subjects},
};
use crate::{
    server::Server,
    venv::{self, Setup, Venv},
    workspace,
};

const SESSIONS: [usize; 3] = [1, 32, 256];
/// Sessions that step as fast as they can beside a slow one.
const NEIGHBOURS: usize = 31;

/// A session and the step that it repeats.
#[derive(Debug)]
struct Stepper {
    session: Session,
    step: Arc<Request>,
}

impl Caller for Stepper {
    async fn call(&mut self) -> Result<()> {
        self.session.ask(&self.step).await
    }
}

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let python = match venv::STANDIN.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => bail!("no Python for the workers: {reason}"),
    };
    let runtime = closed_loop::runtime()?;
    start(subjects, &python, effort, report)?;
    for count in SESSIONS {
        steps(subjects, &python, count, effort, &runtime, report)?;
    }
    slow_neighbour(subjects, &python, effort, &runtime, report)
}

/// Starts the environment of `bench/reference/<name>_app.py` on either side.
fn serve(subject: &Subject, python: &Venv, name: &str) -> Result<Server> {
    if subject.label() == "reference" {
        return subject.start(name, 512);
    }
    let file = workspace::root().join(format!("bench/reference/{name}_app.py"));
    let mut command = Command::new(subject.program());
    command
        .arg("serve")
        .arg(file)
        .arg("--python")
        .arg(python.program("python"))
        .args(["--max-sessions", "512"]);
    Server::start(command, &format!("bench-ours-python-{name}"))
}

fn start(subjects: &Subjects, python: &Venv, effort: Effort, report: &mut Report) -> Result<()> {
    let runs = match effort {
        Effort::Quick => 1,
        Effort::Full => 5,
    };
    let samples = subjects.try_map(|subject| {
        // The first start of all compiles what is imported.
        drop(serve(subject, python, "echo")?);
        let mut milliseconds = Vec::new();
        let mut kib = Vec::new();
        for _ in 0..runs {
            let server = serve(subject, python, "echo")?;
            milliseconds.push(server.started_in().as_secs_f64() * 1e3);
            kib.push(process::proportional_kib(server.process_id())? as f64);
        }
        Ok((median(milliseconds), median(kib)))
    })?;
    let started = samples.map(|(milliseconds, _)| *milliseconds);
    report.add(Figure::new("python, start", "ms", started).target(Target::RatioAtMost(0.25)));
    let memory = samples.map(|(_, kib)| kib / 1024.0);
    report.add(Figure::new(
        "python, idle memory of all processes",
        "MiB",
        memory,
    ));
    Ok(())
}

fn steps(
    subjects: &Subjects,
    python: &Venv,
    count: usize,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    let step = r#"{"type":"step","data":{"message":"a message of usual length"}}"#;
    let servers = subjects.try_map(|subject| serve(subject, python, "echo"))?;
    let mut runs = servers.try_map(|server| {
        let sessions = runtime.block_on(open(server.address(), 0..count, step))?;
        Ok(Run::new(server, sessions))
    })?;
    closed_loop::alternate(&mut runs, effort, runtime)?;
    let noun = if count == 1 { "session" } else { "sessions" };
    let is_target = count > 1;
    let mut figure = Figure::new(
        &format!("python, steps, {count} {noun}"),
        "steps/s",
        runs.map(Run::calls_per_second),
    );
    if is_target {
        figure = figure.target(Target::RatioAtLeast(1.5));
    }
    report.add(figure);
    let median = runs.map(|run| run.quantile(0.5));
    let name = format!("python, latency p50, {count} {noun}");
    report.add(Figure::new(&name, "ms", median));
    let name = format!("python, latency p99, {count} {noun}");
    let mut figure = Figure::new(&name, "ms", runs.map(|run| run.quantile(0.99)));
    if is_target {
        figure = figure.target(Target::RatioAtMost(1.0 / 3.0));
    }
    report.add(figure);
    let memory = servers.try_map(|server| process::proportional_kib(server.process_id()))?;
    let name = format!("python, memory of all processes, {count} {noun}");
    let memory = memory.map(|kib| *kib as f64 / 1024.0);
    report.add(Figure::new(&name, "MiB", memory));
    for note in closed_loop::trust(&runs, &format!("python, {count} {noun}"), "step") {
        report.note(note);
    }
    Ok(())
}

/// Whether one session with steps of a second makes the others wait.
fn slow_neighbour(
    subjects: &Subjects,
    python: &Venv,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    let quick = r#"{"type":"step","data":{"wait_seconds":0}}"#;
    let mut alone_and_beside: Vec<Pair<f64>> = Vec::new();
    for is_slow in [false, true] {
        let servers = subjects.try_map(|subject| serve(subject, python, "benchmark"))?;
        let over = Arc::new(AtomicBool::new(false));
        let mut slow = Vec::new();
        let mut runs = servers.try_map(|server| {
            let sessions = runtime.block_on(open(server.address(), 0..NEIGHBOURS, quick))?;
            if is_slow {
                let (address, over) = (server.address(), Arc::clone(&over));
                slow.push(runtime.spawn(step_slowly(address, over)));
            }
            Ok(Run::new(server, sessions))
        })?;
        closed_loop::alternate(&mut runs, effort, runtime)?;
        over.store(true, Ordering::Relaxed);
        for stepping in slow {
            let steps = runtime.block_on(stepping)??;
            if steps == 0 {
                bail!("the slow session took no step");
            }
        }
        let p99 = runs.map(|run| run.quantile(0.99));
        let beside = if is_slow {
            "beside a slow session"
        } else {
            "alone"
        };
        let name = format!("python, p99 of {NEIGHBOURS} sessions, {beside}");
        report.add(Figure::new(&name, "ms", p99));
        alone_and_beside.push(p99);
    }
    let [alone, beside] = alone_and_beside.as_slice() else {
        bail!("two measurements were to be made");
    };
    let change = |of: fn(&Pair<f64>) -> Option<f64>| Some(of(beside)? / of(alone)?);
    let change = Pair {
        ours: change(|pair| pair.ours),
        reference: change(|pair| pair.reference),
    };
    let figure = Figure::new("python, what the slow session does to p99", "x", change);
    report.add(figure.target(Target::ValueAtMost(1.25)));
    Ok(())
}

/// Steps of a second, one after the other; how many there were.
async fn step_slowly(server: SocketAddr, over: Arc<AtomicBool>) -> Result<u32> {
    let step = Request::new(r#"{"type":"step","data":{"wait_seconds":1}}"#);
    let mut session = Session::connect(server, NEIGHBOURS).await?;
    session.ask(&RESET).await?;
    let mut steps = 0;
    while !over.load(Ordering::Relaxed) {
        session
            .ask(&step)
            .await
            .context("the slow session failed")?;
        steps += 1;
    }
    Ok(steps)
}

async fn open(
    server: SocketAddr,
    numbers: std::ops::Range<usize>,
    step: &str,
) -> Result<Vec<Stepper>> {
    let step = Arc::new(Request::new(step));
    let mut sessions = Vec::new();
    for number in numbers {
        let mut session = Session::connect(server, number).await?;
        session.ask(&RESET).await?;
        let step = Arc::clone(&step);
        sessions.push(Stepper { session, step });
    }
    Ok(sessions)
}
