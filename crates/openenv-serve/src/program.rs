//! The program that a crate with an environment becomes.

use std::net::{Ipv4Addr, SocketAddr};
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{CommandFactory, Parser};
use openenv::{Environment, Server};
use tokio::runtime;

use crate::args::{self, LogArgs, LogFormat, ServerArgs};
use crate::config::{LogConfig, ServerConfig};
use crate::service::Service;
use crate::{failure, log, ui};

#[derive(Debug, Parser)]
#[command(
    max_term_width = 100,
    after_help = "Where things are is printed to standard error; when standard output is not a \
                  terminal, the base URL alone is printed there, for scripts. SIGTERM and Ctrl-C \
                  stop the server once the calls that run have ended, or after the drain timeout; \
                  a second one stops it at once."
)]
struct Program {
    #[command(flatten)]
    server: ServerArgs,

    /// Serve the tools over standard input and output instead, to a client of the Model Context
    /// Protocol that started this program: one session, from its start to its end
    #[arg(long, conflicts_with = "health_check")]
    stdio: bool,

    #[command(flatten)]
    log: LogArgs,
}

/// Serves an environment as the command line says: the whole of a `main`.
///
/// `name` is its place under `/envs/`; `factory` makes one environment for each session.
/// The exit code is 0 when all went well and 1 when it did not; usage errors end the
/// process with 2.
pub fn main<E: Environment>(
    name: &str,
    factory: impl Fn() -> E + Send + Sync + 'static,
) -> ExitCode {
    let service = Service::native(name, factory);
    let mut command = Program::command()
        .name(name.to_owned())
        .about(service.description.clone());
    if let Some(version) = service.version.clone() {
        command = command.version(version);
    }
    let program: Program = args::read(command);
    match run(program, service) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if failure::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ui::report(&error);
            ExitCode::FAILURE
        }
    }
}

fn run(program: Program, service: Service) -> Result<()> {
    let for_people = program.log.log_format == LogFormat::Text && program.log.quiet == 0;
    let default_filter = if program.stdio { "warn" } else { "info" };
    log::start(&LogConfig::new(program.log, default_filter));
    let config = ServerConfig::new(program.server, for_people);
    if program.stdio {
        return serve_stdio(&config, service);
    }
    crate::run(&config, async || Ok(vec![service]))
}

fn serve_stdio(config: &ServerConfig, service: Service) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let outcome = runtime.block_on(async {
        // No address: nobody connects.
        let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
        let builder = Server::builder().mode(config.mode).max_sessions(1);
        let server = service.add_to(builder, nowhere).0.build()?;
        let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
        let served = server.serve_mcp(input, output, openenv::shutdown_signal());
        Ok(served.await?)
    });
    // Dropping it would wait for one more line of standard input.
    runtime.shutdown_background();
    outcome
}
