//! `openenv mcp`: the tools of an environment over standard input and output.

use std::io::{IsTerminal, stdin};
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use openenv::Server;
use openenv_build::Profile;
use openenv_serve::LogConfig;
use tokio::runtime;

use crate::config::McpConfig;
use crate::launch::Launched;
use crate::program::Program;
use crate::subject::Subject;
use crate::ui;
use crate::ui::progress::Startup;

pub(crate) fn run(config: &McpConfig, log: &LogConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    if let Subject::Crate(directory) = &config.environment {
        let program = runtime.block_on(Program::build(directory, Profile::Dev))?;
        // It speaks the protocol by itself.
        let mut command = program.command(log);
        command
            .arg("--stdio")
            .env(openenv_serve::vars::MODE, config.mode.to_string());
        return program.exec(command);
    }
    let outcome = runtime.block_on(serve(config));
    // Dropping it would wait for one more line of standard input.
    runtime.shutdown_background();
    outcome
}

async fn serve(config: &McpConfig) -> Result<()> {
    let launched = tokio::select! {
        launched = launch(config) => launched?,
        () = openenv::shutdown_signal() => return Ok(()),
    };
    if stdin().is_terminal() {
        ui::note(&hint(launched.name(), &config.environment.argument()));
    }
    // No address: nobody connects.
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let builder = Server::builder().mode(config.mode).max_sessions(1);
    let server = launched.add(builder, nowhere).build()?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let served = server.serve_mcp(input, output, openenv::shutdown_signal());
    Ok(served.await?)
}

async fn launch(config: &McpConfig) -> Result<Launched> {
    let startup = Startup::new(config.progress);
    Launched::start(&config.environment, &config.python.options(), &startup).await
}

/// What to tell somebody who started it by hand.
fn hint(name: &str, argument: &str) -> String {
    format!(
        "This speaks the Model Context Protocol over standard input and output, to a client\n\
         that starts it. Give this to your client (Ctrl-C ends it here):\n\n\
         {{\n  \"mcpServers\": {{\n    \"{name}\": {{ \"command\": \"openenv\", \
         \"args\": [\"mcp\", {argument:?}] }}\n  }}\n}}\n"
    )
}
