//! The object-safe twin of [`Environment`]: what the server drives.
//!
//! An author's types end here. [`Adapter`] parses the action, calls the author
//! and writes the answer straight into the reply's buffer; nothing behind it
//! knows which environment it is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::value::RawValue;

use crate::contract::{Contract, Shape, Shapes};
use crate::env::tasks::AnyTasks;
use crate::env::{Environment, Execution, Metadata, Mode, Step, StepOptions, View, thread};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::{SessionId, SessionLog};
use crate::tool::compiled::Listing;
use crate::tool::toolbox::{Catalogue, Toolbox};
use crate::tool::{Progress, ToolCall, ToolOutput};
use crate::wire::request::ResetInput;
use crate::wire::tool::{CalledObservation, ListedObservation};
use crate::wire::{self, Form};

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// One living environment. Every call appends its answer to `out`.
pub(crate) trait AnyEnvironment: Send {
    fn reset<'a>(
        &'a mut self,
        asked: ResetInput<'a>,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>>;

    fn step<'a>(
        &'a mut self,
        action: Input<'a>,
        options: StepOptions,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>>;

    fn state<'a>(&'a mut self, form: Form, out: &'a mut Vec<u8>) -> BoxFuture<'a, Result<()>>;

    fn call_tool<'a>(
        &'a mut self,
        name: &'a str,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>>;

    /// The tools of this environment, if it has others than its blueprint tells.
    fn list_tools(&mut self) -> BoxFuture<'_, Result<Option<Vec<Listing>>>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    /// Makes a step of what was done with tools: counts it, lets the environment
    /// judge it, and writes what the trainer sees.
    fn conclude<'a>(
        &'a mut self,
        step: ToolStep,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>>;

    /// What it shows to people.
    fn view(&mut self) -> BoxFuture<'_, Result<View>>;

    fn close(self: Box<Self>) -> BoxFuture<'static, ()>;

    fn step_timeout(&self) -> Option<Duration>;

    /// Whether it ends its calls in time itself. What a client asks for is then
    /// the environment's own business.
    fn keeps_time(&self) -> bool {
        false
    }

    /// Whether it can serve another call after one that came to nothing.
    ///
    /// A call that goes on although nobody waits for it any more leaves the
    /// environment busy, so a session whose call ran out of time is over.
    fn is_usable(&self) -> bool {
        true
    }
}

/// A step that an environment's tools took, not the environment itself.
#[derive(Debug)]
pub(crate) enum ToolStep {
    /// The tools were listed.
    Listed,
    /// One was called.
    Called {
        name: String,
        arguments: Box<RawValue>,
        outcome: Result<ToolOutput>,
    },
}

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

/// What the adapter needs to know of the author's types.
struct Types<E: Environment> {
    action: Shape<E::Action>,
    observation_has_metadata: bool,
    reset_has_metadata: bool,
    state: StateFields,
    tools: Toolbox<E>,
}

/// Which of the fields that the server keeps the author's state has itself.
struct StateFields {
    episode_id: bool,
    step_count: bool,
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
            types: Arc::new(Types {
                observation_has_metadata: shapes.observation.declares("metadata"),
                reset_has_metadata: shapes.reset_observation.declares("metadata"),
                state: StateFields {
                    episode_id: shapes.state.declares("episode_id"),
                    step_count: shapes.state.declares("step_count"),
                },
                action: shapes.action,
                tools,
            }),
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
        let checked = self.types.action.parse(action).map(drop);
        Box::pin(std::future::ready(checked.map_err(Error::validation)))
    }

    fn open(&self, opening: Opening) -> BoxFuture<'static, Result<Box<dyn AnyEnvironment>>> {
        let factory = Arc::clone(&self.factory);
        let types = Arc::clone(&self.types);
        let build = move || -> Built {
            Ok(Box::new(Adapter {
                environment: factory()?,
                types,
                mode: opening.mode,
                episode_id: None,
                step_count: 0,
            }))
        };
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

/// An author's environment together with the episode that it plays.
struct Adapter<E: Environment> {
    environment: E,
    types: Arc<Types<E>>,
    mode: Mode,
    episode_id: Option<String>,
    step_count: u64,
}

impl<E: Environment> AnyEnvironment for Adapter<E> {
    fn reset<'a>(
        &'a mut self,
        asked: ResetInput<'a>,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let mut options = asked.into_options()?;
            let episode_id = options.episode_id.clone().unwrap_or_else(new_episode_id);
            if !self.types.state.episode_id {
                // An environment that leaves the bookkeeping to the server still
                // learns the name that its episode goes by.
                options.episode_id = Some(episode_id.clone());
            }
            let step = self.environment.reset(options).await?;
            self.episode_id = Some(episode_id);
            self.step_count = 0;
            wire::write_step(out, &step, form, self.types.reset_has_metadata)
        })
    }

    fn step<'a>(
        &'a mut self,
        action: Input<'a>,
        options: StepOptions,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let action = self
                .types
                .action
                .parse(&action)
                .map_err(Error::validation)?;
            self.step_count += 1;
            let step = self.environment.step(action, options).await?;
            wire::write_step(out, &step, form, self.types.observation_has_metadata)
        })
    }

    fn state<'a>(&'a mut self, _: Form, out: &'a mut Vec<u8>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let state = self.environment.state();
            let episode_id = (!self.types.state.episode_id).then_some(&self.episode_id);
            let step_count = (!self.types.state.step_count).then_some(self.step_count);
            wire::write_state(out, &state, episode_id, step_count)
        })
    }

    fn call_tool<'a>(
        &'a mut self,
        name: &'a str,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        let tools = &self.types.tools;
        tools.call(&mut self.environment, self.mode, name, arguments, progress)
    }

    fn conclude<'a>(
        &'a mut self,
        step: ToolStep,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            self.step_count += 1;
            match step {
                ToolStep::Listed => {
                    let tools = self.types.tools.catalogue.visible(self.mode);
                    let step = Step::new(ListedObservation::new(tools));
                    wire::write_step(out, &step, form, false)
                }
                ToolStep::Called {
                    name,
                    arguments,
                    outcome,
                } => {
                    let call = ToolCall::new(&name, &arguments, outcome.as_ref());
                    let judged = self.environment.judge(call);
                    let observation = CalledObservation::new(&name, outcome.as_ref());
                    let step = judged.map(|()| observation);
                    wire::write_step(out, &step, form, false)
                }
            }
        })
    }

    fn view(&mut self) -> BoxFuture<'_, Result<View>> {
        // Within the future: a panic here must be caught as one of a call.
        Box::pin(async move {
            let environment = &mut self.environment;
            Ok(View {
                rendering: environment.render(),
                suggested_actions: environment.suggested_actions(),
            })
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(self.environment.close())
    }

    fn step_timeout(&self) -> Option<Duration> {
        self.environment.step_timeout()
    }
}

fn new_episode_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

/// The error for a panic that was caught.
pub(crate) fn panicked(panic: &(dyn std::any::Any + Send)) -> Error {
    let text = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Error::of(Kind::Panic, format!("the environment panicked: {text}"))
}
