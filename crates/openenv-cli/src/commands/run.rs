//! `openenv run`: an image in a container until a signal comes.

use std::pin::pin;

use anyhow::{Context, Result};
use openenv::provider::Provider;
use tokio::runtime;

use crate::config::RunConfig;
use crate::ui;

pub(crate) fn run(config: &RunConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    runtime.block_on(serve(config))
}

async fn serve(config: &RunConfig) -> Result<()> {
    let mut docker = config.provider();
    let mut signal = pin!(openenv::shutdown_signal());
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
