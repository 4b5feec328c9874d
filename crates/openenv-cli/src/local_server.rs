//! An environment, served by this process to itself or by a program that it starts.

use std::net::Ipv4Addr;
use std::path::Path;

use anyhow::{Context, Result};
use openenv::provider::{Process, Provider};
use openenv::{Server, ServerBuilder};
use openenv_build::Profile;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use crate::config::PythonConfig;
use crate::launch::Launched;
use crate::program::Program;
use crate::subject::Subject;
use crate::ui::progress::Startup;

/// A server on a free port of the loopback interface; stops when dropped.
#[derive(Debug)]
pub(crate) struct LocalServer {
    url: String,
    /// Its own, so that a command that waits for its user does not stop it.
    runtime: Option<Runtime>,
    /// The program of a crate; anything else is served by this process.
    program: Option<Process>,
}

impl LocalServer {
    /// A crate is built in the profile; all else that is needed is in Python.
    pub(crate) fn start(
        subject: &Subject,
        python: &PythonConfig,
        profile: &Profile,
        progress: bool,
    ) -> Result<Self> {
        let runtime = Runtime::new().context("could not start the runtime of the server")?;
        match subject {
            Subject::Crate(directory) => Self::of_crate(directory, profile.clone(), runtime),
            Subject::Bundled(_) | Subject::Python(_) => {
                Self::of_this_process(subject, python, progress, runtime)
            }
        }
    }

    fn of_crate(directory: &Path, profile: Profile, runtime: Runtime) -> Result<Self> {
        let (program, endpoint) = runtime.block_on(async {
            let program = Program::build(directory, profile).await?;
            let mut process = Process::new(program.path)
                .args(["--no-banner"])
                .env(openenv_serve::vars::LOG, "warn")
                .current_dir(program.project.root)
                .show_output(true);
            let endpoint = process.start().await?;
            anyhow::Ok((process, endpoint))
        })?;
        Ok(Self {
            url: endpoint.to_string(),
            runtime: Some(runtime),
            program: Some(program),
        })
    }

    fn of_this_process(
        subject: &Subject,
        python: &PythonConfig,
        progress: bool,
        runtime: Runtime,
    ) -> Result<Self> {
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
            url: format!("http://{address}"),
            runtime: Some(runtime),
            program: None,
        })
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for LocalServer {
    fn drop(&mut self) {
        drop(self.program.take());
        // Without waiting for environments that block: whoever used them is done.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
