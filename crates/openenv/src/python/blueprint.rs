//! A package in Python as the server sees every environment.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::Options;
use super::frame::Ask;
use super::payload::text;
use super::pool::Pool;
use super::question::Answer;
use super::report::{About, Report, Traits};
use super::session::PythonSession;
use crate::contract::Contract;
use crate::env::Metadata;
use crate::env::blueprint::{Blueprint, Opening, Room};
use crate::env::erased::{AnyEnvironment, BoxFuture};
use crate::env::tasks::{AnyTasks, TaskQuestion};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::tool::Progress;
use crate::tool::compiled::Listing;
use crate::tool::toolbox::Catalogue;

/// Questions about tasks that are answered at the same time; others wait.
const TASK_QUESTIONS: usize = 8;

/// The longest pause before an environment is asked again what it is.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// The blueprint of an environment that is written in Python.
#[derive(Debug)]
pub(super) struct PythonBlueprint {
    pool: Arc<Pool>,
    factory: String,
    contract: Contract,
    capacity: Option<usize>,
    traits: Traits,
    known: Arc<RwLock<Known>>,
    /// Where its README is, if the environment does not bring one.
    root: PathBuf,
    /// For questions about tasks, each of which takes an environment.
    turns: Arc<Semaphore>,
    /// Ends what is still asked of an environment that cannot be made.
    _asking: DropGuard,
}

/// What only an environment that exists can tell.
#[derive(Debug)]
struct Known {
    metadata: Arc<Metadata>,
    tools: Arc<Catalogue>,
}

impl PythonBlueprint {
    pub(super) fn new(
        pool: Arc<Pool>,
        report: Report,
        traits: Traits,
        about: Option<About>,
    ) -> Self {
        let name = report.environment.as_deref().unwrap_or(&report.factory);
        let unknown = Known {
            metadata: Arc::new(Metadata::new(name, format!("{name} environment"))),
            tools: Arc::new(Catalogue::told(Vec::new())),
        };
        let is_known = about.is_some();
        let known = Arc::new(RwLock::new(about.map_or(unknown, Known::from)));
        let asking = CancellationToken::new();
        if !is_known {
            let keep_asking = keep_asking(Arc::clone(&pool), Arc::clone(&known));
            tokio::spawn(asking.clone().run_until_cancelled_owned(keep_asking));
        }
        let schemas = report.schemas;
        Self {
            pool,
            factory: report.factory,
            contract: Contract::told(
                &schemas.action,
                &schemas.observation,
                &schemas.state,
                &schemas.reset_observation,
            ),
            capacity: report.capacity,
            traits,
            known,
            root: PathBuf::new(),
            turns: Arc::new(Semaphore::new(TASK_QUESTIONS)),
            _asking: asking.drop_guard(),
        }
    }

    pub(super) fn readme_in(mut self, root: &Path) -> Self {
        self.root = root.into();
        self
    }

    pub(super) fn traits(&self) -> Traits {
        self.traits
    }

    pub(super) fn memory(&self) -> Option<u64> {
        self.pool.memory()
    }

