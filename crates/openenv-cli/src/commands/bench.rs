//! `openenv bench`: a server under load.

use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use indicatif::HumanCount;
use openenv::Endpoint;
use serde_json::value::{RawValue, to_raw_value};
use tokio::runtime::{self, Runtime};
use tokio::sync::{Barrier, mpsc};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::config::BenchConfig;
use crate::diagnosis;
use crate::open_files;
use crate::target::{Opened, Target};
use crate::ui;
use crate::ui::progress::Progress;

mod monitor;
mod plan;
mod report;
mod session;
mod tally;
mod verdict;
mod worker;

use monitor::Monitor;
use openenv_schema::{self as schema, ActionSchema};
use openenv_serve::Failure;
use plan::Plan;
use report::Report;
use tally::{SharedTally, Tally};
use worker::Worker;

/// How often the progress is shown.
const TICK: Duration = Duration::from_millis(100);

/// The exit code of what SIGINT ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// What came out of a measurement.
#[derive(Debug)]
struct Measured {
    tally: Tally,
    /// Whether somebody ended it early.
    interrupted: bool,
}

pub(crate) fn run(config: &BenchConfig) -> Result<ExitCode> {
    let open_files = open_files::raise_limit();
    let runtime = current_thread_runtime()?;
    let Opened {
        endpoint,
        local_server,
    } = Target::open(&config.endpoint)?;
    let in_process = local_server.is_some();
    warn_of_few_files(config, open_files, in_process);
    let action = match &config.action {
        Some(action) => action.clone(),
        None => runtime.block_on(simplest_action(&endpoint))?,
    };
    let plan = Plan::new(config, endpoint, action);
    let Some(measured) = runtime.block_on(measure(&plan, config.progress))? else {
        ui::note("interrupted again, before the sessions were closed");
        return Ok(ExitCode::from(INTERRUPTED));
    };
    if let Some(refusal) = &measured.tally.refusal {
        return Err(Failure::new(
            format!("the server refuses the action: {refusal}"),
            "`openenv play` shows what an action looks like; give one that fits with `--action`",
        )
        .into());
    }
    let report = Report::new(&plan, &measured, in_process);
    if config.json {
        report.print_json()?;
    } else if measured.tally.opened > 0 {
        report.print()?;
    }
    let verdict = verdict::judge(config, &measured);
    if !measured.interrupted {
        return verdict.map(|()| ExitCode::SUCCESS);
    }
    ui::note(&interruption(&plan, &measured.tally));
    if let Err(error) = verdict {
        ui::report(&error);
    }
    Ok(ExitCode::from(INTERRUPTED))
}

/// How far it was when it was interrupted.
fn interruption(plan: &Plan, tally: &Tally) -> String {
    if tally.opened + tally.unopened < plan.sessions {
        return format!(
            "interrupted after {:.1} s of opening, with {} of {} sessions open",
            tally.opening.as_secs_f64(),
            HumanCount(tally.opened as u64),
            HumanCount(plan.sessions as u64)
        );
    }
    let (measured, asked) = (tally.window.as_secs_f64(), plan.duration.as_secs_f64());
    format!("interrupted after {measured:.1} s of {asked} s")
}

/// Without enough of them, it is this side that fails, and looks like the server.
fn warn_of_few_files(config: &BenchConfig, open_files: Option<u64>, in_process: bool) {
    let ends = if in_process { 2 } else { 1 };
    let needed = open_files::needed(config.sessions * ends, config.threads);
    if let Some(limit) = open_files.filter(|limit| *limit < needed) {
        ui::warn(&format!(
            "this client may open {} files, but {} need about {}; raise its limit with `ulimit -n`",
            HumanCount(limit),
            ui::counted(config.sessions as u64, "session"),
            HumanCount(needed)
        ));
    }
}

async fn simplest_action(endpoint: &Endpoint) -> Result<Box<RawValue>> {
    let schemas = endpoint
        .schemas()
        .await
        .map_err(|error| diagnosis::fatal(endpoint, &error))?;
    let action = schema::simplest(&ActionSchema::new(schemas.action))
        .map_err(|error| Failure::new(error.to_string(), "pass an action with `--action`"))?;
    Ok(to_raw_value(&action)?)
}

/// Runs every worker on a thread of its own until they are done; nothing comes out
/// if a second signal does not let them.
async fn measure(plan: &Arc<Plan>, progress: bool) -> Result<Option<Measured>> {
    let stop = CancellationToken::new();
    let gate = Arc::new(Barrier::new(plan.threads));
    // Nothing is ever sent: it closes when the last worker is gone.
    let (running, mut done) = mpsc::channel::<()>(1);
    let mut tallies = Vec::new();
    let mut threads = Vec::new();
    // Before any worker runs: it would wait at the gate for one that cannot.
    let runtimes = (0..plan.threads)
        .map(|_| current_thread_runtime())
        .collect::<Result<Vec<_>>>()?;
    for (index, runtime) in runtimes.into_iter().enumerate() {
        let tally = SharedTally::default();
        tallies.push(tally.clone());
        let worker = Worker::new(index, plan, tally, &gate, &stop);
        let running = running.clone();
        let thread = thread::Builder::new()
            .name(format!("bench-{index}"))
            .spawn(move || {
                runtime.block_on(worker.run());
                drop(running);
            })
            .context("could not start a thread")?;
        threads.push(thread);
    }
    drop(running);

    let mut monitor = Monitor::new(plan, Progress::new(progress), &tallies);
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut interrupted = false;
    let mut signal = Box::pin(openenv::shutdown_signal());
    loop {
        tokio::select! {
            _ = done.recv() => break,
            () = &mut signal => {
                if interrupted {
                    monitor.clear();
                    return Ok(None);
                }
                interrupted = true;
                stop.cancel();
                signal = Box::pin(openenv::shutdown_signal());
            }
            _ = ticks.tick() => monitor.show(),
        }
    }
    monitor.clear();
    for thread in threads {
        thread
            .join()
            .map_err(|_| anyhow!("a thread that drives sessions panicked"))?;
    }
    let tally = tallies
        .iter()
        .map(SharedTally::take)
        .reduce(Tally::merged)
        .unwrap_or_default();
    Ok(Some(Measured { tally, interrupted }))
}

fn current_thread_runtime() -> Result<Runtime> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")
}
