//! `openenv inspect`: what an environment in Python is, and whether it can be served.

use std::collections::HashSet;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context, Result};
use openenv::python::{Interpreter, Project, Workers, choose};
use tokio::runtime;

use crate::config::InspectConfig;
use crate::launch;
use crate::ui;
use crate::ui::progress::Startup;

mod finding;
mod view;

use finding::Finding;

pub(crate) fn run(config: &InspectConfig) -> Result<ExitCode> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let project = launch::project(&config.place);
    let (project, interpreter, started) = match project {
        Ok(project) => {
            let (interpreter, started) = runtime.block_on(start(&project, config));
            (Some(project), interpreter, started)
        }
        Err(error) => (None, None, Err(error)),
    };
    let finding = Finding::new(project.as_ref(), interpreter, &started);
    // Its processes end here, whatever becomes of the output.
    let started = started.map(drop);
    drop(runtime);
    if config.json {
        ui::data(&serde_json::to_string_pretty(&finding)?)?;
    } else if project.is_some() {
        ui::data(&view::text(&finding))?;
    }
    Ok(match started {
        Ok(()) => match &finding.error {
            None => ExitCode::SUCCESS,
            Some(error) => {
                ui::complain(&error.message);
                ExitCode::FAILURE
            }
        },
        Err(error) => {
            ui::report(&error);
            ExitCode::FAILURE
        }
    })
}

/// Chooses a Python and imports the package with it, as far as that is possible.
async fn start(
    project: &Project,
    config: &InspectConfig,
) -> (Option<Interpreter>, Result<Workers>) {
    let startup = Startup::new(config.progress);
    let told = Mutex::new(HashSet::new());
    let progress = |line: &str| {
        // The choice is made twice: first for the case that the package cannot be imported.
        let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.insert(line.to_owned()) {
            startup.tell(line);
        }
    };
    let options = config.python.options();
    let chosen = match choose(project, &options.interpreter, &progress).await {
        Ok(chosen) => chosen,
        Err(error) => return (None, Err(error.into())),
    };
    let started = Workers::start(project, options, &progress).await;
    let interpreter = match &started {
        // Another one, if the package needs the real `openenv`.
        Ok(workers) if workers.interpreter().path != chosen.path => workers.interpreter().clone(),
        _ => chosen,
    };
    (Some(interpreter), started.map_err(Into::into))
}
