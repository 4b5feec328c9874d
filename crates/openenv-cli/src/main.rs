//! The `openenv` command: creates, serves, checks, ships and measures environments.

mod args;
mod commands;
mod config;
mod diagnosis;
mod launch;
mod local_server;
mod open_files;
mod program;
mod registry;
mod scaffold;
mod service;
mod subject;
mod target;
mod ui;
mod value;
mod vars;

use std::process::ExitCode;

use crate::args::Args;
use crate::config::{Config, Task};

/// 0 when all went well, 1 when it did not, 130 when a measurement or a check was interrupted;
/// usage errors end in clap with 2.
fn main() -> ExitCode {
    let config = Config::from(Args::read());
    openenv_serve::log::start(&config.log);
    let outcome = match &config.task {
        Task::Serve(serve) => commands::serve::run(serve, &config.log).map(|()| ExitCode::SUCCESS),
        Task::Mcp(mcp) => commands::mcp::run(mcp, &config.log).map(|()| ExitCode::SUCCESS),
        Task::Build(build) => commands::build::run(build).map(|()| ExitCode::SUCCESS),
        Task::Init(init) => commands::init::run(init),
        Task::List(list) => commands::list::run(list).map(|()| ExitCode::SUCCESS),
        Task::Inspect(inspect) => commands::inspect::run(inspect),
        Task::Play(play) => commands::play::run(play).map(|()| ExitCode::SUCCESS),
        Task::Bench(bench) => commands::bench::run(bench),
        Task::Run(run) => commands::run::run(run).map(|()| ExitCode::SUCCESS),
        Task::Containers(containers) => {
            commands::containers::run(*containers).map(|()| ExitCode::SUCCESS)
        }
        Task::Validate(validate) => commands::validate::run(validate),
    };
    match outcome {
        Ok(code) => code,
        // `openenv list | head -1` is no failure.
        Err(error) if openenv_serve::failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ui::report(&error);
            ExitCode::FAILURE
        }
    }
}
