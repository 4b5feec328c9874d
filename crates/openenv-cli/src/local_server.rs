//! An environment, served by this process to itself.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context, Result};
use openenv::{Server, ServerBuilder};
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::config::PythonConfig;
use crate::launch::Launched;
use crate::subject::Subject;
use crate::ui::progress::Startup;

/// A server on a free port of the loopback interface; stops when dropped.
#[derive(Debug)]
pub(crate) struct LocalServer {
    address: SocketAddr,
    /// Its own, so that a command that waits for its user does not stop it.
    runtime: Option<Runtime>,
}

impl LocalServer {
    pub(crate) fn start(subject: &Subject, python: &PythonConfig, progress: bool) -> Result<Self> {
        let runtime = Runtime::new().context("could not start the runtime of the server")?;
        let listener = runtime
            .block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))
            .context("could not listen on a free port")?;
        let address = listener
            .local_addr()
            .context("could not read the address of the listener")?;
        let launched = {
            let startup = Startup::new(progress);
            runtime.block_on(Launched::start(subject, &python.options(), &startup))?
        };
        let mut builder = Server::builder();
        if matches!(launched, Launched::Python(_)) {
            // Whoever serves it to himself knows how many sessions he wants.
            builder = builder.max_sessions(ServerBuilder::DEFAULT_SESSIONS);
        }
        let server = {
            // Processes are watched by tasks.
            let _inside = runtime.enter();
            launched.add(builder, address).build()?
        };
        runtime.spawn(async move {
            if let Err(error) = server.serve(listener, std::future::pending()).await {
                tracing::error!(%error, "the server of this process stopped");
            }
        });
        Ok(Self {
            address,
            runtime: Some(runtime),
        })
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        // Without waiting for environments that block: whoever used them is done.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
