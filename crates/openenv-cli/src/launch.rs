//! From what was named to an environment that a server can be given.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::{Context, Result};
use futures_util::future::try_join_all;
use openenv::ServerBuilder;
use openenv::python::{Options, Project, Workers};
use openenv_serve::Failure;

use crate::registry::Bundled;
use crate::subject::{Place, Subject};
use crate::ui;
use crate::ui::progress::Startup;

/// An environment that is ready for sessions.
#[derive(Debug)]
pub(crate) enum Launched {
    Bundled(&'static Bundled),
    Python(Box<Workers>),
}

/// Starts all of them at once, or none.
pub(crate) async fn all(
    subjects: &[Subject],
    options: &Options,
    startup: &Startup,
) -> Result<Vec<Launched>> {
    let starting = subjects.iter();
    let starting = starting.map(|subject| Launched::start(subject, options, startup));
    try_join_all(starting).await
}

impl Launched {
    /// Gets it ready, which takes time for what is written in Python; dropping the
    /// future ends what was started.
    pub(crate) async fn start(
        subject: &Subject,
        options: &Options,
        startup: &Startup,
    ) -> Result<Self> {
        let place = match subject {
            Subject::Bundled(environment) => {
                tell_of_namesake(environment);
                return Ok(Self::Bundled(environment));
            }
            Subject::Crate(directory) => {
                return Err(Failure::new(
                    format!(
                        "`{}` is a crate, which is a program of its own",
                        directory.display()
                    ),
                    "serve it alone, and the others on another port",
                )
                .into());
            }
            Subject::Python(place) => place,
        };
        let project = project(place)?;
        let progress = |line: &str| startup.tell(line);
        let workers = Workers::start(&project, options.clone(), &progress).await?;
        Ok(Self::Python(Box::new(workers)))
    }

    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Bundled(environment) => environment.name,
            Self::Python(workers) => workers.name(),
        }
    }

    /// Adds it to a server that listens at the address.
    pub(crate) fn add(self, builder: ServerBuilder, address: SocketAddr) -> ServerBuilder {
        match self {
            Self::Bundled(environment) => (environment.add)(builder, address),
            Self::Python(workers) => builder.python(*workers),
        }
    }
}

/// What there is to load.
pub(crate) fn project(place: &Place) -> Result<Project> {
    Ok(match place {
        Place::Path(path) => Project::find(path)?,
        Place::Object(spec) => {
            let here = std::env::current_dir().context("could not read the current directory")?;
            Project::of_object(spec, here)?
        }
    })
}

/// A directory of the same name is more likely meant by who stands beside it.
fn tell_of_namesake(environment: &Bundled) {
    let name = environment.name;
    let directory = Path::new(name);
    if directory.join("openenv.yaml").is_file() || directory.join("server/app.py").is_file() {
        ui::hint(&format!(
            "`{name}` is the bundled environment; the directory is `./{name}`"
        ));
    }
}
