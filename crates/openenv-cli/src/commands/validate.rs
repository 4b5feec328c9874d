//! `openenv validate`: checks a package, or a server that runs.

use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use openenv_validate::{
    Launcher, Level, PackageError, PackageOptions, Policy, Server, Verdict, check_package,
    check_running,
};
use serde::Serialize;
use tokio::runtime;

use crate::config::ValidateConfig;
use crate::local_server::LocalServer;
use crate::ui;

mod launcher;
mod output;
mod target;
mod view;

use launcher::{InContainer, OnThisMachine};
use output::{Output, unwritable};
use target::Target;

/// What is no package.
const UNRECOGNIZED: u8 = 2;
/// What cannot be asked.
const REFUSED: u8 = 3;
/// The exit code of what SIGINT ended, as shells have it.
const INTERRUPTED: u8 = 130;

/// How long a server may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

pub(crate) fn run(config: &ValidateConfig) -> Result<ExitCode> {
    let target = match Target::of(config) {
        Ok(target) => target,
        Err(problem) => {
            ui::complain(&problem);
            return Ok(ExitCode::FAILURE);
        }
    };
    // Before anything is started.
    let output = match config.output.as_deref().map(Output::new).transpose() {
        Ok(output) => output,
        Err(problem) => return Ok(refused(&problem, REFUSED)),
    };
    match target {
        Target::Url(url) => running(config, &url, output.as_ref()),
        Target::Bundled(subject) => {
            let server = LocalServer::start_for_checks(&subject, &config.python, config.progress)?;
            running(config, server.url(), output.as_ref())
        }
        Target::Package(root) => package(config, &root, output.as_ref()),
    }
}

fn running(config: &ValidateConfig, url: &str, output: Option<&Output<'_>>) -> Result<ExitCode> {
    let patience = config.timeout.unwrap_or(PATIENCE);
    let server = Server::new(url, patience).and_then(|server| {
        let mut headers = config.headers.iter();
        headers.try_fold(server, |server, header| {
            server.header(&header.name, &header.value)
        })
    });
    let server = match server {
        Ok(server) => server,
        Err(problem) => {
            ui::complain(&problem.to_string());
            return Ok(ExitCode::FAILURE);
        }
    };
    let begun = Instant::now();
    let report = runtime()?.block_on(check_running(&server));
    let text = view::running(&report, begun.elapsed());
    if !print(config, &report, &text, output)? {
        return Ok(ExitCode::from(REFUSED));
    }
    Ok(if report.passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn package(config: &ValidateConfig, root: &Path, output: Option<&Output<'_>>) -> Result<ExitCode> {
    let level = match config.level.as_deref().map(str::parse::<Level>).transpose() {
        Ok(level) => level.unwrap_or(Level::Semantic),
        Err(problem) => return Ok(refused(&problem, REFUSED)),
    };
    let policy = match config
        .policy
        .as_deref()
        .map(str::parse::<Policy>)
        .transpose()
    {
        Ok(policy) => policy,
        Err(problem) => return Ok(refused(&problem, REFUSED)),
    };
    let on_this_machine = OnThisMachine::new(config);
    let in_container = config.image.as_deref().map(InContainer);
    let launcher: &dyn Launcher = match &in_container {
        Some(in_container) => in_container,
        None => &on_this_machine,
    };
    let mut options = PackageOptions::default();
    options.level = level;
    options.skip_build = config.skip_build;
    options.policy = policy;
    options.launcher = Some(launcher);
    let begun = Instant::now();
    let runtime = runtime()?;
    let mut checking = Box::pin(check_package(root, &options));
    let checked = if in_container.is_some() {
        // What runs on this machine ends with this process; a container does not.
        runtime.block_on(async {
            tokio::select! {
                checked = &mut checking => Some(checked),
                () = openenv::shutdown_signal() => None,
            }
        })
    } else {
        Some(runtime.block_on(&mut checking))
    };
    let run = match checked {
        Some(Ok(run)) => run,
        Some(Err(PackageError::Unrecognized(problem))) => {
            return Ok(refused(&problem, UNRECOGNIZED));
        }
        Some(Err(PackageError::Policy(problem))) => return Ok(refused(&problem, REFUSED)),
        None => {
            ui::note("interrupted: the container is removed");
            drop(checking);
            return Ok(ExitCode::from(INTERRUPTED));
        }
    };
    let report = run.report();
    let text = view::package(report, begun.elapsed());
    let mut written = print(config, report, &text, output)?;
    if let Some(output) = output
        && let Err(error) = run.write_artifacts(output.beside())
    {
        ui::complain(&unwritable(output.beside(), &error));
        written = false;
    }
    let ran_here = in_container.is_none() && report.levels_run.contains(&Level::Runtime);
    if report.verdict == Verdict::Fail && ran_here && LocalServer::is_silent() {
        ui::hint("`-v` shows what the environment logs meanwhile");
    }
    if !written {
        return Ok(ExitCode::from(REFUSED));
    }
    Ok(match report.verdict {
        Verdict::Fail => ExitCode::FAILURE,
        Verdict::Pass | Verdict::Warn => ExitCode::SUCCESS,
    })
}

/// Prints the report and writes it to its file; `false` if that cannot be written.
fn print(
    config: &ValidateConfig,
    report: &impl Serialize,
    text: &str,
    output: Option<&Output<'_>>,
) -> Result<bool> {
    let json = serde_json::to_string_pretty(report)?;
    let written = output.map_or(Ok(()), |output| output.write(&json));
    ui::data(if config.json { &json } else { text })?;
    Ok(match written {
        Ok(()) => true,
        Err(problem) => {
            ui::complain(&problem);
            false
        }
    })
}

fn refused(problem: &str, code: u8) -> ExitCode {
    ui::complain(problem);
    ExitCode::from(code)
}

fn runtime() -> Result<runtime::Runtime> {
    runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("could not start the runtime")
}
