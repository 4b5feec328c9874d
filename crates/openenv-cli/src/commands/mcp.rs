//! `openenv mcp`: the tools of an environment over standard input and output.

use std::io::{IsTerminal, stdin};
use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use openenv::Server;
use tokio::runtime;

use crate::config::McpConfig;
use crate::ui;

pub(crate) fn run(config: &McpConfig) -> Result<()> {
    // No address: nobody connects.
    let nowhere = SocketAddr::from((Ipv4Addr::LOCALHOST, 0));
    let builder = Server::builder().mode(config.mode).max_sessions(1);
    let server = (config.environment.add)(builder, nowhere).build()?;
    if stdin().is_terminal() {
        ui::note(&hint(config.environment.name));
    }
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    let outcome = runtime.block_on(server.serve_mcp(input, output, openenv::shutdown_signal()));
    // Dropping it would wait for one more line of standard input.
    runtime.shutdown_background();
    Ok(outcome?)
}

/// What to tell somebody who started it by hand.
fn hint(environment: &str) -> String {
    format!(
        "This speaks the Model Context Protocol over standard input and output, to a client\n\
         that starts it. Give this to your client (Ctrl-C ends it here):\n\n\
         {{\n  \"mcpServers\": {{\n    \"{environment}\": {{ \"command\": \"openenv\", \
         \"args\": [\"mcp\", \"{environment}\"] }}\n  }}\n}}\n"
    )
}
