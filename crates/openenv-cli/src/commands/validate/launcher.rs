//! A package that is served by this process, to be looked at.

use std::thread;

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use openenv_build::Profile;
use openenv_validate::{LaunchError, Launcher, Package, Place, Running};
use serde_json::Map;
use tokio::sync::oneshot;

use crate::config::PythonConfig;
use crate::local_server::LocalServer;
use crate::subject::Subject;

/// Serves packages on this machine.
pub(super) struct OnThisMachine<'a> {
    pub(super) python: &'a PythonConfig,
    pub(super) progress: bool,
}

impl Launcher for OnThisMachine<'_> {
    fn place(&self) -> Place {
        Place::Machine
    }

    fn start<'a>(&'a self, package: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>> {
        async move {
            let subject = Subject::at(package.root);
            // It has a runtime of its own, which must not be started on a thread of another.
            let server = thread::scope(|scope| {
                let starting = scope.spawn(|| {
                    LocalServer::start(&subject, self.python, &Profile::Dev, self.progress)
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
