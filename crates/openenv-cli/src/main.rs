//! The `openenv` command: serves, plays and measures environments.

mod args;
mod commands;
mod config;
mod failure;
mod local_server;
mod log;
mod open_files;
mod registry;
mod schema;
mod target;
mod ui;
mod value;
mod vars;

use std::process::ExitCode;

use crate::args::Args;
use crate::config::{Config, Task};

/// 0 when all went well, 1 when it did not; usage errors end in clap with 2.
fn main() -> ExitCode {
    let config = Config::from(Args::read());
    log::start(&config.log);
    let outcome = match &config.task {
        Task::Serve(serve) => commands::serve::run(serve),
        Task::List(list) => commands::list::run(list),
        Task::Play(play) => commands::play::run(play),
        Task::Bench(bench) => commands::bench::run(bench),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // `openenv list | head -1` is no failure.
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ui::report(&error);
            ExitCode::FAILURE
        }
    }
}
