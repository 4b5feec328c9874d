//! What can be typed. `config.rs` turns it into what is meant.

use clap::{CommandFactory, Parser, Subcommand};
use openenv_serve::LogArgs;

mod bench;
mod build;
mod containers;
mod endpoint;
mod init;
mod inspect;
mod mcp;
mod play;
mod python;
mod run;
mod serve;
mod validate;

pub(crate) use bench::BenchArgs;
pub(crate) use build::BuildArgs;
pub(crate) use containers::{ContainersAction, ContainersArgs};
pub(crate) use endpoint::EndpointArgs;
pub(crate) use init::InitArgs;
pub(crate) use inspect::InspectArgs;
pub(crate) use mcp::McpArgs;
pub(crate) use play::PlayArgs;
pub(crate) use python::{InterpreterArgs, PythonArgs};
pub(crate) use run::RunArgs;
pub(crate) use serve::ServeArgs;
pub(crate) use validate::ValidateArgs;

/// Create, serve, check, ship and measure reinforcement-learning environments
#[derive(Debug, Parser)]
#[command(
    name = "openenv",
    version,
    max_term_width = 100,
    propagate_version = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

impl Args {
    /// Reads the command line and the variables; a usage error ends the process.
    pub(crate) fn read() -> Self {
        openenv_serve::args::read(Self::command())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Write a new environment
    ///
    /// It is a complete project that builds, serves, passes its tests and can be put into a
    /// container as it is: an environment to change, with typed models, tests, a plan for
    /// `openenv validate`, a Dockerfile and a README for Hugging Face Spaces. Nothing that is
    /// there already is overwritten, and nothing is left behind if it fails.
    ///
    /// What was written is told on standard error; when standard output is not a terminal, the
    /// path alone is printed there, for scripts.
    Init(InitArgs),
    /// Serve one or more environments
    ///
    /// The first environment answers at `/`, and each of them under `/envs/<name>/`.
    /// Where things are is printed to standard error; when standard output is not a
    /// terminal, the base URL alone is printed there, for scripts.
    ///
    /// SIGTERM and Ctrl-C stop the server once the calls that run have ended, or
    /// after the drain timeout; a second one stops it at once.
    Serve(ServeArgs),
    /// Check a package, or a server that runs
    ///
    /// A server gets the checks of its HTTP routes, and is then played with in a few short
    /// episodes: whether they repeat under a seed, leave each other alone, survive bad
    /// messages and give their places back. A package is checked for what it declares, then
    /// started and checked in the same way. What was not looked at is listed as such.
    ///
    /// The exit code is 0 if all is well or nothing is worse than a warning, 1 if not, 2 for
    /// what is no package, and 3 for what cannot be asked.
    Validate(ValidateArgs),
    /// Build the container image of an environment
    ///
    /// A package in Rust becomes a small image with its program alone, made without a
    /// builder: the same source gives the same image. A package in Python becomes an
    /// image with what it requires and this server in front of it. Both run as a user
    /// without rights, need to write nowhere but in `/tmp`, and listen on port 8000.
    ///
    /// The name of the image is printed to standard output, all else to standard error.
    Build(Box<BuildArgs>),
    /// Run the image of an environment in a container
    ///
    /// The URL is printed to standard output once the server is healthy, its log to standard
    /// error. SIGTERM and Ctrl-C stop and remove the container; a second one does so at once. The
    /// exit code is 1 if the container ends by itself.
    ///
    /// The engine is Docker or Podman, at `DOCKER_HOST` or at the usual sockets.
    Run(RunArgs),
    /// List and remove the containers that were started
    Containers(ContainersArgs),
    /// Play an environment from the terminal
    ///
    /// Each line is an action: a JSON object or, where a single field has to be
    /// filled in, its value alone. An empty line asks for the fields one by one.
    /// `:tools` lists the tools, `:call NAME …` calls one; where there is nothing but
    /// tools, `NAME …` is enough. `:help` shows what else there is. Observations are
    /// printed to standard output, all else to standard error.
    ///
    /// When the lines do not come from a terminal, the exit code is 1 if any of them
    /// failed.
    Play(PlayArgs),
    /// Measure a server under load
    ///
    /// Every session sends its next step as soon as it has the answer to the last
    /// (a closed loop). The report is printed to standard output; the exit code is 1
    /// if there were more errors than allowed, or no session could be opened. Ctrl-C
    /// ends the run early: what was measured until then is reported, and the exit
    /// code is 130.
    Bench(BenchArgs),
    /// Tell what an environment in Python is, and whether it can be served
    ///
    /// Finds the package, chooses a Python for it as `openenv serve` does, imports it
    /// and makes one environment. Nothing is served, and no process is left behind. The
    /// exit code is 1 if it cannot be served.
    Inspect(InspectArgs),
    /// Serve the tools of an environment over standard input and output
    ///
    /// This is for clients of the Model Context Protocol that start their servers
    /// themselves: `openenv mcp echo` is the command to give them. Such a client has
    /// one session, from its start to its end. Clients that connect over HTTP use
    /// `openenv serve` and its `/mcp`.
    Mcp(McpArgs),
    /// List the bundled environments
    List(ListArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_sound() {
        Args::command().debug_assert();
    }
}
