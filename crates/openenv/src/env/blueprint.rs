//! What the server knows of an environment before there is one, and how one is made.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::contract::{Contract, Shapes};
use crate::env::erased::{Adapter, AnyEnvironment, BoxFuture, Types, panicked};
use crate::env::tasks::AnyTasks;
use crate::env::{Environment, Execution, Metadata, Mode, thread};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::{SessionId, SessionLog};
use crate::tool::toolbox::{Catalogue, Toolbox};

/// What is known of an environment before there is one, and how to make one.
pub(crate) trait Blueprint: Send + Sync {
    /// Name for people who look for the cause of a failure.
    fn factory_name(&self) -> &str;
    /// Whether several of them may share a process.
    fn concurrent(&self) -> bool;
    /// How many sessions there can be at most, and how many there are if nobody
    /// says otherwise.
    fn room(&self) -> Room;
    fn metadata(&self) -> Arc<Metadata>;
    /// Its README, in Markdown.
    #[cfg(feature = "web")]
    fn readme(&self) -> Option<String> {
        self.metadata().readme_content.clone()
    }
    fn contract(&self) -> &Contract;
    fn tasks(&self) -> Option<Arc<dyn AnyTasks>>;
    fn tools(&self) -> Arc<Catalogue>;
    /// Whether an action of the environment's own would be accepted, without an
    /// environment to act on.
    fn check_action<'a>(&'a self, action: &'a Input<'_>) -> BoxFuture<'a, Result<()>>;
    /// Makes an environment.
    fn open(&self, opening: Opening) -> BoxFuture<'static, Result<Box<dyn AnyEnvironment>>>;
}

/// The session that an environment is made for.
#[derive(Debug, Clone)]
pub(crate) struct Opening {
    #[cfg_attr(
        not(feature = "python"),
        expect(dead_code, reason = "only processes of their own are told")
    )]
    pub(crate) session: SessionId,
    pub(crate) mode: Mode,
    /// Where what the environment says is kept.
    pub(crate) log: SessionLog,
}

#[cfg(feature = "python")]
impl Opening {
    /// For an environment that is asked something and closed again.
    pub(crate) fn unnamed() -> Self {
        Self {
            session: SessionId::new(),
            mode: Mode::Simulation,
            log: SessionLog::default(),
        }
    }
}

/// How many sessions an environment can serve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Room {
    /// What its author asks for.
    pub(crate) asked: Option<usize>,
    /// What is possible.
    pub(crate) most: usize,
}

/// The blueprint of an environment that is written in Rust.
pub(crate) struct Native<E: Environment, F> {
    factory: Arc<F>,
    types: Arc<Types<E>>,
    tools: Arc<Catalogue>,
    contract: Contract,
    metadata: Arc<Metadata>,
    type_name: String,
    tasks: Option<Arc<dyn AnyTasks>>,
    workshop: Arc<Workshop>,
}

impl<E, F> Native<E, F>
where
    E: Environment,
    F: Fn() -> Result<E> + Send + Sync + 'static,
{
    pub(crate) fn new(factory: F) -> Result<Self> {
        let shapes = Shapes::<E>::new()?;
        let contract = Contract::of(&shapes);
        let tools = Toolbox::new(E::tools(), shapes.action.schema())?;
        Ok(Self {
            factory: Arc::new(factory),
            tools: Arc::clone(&tools.catalogue),
            types: Arc::new(Types::new(shapes, tools)),
            contract,
            metadata: Arc::new(E::metadata()),
            type_name: Metadata::named_after::<E>().name,
            tasks: E::tasks().map(|tasks| Arc::new(tasks) as Arc<dyn AnyTasks>),
            workshop: Arc::default(),
        })
    }
}

impl<E, F> Blueprint for Native<E, F>
where
    E: Environment,
    F: Fn() -> Result<E> + Send + Sync + 'static,
{
    fn factory_name(&self) -> &str {
        &self.type_name
    }

    fn concurrent(&self) -> bool {
        E::CONCURRENT
    }

    fn room(&self) -> Room {
        Room {
            asked: None,
            most: if E::CONCURRENT { usize::MAX } else { 1 },
        }
    }

    fn metadata(&self) -> Arc<Metadata> {
        Arc::clone(&self.metadata)
    }

    fn contract(&self) -> &Contract {
        &self.contract
    }

    fn tasks(&self) -> Option<Arc<dyn AnyTasks>> {
        self.tasks.clone()
    }

    fn tools(&self) -> Arc<Catalogue> {
        Arc::clone(&self.tools)
    }

    fn check_action<'a>(&'a self, action: &'a Input<'_>) -> BoxFuture<'a, Result<()>> {
        Box::pin(std::future::ready(self.types.check_action(action)))
    }

    fn open(&self, opening: Opening) -> BoxFuture<'static, Result<Box<dyn AnyEnvironment>>> {
        let factory = Arc::clone(&self.factory);
        let types = Arc::clone(&self.types);
        let build =
            move || -> Built { Ok(Box::new(Adapter::new(factory()?, types, opening.mode))) };
        let name = self.type_name.clone();
        let workshop = Arc::clone(&self.workshop);
        Box::pin(async move {
            let opened = match E::EXECUTION {
                Execution::Inline => workshop.make(build).await,
                Execution::Thread => thread::open(build, opening.log).await,
            };
            opened.map_err(|error| {
                tracing::error!(factory = name, %error, "could not create the environment");
                let message = format!("Environment factory '{name}' failed to create instance.");
                Error::of(Kind::Factory { name }, message)
            })
        })
    }
}

/// Where the factory of an inline environment runs.
///
/// Factories load data sets, and other sessions must not stand still meanwhile: a
/// factory runs on a thread for blocking work until it has shown that it is
/// quick, and goes back there as soon as it was slow.
#[derive(Default)]
struct Workshop {
    is_quick: AtomicBool,
}

impl Workshop {
    /// Longer than any factory that only makes a value, shorter than anything
    /// that another session would notice.
    const QUICK: Duration = Duration::from_micros(500);

    async fn make(self: Arc<Self>, build: impl FnOnce() -> Built + Send + 'static) -> Built {
        let timed = {
            let workshop = Arc::clone(&self);
            move || {
                let begin = Instant::now();
                let built = catch_unwind(AssertUnwindSafe(build));
                let is_quick = begin.elapsed() < Self::QUICK;
                workshop.is_quick.store(is_quick, Ordering::Relaxed);
                built.unwrap_or_else(|panic| Err(panicked(&*panic)))
            }
        };
        if self.is_quick.load(Ordering::Relaxed) {
            return timed();
        }
        tokio::task::spawn_blocking(timed)
            .await
            .unwrap_or_else(|_| Err(Error::new("the runtime is shutting down")))
    }
}

type Built = Result<Box<dyn AnyEnvironment>>;
