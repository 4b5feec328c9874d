//! `openenv serve`: environments over HTTP and WebSocket until a signal comes.

use std::path::Path;

use anyhow::{Context, Result};
use openenv_build::Profile;
use openenv_serve::LogConfig;
use tokio::runtime;

use crate::config::ServeConfig;
use crate::program::Program;
use crate::subject::Subject;
use crate::ui::progress::Startup;
use crate::{launch, service};

mod child;
mod reload;
mod watch;

pub(crate) fn run(config: &ServeConfig, log: &LogConfig) -> Result<()> {
    if config.reload {
        return reload::run(config, log);
    }
    if let [Subject::Crate(directory)] = config.environments.as_slice()
        && !config.server.health_check
    {
        return serve_crate(directory, config, log);
    }
    openenv_serve::run(&config.server, async || {
        let startup = Startup::new(config.server.banner);
        let options = config.python.options();
        let launched = launch::all(&config.environments, &options, &startup).await?;
        let services = launched.into_iter();
        Ok(services.map(|it| service::of(it, config)).collect())
    })
}

/// Becomes the program of a crate, which has the same options.
fn serve_crate(directory: &Path, config: &ServeConfig, log: &LogConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let program = runtime.block_on(Program::build(directory, profile(config)))?;
    drop(runtime);
    let mut command = program.command(log);
    command.envs(config.server.variables());
    if !config.server.banner {
        command.arg("--no-banner");
    }
    program.exec(command)
}

fn profile(config: &ServeConfig) -> Profile {
    if config.release {
        Profile::Release
    } else {
        Profile::Dev
    }
}
