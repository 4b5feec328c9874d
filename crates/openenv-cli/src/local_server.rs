//! An environment, served by this process to itself or by a program that it starts.

use std::net::Ipv4Addr;

use anyhow::{Context, Result};
use openenv::provider::{Process, Provider};
use openenv::{Server, ServerBuilder};
use openenv_build::Profile;
use tokio::net::TcpListener;
use tokio::runtime::{self, Runtime};
use tracing::Level;
use tracing::subscriber::NoSubscriber;

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
        let runtime = new_runtime(false)?;
        match subject {
            Subject::Crate(directory) => {
                let program = runtime.block_on(Program::build(directory, profile.clone()))?;
                Self::of_program(&program, "warn", runtime)
            }
            Subject::Bundled(_) | Subject::Python(_) => {
                // Whoever serves it to himself knows how many sessions he wants.
                let sessions = Some(ServerBuilder::DEFAULT_SESSIONS);
                Self::of_this_process(subject, python, sessions, progress, runtime)
            }
        }
    }

    /// Serves what is no crate as its author limits it, to somebody who provokes errors and tells them
    /// himself: they are not logged, unless more than usual is.
    pub(crate) fn start_for_checks(
        subject: &Subject,
        python: &PythonConfig,
        progress: bool,
    ) -> Result<Self> {
        let runtime = new_runtime(Self::is_silent())?;
        Self::of_this_process(subject, python, None, progress, runtime)
    }

    /// The same for the program of a crate.
    pub(crate) fn start_program_for_checks(program: &Program) -> Result<Self> {
        let filter = if Self::is_silent() { "off" } else { "warn" };
        Self::of_program(program, filter, new_runtime(false)?)
    }

    fn of_program(program: &Program, filter: &str, runtime: Runtime) -> Result<Self> {
        let (program, endpoint) = runtime.block_on(async {
            let mut process = Process::new(&program.path)
                .args(["--no-banner"])
                .env(openenv_serve::vars::LOG, filter)
                .current_dir(&program.project.root)
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
        sessions: Option<usize>,
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
        if let (Launched::Python(_), Some(sessions)) = (&launched, sessions) {
            builder = builder.max_sessions(sessions);
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

    /// Whether a server for checks logs nothing: unless more than usual is logged.
    pub(crate) fn is_silent() -> bool {
        !tracing::enabled!(Level::INFO)
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

fn new_runtime(silent: bool) -> Result<Runtime> {
    let mut builder = runtime::Builder::new_multi_thread();
    builder.enable_all();
    if silent {
        builder.on_thread_start(|| {
            let silence = tracing::subscriber::set_default(NoSubscriber::default());
            // For as long as the thread lives.
            std::mem::forget(silence);
        });
    }
    builder
        .build()
        .context("could not start the runtime of the server")
}
