//! A package that is run to be looked at: by this process, or in a container.

use std::path::Path;
use std::sync::OnceLock;
use std::thread;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use openenv::provider::{Docker, Provider};
use openenv_build::Profile;
use openenv_validate::{LaunchError, Launcher, Package, Place, Running};
use serde_json::Map;
use tokio::sync::oneshot;

use crate::config::{PythonConfig, ValidateConfig};
use crate::local_server::LocalServer;
use crate::program::Program;
use crate::subject::Subject;

/// Serves packages on this machine.
pub(super) struct OnThisMachine<'a> {
    python: &'a PythonConfig,
    progress: bool,
    skip_build: bool,
    /// That of a crate, once it is built.
    program: OnceLock<Program>,
}

impl<'a> OnThisMachine<'a> {
    pub(super) fn new(config: &'a ValidateConfig) -> Self {
        Self {
            python: &config.python,
            progress: config.progress,
            skip_build: config.skip_build,
            program: OnceLock::new(),
        }
    }
}

impl Launcher for OnThisMachine<'_> {
    fn place(&self) -> Place {
        Place::Machine
    }

    /// What cargo writes is there before the package is looked at.
    fn prepare<'a>(&'a self, root: &'a Path) -> BoxFuture<'a, Result<(), LaunchError>> {
        async move {
            let Subject::Crate(directory) = Subject::at(root) else {
                return Ok(());
            };
            if self.skip_build {
                let reason = "--skip-build: the crate was not built, so nothing was run";
                return Err(LaunchError::Unsupported(reason.to_owned()));
            }
            let program = Program::build(&directory, Profile::Dev).await;
            let program = program.map_err(|error| LaunchError::Startup(format!("{error:#}")))?;
            // It is built once.
            let _ = self.program.set(program);
            Ok(())
        }
        .boxed()
    }

    fn start<'a>(&'a self, package: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
        async move {
            let subject = Subject::at(package.root);
            // It has a runtime of its own, which must not be started on a thread of another.
            let server = thread::scope(|scope| {
                let starting = scope.spawn(|| match self.program.get() {
                    Some(program) => LocalServer::start_program_for_checks(program),
                    None => LocalServer::start_for_checks(&subject, self.python, self.progress),
                });
                starting.join()
            });
            let server = match server {
                Ok(Ok(server)) => server,
                Ok(Err(error)) => return Err(LaunchError::Startup(format!("{error:#}"))),
                Err(_) => return Err(LaunchError::Launcher("the server panicked".to_owned())),
            };
            let url = server.url().to_owned();
            Ok(Running {
                url,
                measured: Map::new(),
                stop: Box::new(move || {
                    let (done, stopped) = oneshot::channel();
                    // Nor must it be stopped there.
                    thread::spawn(move || {
                        drop(server);
                        let _ = done.send(());
                    });
                    stopped
                        .map(|stopped| stopped.map_err(|_| "the server panicked".to_owned()))
                        .boxed()
                }),
            })
        }
        .boxed()
    }
}

/// Runs this image, with no more than a package declares to need.
#[derive(Debug)]
pub(super) struct InContainer<'a>(pub(super) &'a str);

/// Processes that a container may have.
const PROCESSES: u32 = 256;

impl Launcher for InContainer<'_> {
    fn place(&self) -> Place {
        Place::Container
    }

    fn start<'a>(&'a self, package: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
        async move {
            if package.without_network {
                let reason = "a container without a network cannot be reached: `network.mode` is not `public`";
                return Err(LaunchError::Unsupported(reason.to_owned()));
            }
            let mut container = Docker::image(self.0).read_only(true).pids(PROCESSES);
            if let Some(limits) = package.limits {
                container = container.memory(limits.memory_mb << 20).cpus(limits.cpu);
            }
            let endpoint = match container.start().await {
                Ok(endpoint) => endpoint,
                Err(error) if error.is_connection() => {
                    return Err(LaunchError::Launcher(error.to_string()));
                }
                Err(error) => return Err(LaunchError::Startup(error.to_string())),
            };
            let mut measured = Map::new();
            measured.insert("image".to_owned(), self.0.into());
            Ok(Running {
                url: endpoint.to_string(),
                measured,
                stop: Box::new(move || {
                    async move { container.stop().await.map_err(|error| error.to_string()) }.boxed()
                }),
            })
        }
        .boxed()
    }
}
