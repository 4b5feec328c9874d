//! The object-safe twin of [`Environment`]: what the server drives.
//!
//! An author's types end here. [`Adapter`] parses the action, calls the author
//! and writes the answer straight into the reply's buffer; nothing behind it
//! knows which environment it is.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use crate::contract::{Shape, Shapes};
use crate::env::{Environment, Mode, Step, StepOptions, View};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::tool::compiled::Listing;
use crate::tool::toolbox::Toolbox;
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

/// What the adapter needs to know of the author's types.
pub(crate) struct Types<E: Environment> {
    action: Shape<E::Action>,
    observation_has_metadata: bool,
    reset_has_metadata: bool,
    state: StateFields,
    tools: Toolbox<E>,
}

impl<E: Environment> Types<E> {
    pub(crate) fn new(shapes: Shapes<E>, tools: Toolbox<E>) -> Self {
        Self {
            observation_has_metadata: shapes.observation.declares("metadata"),
            reset_has_metadata: shapes.reset_observation.declares("metadata"),
            state: StateFields {
                episode_id: shapes.state.declares("episode_id"),
                step_count: shapes.state.declares("step_count"),
            },
            action: shapes.action,
            tools,
        }
    }

    /// Whether an action would be accepted.
    pub(crate) fn check_action(&self, action: &Input<'_>) -> Result<()> {
        self.action
            .parse(action)
            .map(drop)
            .map_err(Error::validation)
    }
}

/// Which of the fields that the server keeps the author's state has itself.
struct StateFields {
    episode_id: bool,
    step_count: bool,
}

/// An author's environment together with the episode that it plays.
pub(crate) struct Adapter<E: Environment> {
    environment: E,
    types: Arc<Types<E>>,
    mode: Mode,
    episode_id: Option<String>,
    step_count: u64,
}

impl<E: Environment> Adapter<E> {
    pub(crate) fn new(environment: E, types: Arc<Types<E>>, mode: Mode) -> Self {
        Self {
            environment,
            types,
            mode,
            episode_id: None,
            step_count: 0,
        }
    }
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
        // A picture is no part of the episode: what fails here shows nothing.
        let environment = &mut self.environment;
        let shown = catch_unwind(AssertUnwindSafe(|| View {
            rendering: environment.render(),
            suggested_actions: environment.suggested_actions(),
        }));
        let view = shown.unwrap_or_else(|panic| {
            tracing::error!(error = %panicked(&*panic), "could not render the environment");
            View::default()
        });
        Box::pin(std::future::ready(Ok(view)))
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
