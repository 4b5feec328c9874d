//! `cargo xtask bench`: this server and the reference side by side on the same machine in the same run.
//!
//! It prints and records; it judges nothing. The exit code tells only whether everything could be run.

#![expect(
    clippy::cast_precision_loss,
    reason = "no count or size here comes near 2^52"
)]

mod authoring;
pub(crate) mod bare;
mod client;
mod clients;
mod closed_loop;
mod containers;
mod frame;
mod http;
mod process;
mod python;
mod report;
mod scaling;
mod sessions;
mod socket;
mod start;
mod steps;
mod subject;
mod tools;
mod web;

use std::{
    env,
    os::unix::process::CommandExt as _,
    path::PathBuf,
    process::{Command, ExitCode},
};

use anyhow::{Context as _, Result, bail};
use clap::ValueEnum;
use tokio::runtime::Runtime;

use crate::{
    venv::{REFERENCE, Setup},
    workspace::{self, Profile},
};
use report::Report;
use subject::{Subject, Subjects};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Shorter measurements, for a first impression
    #[arg(long)]
    quick: bool,
    /// Run this section only (may be repeated)
    #[arg(long, value_name = "NAME")]
    only: Vec<Section>,
    /// Leave the reference out
    #[arg(long)]
    skip_reference: bool,
    /// Leave this server out
    #[arg(long, conflicts_with = "skip_reference")]
    skip_ours: bool,
    /// Measure this program instead of building one
    #[arg(long, value_name = "PATH", conflicts_with = "skip_ours")]
    binary: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Section {
    /// Start to the first healthy answer, and memory then
    Start,
    /// Steps per second and latency at 1, 32 and 256 sessions
    Steps,
    /// Tool calls per second and latency at 1 and 32 sessions
    Tools,
    /// Memory per session at 1,000 and 10,000 open sessions
    Sessions,
    /// 16,384 open sessions that wait a second each
    Scaling,
    /// An environment in Python: start, steps, memory, and what a slow session does to others
    Python,
    /// A new project, and whether a running environment is in order
    Authoring,
    /// A new environment in a container: the size of its image, start to the first reset (needs Docker)
    Containers,
    /// The web page: bytes, requests, time until it can be used and for a step (needs Chromium)
    Web,
    /// The load tool next to a bare WebSocket loop, a pool next to single clients
    Clients,
}

/// How much to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effort {
    Quick,
    Full,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    // An unoptimised load client would measure itself.
    if cfg!(debug_assertions) {
        let error = workspace::cargo()
            .args(["run", "--quiet", "--release", "--package", "xtask", "--"])
            .args(env::args_os().skip(1))
            .exec();
        return Err(error).context("could not run the optimised `xtask`");
    }

    let open_files = rlimit::increase_nofile_limit(u64::MAX)
        .context("could not raise the limit of open files")?;
    let subjects = prepare(arguments)?;
    let effort = if arguments.quick {
        Effort::Quick
    } else {
        Effort::Full
    };
    let runtime = Runtime::new()?;
    let build = if arguments.binary.is_some() {
        "as given"
    } else {
        "`dist` profile"
    };
    let mut report = Report::new(effort == Effort::Quick, build);
    let mut complete = true;
    for section in Section::value_variants() {
        if !arguments.only.is_empty() && !arguments.only.contains(section) {
            continue;
        }
        eprintln!("measuring: {section:?}");
        let measured = match section {
            Section::Start => start::measure(&subjects, effort, &mut report),
            Section::Steps => steps::measure(&subjects, effort, &mut report),
            Section::Tools => tools::measure(&subjects, effort, &mut report),
            Section::Sessions => sessions::measure(&subjects, effort, &runtime, &mut report),
            Section::Scaling => scaling::measure(&subjects, open_files, &mut report),
            Section::Python => python::measure(&subjects, effort, &mut report),
            Section::Authoring => authoring::measure(&subjects, effort, &mut report),
            Section::Containers => containers::measure(&subjects, effort, &runtime, &mut report),
            Section::Web => web::measure(&subjects, effort, &mut report),
            Section::Clients => match &subjects.ours {
                Some(ours) => clients::measure(ours, effort, &mut report),
                None => continue,
            },
        };
        if let Err(error) = measured {
            complete = false;
            report.note(format!("{section:?} could not be completed: {error:#}"));
        }
    }

    report.print();
    let path = report.write()?;
    println!("\nwritten to {}", path.display());
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn prepare(arguments: &Arguments) -> Result<Subjects> {
    let ours = match &arguments.binary {
        Some(binary) => Some(Subject::ours(binary.clone())),
        None if arguments.skip_ours => None,
        None => Some(Subject::ours(workspace::build_binary(Profile::Dist)?)),
    };
    let reference = if arguments.skip_reference {
        None
    } else {
        match REFERENCE.set_up()? {
            Setup::Ready(venv) => Some(Subject::reference(&venv)),
            Setup::Unavailable(reason) => {
                bail!("no reference: {reason}\nhint: `--skip-reference` measures without it")
            }
        }
    };
    Ok(Subjects { ours, reference })
}

/// What a small program prints, for the description of the machine.
fn output_of(program: &str, arguments: &[&str]) -> String {
    Command::new(program)
        .args(arguments)
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
        .unwrap_or_default()
}
