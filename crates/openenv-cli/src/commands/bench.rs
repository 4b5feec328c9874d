//! `openenv bench`: a server under load.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use openenv::Endpoint;
use serde_json::value::{RawValue, to_raw_value};
use tokio::runtime::{self, Runtime};
use tokio::sync::{Barrier, mpsc};
use tokio::time::{MissedTickBehavior, interval};
use tokio_util::sync::CancellationToken;

use crate::config::BenchConfig;
use crate::failure::Failure;
use crate::open_files;
use crate::schema::{self, ActionSchema};
use crate::target::{Opened, Target};
use crate::ui;
use crate::ui::progress::Progress;

mod monitor;
mod plan;
mod report;
mod session;
mod tally;
mod worker;

use monitor::Monitor;
use plan::Plan;
use report::Report;
use tally::{SharedTally, Tally};
use worker::Worker;

/// How often the progress is shown.
const TICK: Duration = Duration::from_millis(100);

pub(crate) fn run(config: &BenchConfig) -> Result<()> {
    open_files::raise_limit();
    let runtime = current_thread_runtime()?;
    let Opened {
        endpoint,
        local_server,
    } = Target::open(&config.endpoint)?;
    let action = match &config.action {
        Some(action) => action.clone(),
        None => runtime.block_on(simplest_action(&endpoint))?,
    };
    let plan = Plan::new(config, endpoint, action);
    let tally = runtime.block_on(measure(&plan, config.progress))?;
    if let Some(refusal) = &tally.refusal {
        return Err(Failure::new(
            format!("the server refuses the action: {refusal}"),
            "`openenv play` shows what an action looks like; give one that fits with `--action`",
        )
        .into());
    }
    let report = Report::new(&plan, &tally, local_server.is_some());
    if config.json {
        report.print_json()?;
    } else {
        report.print()?;
    }
    judge(config, &tally)
}

async fn simplest_action(endpoint: &Endpoint) -> Result<Box<RawValue>> {
    let schemas = endpoint.schemas().await.map_err(|error| {
        Failure::new(
            "could not find out what an action looks like",
            "check the URL and that the server runs; `--action` gives the action by hand",
        )
        .because(error.to_string())
    })?;
    let action = schema::simplest(&ActionSchema::new(schemas.action))?;
    Ok(to_raw_value(&action)?)
}

/// Runs every worker on a thread of its own until they are done.
async fn measure(plan: &Arc<Plan>, progress: bool) -> Result<Tally> {
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
    let mut signal = Box::pin(openenv::shutdown_signal());
    loop {
        tokio::select! {
            _ = done.recv() => break,
            () = &mut signal => {
                if stop.is_cancelled() {
                    monitor.clear();
                    return Err(anyhow!("stopped by a second signal, before the sessions were closed"));
                }
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
    Ok(tallies
        .iter()
        .map(SharedTally::take)
        .reduce(Tally::merged)
        .unwrap_or_default())
}

/// Whether there were more errors than allowed.
fn judge(config: &BenchConfig, tally: &Tally) -> Result<()> {
    let errors = tally.error_count();
    if !config.max_errors.is_exceeded(errors, tally.calls()) {
        return Ok(());
    }
    let (limit, calls) = (config.max_errors, tally.calls());
    let message = match tally.opened {
        0 => "no session could be opened".to_owned(),
        _ => format!("{errors} of {calls} calls failed: `--max-errors` is {limit}"),
    };
    let kinds: Vec<_> = tally
        .errors
        .iter()
        .map(|(code, errors)| {
            let times = ui::counted(errors.count, "time");
            format!("{code}, {times}: {}", errors.first)
        })
        .collect();
    let hint = if tally.errors.contains_key("CAPACITY_REACHED") {
        "the server has fewer places than `--sessions`; `openenv serve --max-sessions` gives more"
    } else if tally.opened == 0 {
        "check the URL and that the server runs"
    } else {
        "`--max-errors` says how many errors are allowed, as a number or as `1%`"
    };
    Err(Failure::new(message, hint).because(kinds.join("; ")).into())
}

fn current_thread_runtime() -> Result<Runtime> {
    runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")
}