    fn known<T>(&self, take: impl FnOnce(&Known) -> T) -> T {
        take(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }
}

impl From<About> for Known {
    fn from(about: About) -> Self {
        let name = about.environment;
        let described = || Metadata::new(&name, format!("{name} environment"));
        Self {
            metadata: Arc::new(about.metadata.unwrap_or_else(described)),
            tools: Arc::new(Catalogue::told(
                about.tools.into_iter().map(Listing::from).collect(),
            )),
        }
    }
}

/// Asks an environment what it is.
pub(super) async fn ask_about(pool: &Arc<Pool>) -> Result<About> {
    let session = PythonSession::open(Arc::clone(pool), Opening::unnamed()).await?;
    Ok(serde_json::from_slice(&session.about().await?)?)
}

/// An environment that could not be made when the server started may be made later.
async fn keep_asking(pool: Arc<Pool>, known: Arc<RwLock<Known>>) {
    let mut pause = Duration::from_secs(1);
    loop {
        tokio::time::sleep(pause).await;
        match ask_about(&pool).await {
            Ok(about) => {
                *known.write().unwrap_or_else(PoisonError::into_inner) = about.into();
                return;
            }
            Err(error) => tracing::debug!(%error, "the environment still cannot be made"),
        }
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

impl Blueprint for PythonBlueprint {
    fn factory_name(&self) -> &str {
        &self.factory
    }

    fn concurrent(&self) -> bool {
        self.traits.concurrent
    }

    fn room(&self) -> Room {
        // Each session can have a process of its own, so there is no limit. But who
        // does not say that sessions may be concurrent is not asked for more than one.
        let one = (!self.traits.concurrent).then_some(1);
        Room {
            asked: self.capacity.or(one),
            most: usize::MAX,
        }
    }

    fn metadata(&self) -> Arc<Metadata> {
        self.known(|known| Arc::clone(&known.metadata))
    }

    #[cfg(feature = "web")]
    fn readme(&self) -> Option<String> {
        let told = self.metadata().readme_content.clone();
        told.or_else(|| std::fs::read_to_string(self.root.join("README.md")).ok())
    }

    fn contract(&self) -> &Contract {
        &self.contract
    }

    fn tasks(&self) -> Option<Arc<dyn AnyTasks>> {
        Some(Arc::new(PythonTasks {
            factory: self.factory.clone(),
            pool: Arc::clone(&self.pool),
            turns: Arc::clone(&self.turns),
        }))
    }

    fn tools(&self) -> Arc<Catalogue> {
        self.known(|known| Arc::clone(&known.tools))
    }

    fn check_action<'a>(&'a self, action: &'a Input<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let worker = self.pool.anyone().await?;
            let action = text(action.clone());
            let parts = [action.as_bytes()];
            let asked = worker.ask(Ask::Check, 0, 0, &parts, Progress::default())?;
            let Options { step_timeout, .. } = self.pool.options;
            match asked.answer_within(step_timeout, "step").await {
                Answer::Done(_) => Ok(()),
                Answer::Refused(error) => Err(error),
                Answer::Gone(why) => Err(Error::new(&*why)),
            }
        })
    }

    fn open(&self, opening: Opening) -> BoxFuture<'static, Result<Box<dyn AnyEnvironment>>> {
        let pool = Arc::clone(&self.pool);
        let name = self.factory.clone();
        Box::pin(async move {
            let session = open(pool, opening, name).await?;
            Ok(Box::new(session) as Box<dyn AnyEnvironment>)
        })
    }
}

/// Makes an environment for a caller, who learns no more than that it failed.
async fn open(pool: Arc<Pool>, opening: Opening, name: String) -> Result<PythonSession> {
    PythonSession::open(pool, opening).await.map_err(|error| {
        tracing::error!(factory = name, %error, "could not create the environment");
        let message = format!("Environment factory '{name}' failed to create instance.");
        Error::of(Kind::Factory { name }, message)
    })
}

/// Tasks that only an environment knows: each question makes one.
#[derive(Debug)]
struct PythonTasks {
    factory: String,
    pool: Arc<Pool>,
    turns: Arc<Semaphore>,
}

impl AnyTasks for PythonTasks {
    fn answer(&self, question: TaskQuestion) -> BoxFuture<'static, Result<Value>> {
        let (pool, turns) = (Arc::clone(&self.pool), Arc::clone(&self.turns));
        let factory = self.factory.clone();
        let method = question.method();
        let (arguments, is_splits) = match question {
            TaskQuestion::Splits => (json!({}), true),
            TaskQuestion::List { split } | TaskQuestion::Count { split } => {
                (json!({ "split": split }), false)
            }
            TaskQuestion::Get { split, index } => {
                (json!({ "split": split, "index": index }), false)
            }
            TaskQuestion::Range { split, start, stop } => (
                json!({ "split": split, "start": start, "stop": stop }),
                false,
            ),
        };
        Box::pin(async move {
            let _turn = turns.acquire().await;
            let session = open(pool, Opening::unnamed(), factory).await?;
            let answer = session.tasks(method, arguments).await?;
            Ok(match answer {
                Value::Array(splits) if is_splits => splits.into_iter().map(split).collect(),
                answer => answer,
            })
        })
    }
}

/// A split as clients know it, however briefly its author put it.
fn split(split: Value) -> Value {
    let name = match split {
        Value::Object(_) => return split,
        Value::String(name) => name,
        other => other.to_string(),
    };
    let kind = match name.as_str() {
        "train" | "test" => name.clone(),
        _ => "validation".to_owned(),
    };
    let mut split = Map::new();
    split.insert("name".to_owned(), name.into());
    split.insert("type".to_owned(), kind.into());
    Value::Object(split)
}
