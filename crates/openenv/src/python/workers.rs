//! From a project to workers that are ready for sessions.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;

use super::blueprint::{PythonBlueprint, ask_about};
use super::interpreter::{self, cache_directory};
use super::nursery::{Failure, Job, Nursery};
use super::pool::Pool;
use super::project::fit_for_path;
use super::report::{About, Report, Traits};
use super::{Interpreter, InterpreterOptions, Options, Project};
use crate::env::erased::Blueprint;
use crate::error::{Error, Result};
use crate::tool::toolbox::Catalogue;

/// How long a server waits for what the first environment says of itself. One that
/// takes longer to make is asked again in the background.
const FIRST_WORDS: Duration = Duration::from_secs(20);

/// The processes in which the sessions of a package live.
///
/// Dropped, they end, and with them whatever they started.
#[derive(Debug)]
pub struct Workers {
    name: String,
    interpreter: Interpreter,
    report: Report,
    blueprint: PythonBlueprint,
}

impl Workers {
    /// Chooses a Python, lets it import the package and starts the workers.
    ///
    /// `progress` is told what takes time.
    ///
    /// # Errors
    /// If there is no Python for it, the package cannot be imported or makes no
    /// server, or its workers cannot be started or isolated.
    pub async fn start(
        project: &Project,
        options: Options,
        progress: &(dyn Fn(&str) + Sync),
    ) -> Result<Self> {
        let (interpreter, nursery, report) = import(project, &options, progress).await?;
        let name = options
            .name
            .clone()
            .or_else(|| report.name.as_deref().map(fit_for_path))
            .unwrap_or_else(|| project.name.clone());
        let pool = Pool::new(nursery, options);
        if let Some(traits) = report.traits {
            pool.respect(traits);
        }
        let about = first_words(&pool).await?;
        let unknown = Traits {
            concurrent: false,
            single_thread: false,
        };
        let traits = about
            .as_ref()
            .map(|about| about.traits)
            .or(report.traits)
            .unwrap_or(unknown);
        pool.respect(traits);
        pool.warm_up().await?;
        Ok(Self {
            name,
            interpreter,
            blueprint: PythonBlueprint::new(pool, report.clone(), traits, about),
            report,
        })
    }

    /// The name that the environment is served under.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The Python that runs them.
    pub fn interpreter(&self) -> &Interpreter {
        &self.interpreter
    }

    /// What the package turned out to be.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// How the environment is run.
    pub fn traits(&self) -> Traits {
        self.blueprint.traits()
    }

    /// Names of the tools that the environment has, in any mode.
    pub fn tools(&self) -> Vec<String> {
        let tools: Arc<Catalogue> = self.blueprint.tools();
        tools.names().map(str::to_owned).collect()
    }

    pub(crate) fn into_blueprint(self) -> (String, Box<dyn Blueprint>) {
        (self.name, Box::new(self.blueprint))
    }
}

/// Asks the first environment what it is; `None` if it cannot be made, or not in time.
///
/// # Errors
/// If there is no worker to make it in.
async fn first_words(pool: &Arc<Pool>) -> Result<Option<About>> {
    let asking = timeout(FIRST_WORDS, ask_about(pool));
    let outcome = tokio::select! {
        biased;
        outcome = asking => outcome,
        // Only a failure to start them is of interest here.
        Err(error) = pool.warm_up() => return Err(error),
    };
    match outcome {
        Ok(Ok(about)) => Ok(Some(about)),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the first environment could not be made; it is tried again");
            Ok(None)
        }
        Err(_) => {
            tracing::warn!("the first environment takes long to make");
            Ok(None)
        }
    }
}

/// Lets a Python import the package; the real `openenv` is installed for it where
/// the stand-in does not do.
async fn import(
    project: &Project,
    options: &Options,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<(Interpreter, Nursery, Report)> {
    let mut wanted: InterpreterOptions = options.interpreter.clone();
    loop {
        let interpreter = interpreter::choose(project, &wanted, progress).await?;
        let cache = cache_directory(&wanted);
        let job = Job {
            project,
            interpreter: &interpreter,
            variables: &options.variables,
            isolate: options.isolate,
            cache: cache.as_deref(),
            patience: options.start_timeout,
        };
        match Nursery::start(&job).await {
            Ok((nursery, report)) => return Ok((interpreter, nursery, report)),
            Err(Failure::Load(failure))
                if failure.wants_the_real_package()
                    && !wanted.full
                    && interpreter.origin.is_ours() =>
            {
                progress(&format!(
                    "`{}` needs the real `openenv`, not its stand-in",
                    project.name
                ));
                wanted.full = true;
            }
            Err(Failure::Load(failure)) => {
                return Err(failure.explain(&project.name, &interpreter));
            }
            Err(Failure::Other(error)) => return Err(explain(&project.name, error)),
        }
    }
}

fn explain(name: &str, error: Error) -> Error {
    let text = format!("`{name}` could not be loaded: {}", error.message());
    Error::configuration(text).because(error)
}

impl fmt::Display for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
