//! The `openenv` command: serves environments over HTTP and WebSocket.

mod args;
mod commands;
mod config;
mod failure;
mod log;
mod registry;
#[cfg_attr(
    not(test),
    expect(
        dead_code,
        unused_imports,
        reason = "for `bench` and `play`, which are to come"
    )
)]
mod schema;
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
