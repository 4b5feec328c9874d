//! `openenv run`: an image in a container until a signal comes.

use std::future::pending;
use std::pin::pin;

use anyhow::{Context, Result};
use openenv::provider::Provider;
use tokio::runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::config::RunConfig;
use crate::ui;

pub(crate) fn run(config: &RunConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    runtime.block_on(serve(config))
}

/// Is ready when the terminal is closed, unless that is to be ignored (`nohup`).
async fn hangup() {
    /// The first of the signals, in the mask of those that are ignored.
    const HANGUP: u64 = 1;
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    if ignored.is_some_and(|mask| mask & HANGUP != 0) {
        return pending().await;
    }
    match signal(SignalKind::hangup()) {
        Ok(mut hangup) => drop(hangup.recv().await),
        Err(_) => pending().await,
    }
}

async fn serve(config: &RunConfig) -> Result<()> {
    let mut docker = config.provider();
    let mut signal = pin!(async {
        tokio::select! {
            () = openenv::shutdown_signal() => {}
            () = hangup() => {}
        }
    });
    // To drop the start removes what there is of it.
    let endpoint = tokio::select! {
        started = docker.start() => started?,
        () = &mut signal => return Ok(()),
    };
    ui::data(&endpoint.to_string())?;
    if config.banner {
        let name = docker.name().unwrap_or_default();
        ui::note(&format!(
            "{} is healthy at {endpoint} (container {name}); Ctrl-C stops and removes it",
            config.image
        ));
    }
    let ended = tokio::select! {
        error = docker.ended() => Err(error),
        () = &mut signal => Ok(()),
    };
    tokio::select! {
        stopped = docker.stop() => stopped?,
        // To drop the stop kills and removes it.
        () = openenv::shutdown_signal() => {}
    }
    Ok(ended?)
}
