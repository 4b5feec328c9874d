//! Project automation: `cargo xtask test` runs every suite, `cargo xtask bench` measures against the reference.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "what this program prints is its result"
)]

mod bench;
mod browser;
mod debian;
mod node;
mod server;
mod system;
mod test;
mod venv;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Project automation")]
struct Arguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Debug, Subcommand)]
enum Task {
    /// Set up and run every suite, or the named ones
    Test(test::Arguments),
    /// Measure the server next to the reference
    Bench(bench::Arguments),
    /// One end of the loop that the benchmark compares clients with
    #[command(hide = true)]
    BareLoop(bench::bare::Arguments),
}

fn main() -> ExitCode {
    let finished = match Arguments::parse().task {
        Task::Test(arguments) => test::run(&arguments),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::BareLoop(arguments) => bench::bare::run(&arguments).map(|()| ExitCode::SUCCESS),
    };
    match finished {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
