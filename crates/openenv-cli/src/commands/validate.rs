//! `openenv validate`: checks a package, or a server that runs.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result};
use openenv_build::Profile;
use openenv_validate::{
    Launcher, Level, PackageError, PackageOptions, Policy, Server, Verdict, check_package,
    check_running,
};
use serde::Serialize;
use tokio::runtime;

use crate::config::ValidateConfig;
use crate::local_server::LocalServer;
use crate::program::Program;
use crate::subject::Subject;
use crate::ui;

mod launcher;
mod view;

use launcher::{InContainer, OnThisMachine};

/// What is no package.
const UNRECOGNIZED: u8 = 2;
/// What cannot be asked.
const REFUSED: u8 = 3;

/// What to check.
enum Target {
    Package(PathBuf),
    Url(String),
    /// A bundled environment.
    Bundled(Subject),
}

pub(crate) fn run(config: &ValidateConfig) -> Result<ExitCode> {
    let target = match target(config) {
        Ok(target) => target,
        Err(problem) => {
            ui::complain(&problem);
            return Ok(ExitCode::FAILURE);
        }
    };
    match target {
        Target::Url(url) => running(config, &url),
        Target::Bundled(subject) => {
            let server =
                LocalServer::start(&subject, &config.python, &Profile::Dev, config.progress)?;
            running(config, server.url())
        }
        Target::Package(root) => package(config, &root),
    }
}

fn target(config: &ValidateConfig) -> Result<Target, String> {
    let looks_like_url = |text: &str| {
        let text = text.trim().to_ascii_lowercase();
        text.starts_with("http://") || text.starts_with("https://")
    };
    let named = config.target.as_deref();
    let named_url = named.filter(|named| looks_like_url(named));
    let url = match (named, named_url, config.url.as_deref()) {
        (Some(_), None, Some(_)) => {
            return Err("a directory and `--url` are two things to check; name one".to_owned());
        }
        (_, Some(named), Some(url)) if named != url => {
            return Err("the target and `--url` are different servers; name one".to_owned());
        }
        (_, named, url) => url.or(named),
    };
    if let Some(url) = url {
        if config.local {
            return Err("`--local` is for packages: a server runs where it runs".to_owned());
        }
        return Ok(Target::Url(url.to_owned()));
    }
    let named = named.unwrap_or(".");
    if !Path::new(named).exists()
        && let Some(subject @ Subject::Bundled(_)) = Subject::recognize(named)
    {
        return Ok(Target::Bundled(subject));
    }
    Ok(Target::Package(named.into()))
}

fn running(config: &ValidateConfig, url: &str) -> Result<ExitCode> {
    let server = Server::new(url, config.timeout).and_then(|server| {
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
    let report = on_runtime(check_running(&server))?;
    let text = view::running(&report, begun.elapsed());
    if !print(config, &report, &text)? {
        return Ok(ExitCode::from(REFUSED));
    }
    Ok(if report.passed {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn package(config: &ValidateConfig, root: &Path) -> Result<ExitCode> {
    let level = match config.level.parse::<Level>() {
        Ok(level) => level,
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
    // Before anything is started for it.
    let writable = config.output.as_deref().is_none_or(|output| {
        let parent = output
            .parent()
            .filter(|parent| !parent.as_os_str().is_empty());
        parent.is_none_or(Path::is_dir)
    });
    if let Some(output) = config.output.as_deref().filter(|_| !writable) {
        let problem = format!(
            "could not write `{}`: its directory is not there",
            output.display()
        );
        return Ok(refused(&problem, REFUSED));
    }
    let on_this_machine = OnThisMachine {
        python: &config.python,
        progress: config.progress,
    };
    let in_container = config.image.as_deref().map(InContainer);
    let launcher: &dyn Launcher = match &in_container {
        Some(in_container) => in_container,
        None => &on_this_machine,
    };
    if let (Subject::Crate(directory), None) = (Subject::at(root), &in_container)
        && level > Level::Static
    {
        // What cargo writes is there before it is looked at. Why it failed is found out again.
        let _ = on_runtime(Program::build(&directory, Profile::Dev))?;
    }
    let mut options = PackageOptions::default();
    options.level = level;
    options.skip_build = config.skip_build;
    options.policy = policy;
    options.launcher = Some(launcher);
    let begun = Instant::now();
    let run = match on_runtime(check_package(root, &options))? {
        Ok(run) => run,
        Err(PackageError::Unrecognized(problem)) => return Ok(refused(&problem, UNRECOGNIZED)),
        Err(PackageError::Policy(problem)) => return Ok(refused(&problem, REFUSED)),
    };
    let report = run.report();
    if let Some(output) = &config.output {
        let beside = output.with_extension("artifacts");
        if let Err(error) = run.write_artifacts(&beside) {
            let problem = format!("could not write `{}`: {error}", beside.display());
            return Ok(refused(&problem, REFUSED));
        }
    }
    let text = view::package(report, begun.elapsed());
    if !print(config, report, &text)? {
        return Ok(ExitCode::from(REFUSED));
    }
    Ok(match report.verdict {
        Verdict::Fail => ExitCode::FAILURE,
        Verdict::Pass | Verdict::Warn => ExitCode::SUCCESS,
    })
}

/// Prints the report and writes it to its file; `false` if that cannot be written.
fn print(config: &ValidateConfig, report: &impl Serialize, text: &str) -> Result<bool> {
    let json = serde_json::to_string_pretty(report)?;
    if let Some(output) = &config.output
        && let Err(error) = fs::write(output, format!("{json}\n"))
    {
        ui::complain(&format!("could not write `{}`: {error}", output.display()));
        return Ok(false);
    }
    ui::data(if config.json { &json } else { text })?;
    Ok(true)
}

fn refused(problem: &str, code: u8) -> ExitCode {
    ui::complain(problem);
    ExitCode::from(code)
}

fn on_runtime<T>(work: impl Future<Output = T>) -> Result<T> {
    let runtime = runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    Ok(runtime.block_on(work))
}
