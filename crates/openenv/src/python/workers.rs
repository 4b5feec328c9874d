//! From a project to workers that are ready for sessions.

use std::collections::BTreeMap;
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
use crate::env::Metadata;
use crate::env::blueprint::Blueprint;
use crate::error::{Error, Result};
use crate::tool::ToolInfo;
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
    fault: Option<Error>,
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
        let (about, fault) = match first_words(&pool).await? {
            Ok(about) => (about, None),
            Err(error) => (None, Some(error)),
        };
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
            blueprint: PythonBlueprint::new(pool, report.clone(), traits, about)
                .readme_in(&project.root),
            report,
            fault,
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

    /// Why the first environment could not be made, if it could not.
    ///
    /// Others may be made later: what it takes, such as a service, may be there then.
    pub fn fault(&self) -> Option<&Error> {
        self.fault.as_ref()
    }

    /// What the environment says of itself.
    pub fn metadata(&self) -> Arc<Metadata> {
        self.blueprint.metadata()
    }

    /// The tools that the environment has, in any mode.
    pub fn tools(&self) -> Vec<ToolInfo> {
        let tools: Arc<Catalogue> = self.blueprint.tools();
        tools.infos().collect()
    }

    /// Bytes of memory that the first worker has in use, if it can be told. What it
    /// shares with others is counted as its own.
    pub fn memory(&self) -> Option<u64> {
        self.blueprint.memory()
    }

    pub(crate) fn into_blueprint(self) -> (String, Box<dyn Blueprint>) {
        (self.name, Box::new(self.blueprint))
    }
}

/// Asks the first environment what it is; an error inside if it cannot be made, `None`
/// if not in time.
///
/// # Errors
/// If there is no worker to make it in.
async fn first_words(pool: &Arc<Pool>) -> Result<Result<Option<About>>> {
    let asking = timeout(FIRST_WORDS, ask_about(pool));
    let outcome = tokio::select! {
        biased;
        outcome = asking => outcome,
        // Only a failure to start them is of interest here.
        Err(error) = pool.warm_up() => return Err(error),
    };
    match outcome {
        Ok(Ok(about)) => Ok(Ok(Some(about))),
        Ok(Err(error)) => {
            tracing::warn!(%error, "the first environment could not be made; it is tried again");
            Ok(Err(error))
        }
        Err(_) => {
            tracing::warn!("the first environment takes long to make");
            Ok(Ok(None))
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
    let variables = variables(project, options);
    loop {
        let interpreter = interpreter::choose(project, &wanted, progress).await?;
        let cache = cache_directory(&wanted);
        progress(&format!(
            "importing {} with Python {}",
            project.name, interpreter.version
        ));
        let job = Job {
            project: project.clone(),
            interpreter: interpreter.clone(),
            variables: variables.clone(),
            isolate: options.isolate,
            cache,
            patience: options.start_timeout,
        };
        match Nursery::start(Arc::new(job)).await {
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

/// What the manifest says where nobody says otherwise, and what is said here.
fn variables(project: &Project, options: &Options) -> BTreeMap<String, String> {
    let said = project.manifest.iter().flat_map(|it| &it.variables);
    said.filter(|(name, _)| std::env::var_os(name).is_none())
        .map(|(name, value)| (name.clone(), value.clone()))
        .chain(options.variables.clone())
        .collect()
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
