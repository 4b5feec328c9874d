//! What an author implements: [`Environment`].

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::error::Result;
use crate::tool::{ToolCall, Tools};

#[cfg(feature = "server")]
pub(crate) mod blueprint;
#[cfg(feature = "server")]
pub(crate) mod erased;
mod metadata;
mod mode;
mod options;
mod step;
pub(crate) mod tasks;
#[cfg(feature = "server")]
pub(crate) mod thread;
mod view;

pub use metadata::Metadata;
pub use mode::Mode;
pub use options::{ResetOptions, Seed, StepOptions};
pub use step::{Ending, Reward, Step};
pub use tasks::{Split, SplitKind, Tasks};
#[cfg(feature = "server")]
pub(crate) use view::View;
pub use view::{Rendering, Suggestion};

/// An environment: a world that an agent acts in, one episode at a time.
///
/// One value of the implementing type is one session. The server makes it with
/// the factory it was given, drives it with one call at a time, and closes it
/// exactly once. Nothing here does I/O or needs a runtime: an environment is as
/// easy to unit-test as any other struct.
///
/// ```
/// use openenv::{Environment, ResetOptions, Result, Step, StepOptions};
/// use schemars::JsonSchema;
/// use serde::{Deserialize, Serialize};
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Guess {
///     /// The number you think it is
///     #[schemars(range(min = 1, max = 100))]
///     number: u32,
/// }
///
/// #[derive(Serialize, JsonSchema)]
/// struct Hint {
///     text: String,
/// }
///
/// #[derive(Default)]
/// struct GuessTheNumber {
///     secret: u32,
/// }
///
/// impl Environment for GuessTheNumber {
///     type Action = Guess;
///     type Observation = Hint;
///     type ResetObservation = Hint;
///     type State = ();
///     const CONCURRENT: bool = true;
///
///     async fn reset(&mut self, options: ResetOptions) -> Result<Step<Hint>> {
///         let seed = options.seed.map_or(0, u64::from);
///         self.secret = (seed % 100) as u32 + 1;
///         Ok(Step::new(Hint { text: "1 to 100?".to_owned() }))
///     }
///
///     async fn step(&mut self, guess: Guess, _: StepOptions) -> Result<Step<Hint>> {
///         let text = if guess.number < self.secret { "higher" } else { "lower" };
///         if guess.number == self.secret {
///             return Ok(Step::new(Hint { text: "yes".to_owned() }).reward(1.0).terminated());
///         }
///         Ok(Step::new(Hint { text: text.to_owned() }).reward(0.0))
///     }
///
///     fn state(&self) {}
/// }
/// ```
pub trait Environment: Send + Sized + 'static {
    /// What the agent does in one step.
    ///
    /// Must be a JSON object. Fields that the type does not have are refused,
    /// and so is whatever breaks a constraint declared with `#[schemars(…)]`.
    ///
    /// An environment that has [tools](Self::tools) and no other actions says
    /// [`NoAction`](crate::NoAction).
    type Action: DeserializeOwned + JsonSchema + Send + 'static;

    /// What the agent sees after a step; must serialise to a JSON object or `()`.
    type Observation: Serialize + JsonSchema + Send;

    /// What the agent sees after a reset; most often the same type.
    type ResetObservation: Serialize + JsonSchema + Send;

    /// What a trainer may look at besides; must serialise to a JSON object or `()`.
    ///
    /// `episode_id` and `step_count` are kept by the server and added unless
    /// the type declares them itself.
    type State: Serialize + JsonSchema + Send;

    /// Whether several sessions may live in one process. Default: `false`.
    ///
    /// An environment that shares nothing outside of `self` says `true` and is
    /// then served to as many sessions as the server has room for.
    const CONCURRENT: bool = false;

    /// Where the calls run. Default: [`Execution::Inline`].
    const EXECUTION: Execution = Execution::Inline;

    /// Starts a new episode.
    ///
    /// Trainers do; agents that call tools over MCP never reset, and neither is a
    /// session reset when it is opened: a value that the factory made must be of
    /// use as it is.
    fn reset(
        &mut self,
        options: ResetOptions,
    ) -> impl Future<Output = Result<Step<Self::ResetObservation>>> + Send;

    /// Advances the episode by one action.
    ///
    /// When the client that owns the session goes away in the middle, the future
    /// is dropped at its next `.await` and [`close`](Self::close) follows; code
    /// that blocks a thread of its own runs on to its end. A session that a
    /// client merely attached to goes on.
    fn step(
        &mut self,
        action: Self::Action,
        options: StepOptions,
    ) -> impl Future<Output = Result<Step<Self::Observation>>> + Send;

    /// What the episode looks like now.
    fn state(&self) -> Self::State;

    /// Ends the session: the place to stop processes and delete files.
    ///
    /// It takes `self`, so it cannot run twice. What takes longer than the
    /// server's close timeout (10 seconds) is dropped at its next `.await`.
    /// Default: drops the environment.
    fn close(self) -> impl Future<Output = ()> + Send {
        async {}
    }

    /// How long one step may take. Default: no limit.
    ///
    /// A step over its limit is dropped and answered with an error; the session
    /// goes on, unless a thread of its own is blocked, which ends it. A client's
    /// own `timeout_s` can only shorten the limit.
    fn step_timeout(&self) -> Option<Duration> {
        None
    }

    /// The tools that agents call. Default: none.
    ///
    /// In simulation a trainer calls them as steps, in production agents call
    /// them over MCP; the functions are the same, on the same `self`. Agents do so
    /// without a [`reset`](Self::reset).
    fn tools() -> Tools<Self> {
        Tools::new()
    }

    /// Says what a tool call was worth that a trainer made as a step.
    ///
    /// It comes after the tool, whether that succeeded or not. Calls over MCP
    /// are no steps and not judged. Default: no reward, and the episode goes on.
    fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
        let _ = call;
        Step::new(())
    }

    /// Name, description and version for people and catalogues.
    ///
    /// Default: the name of the type.
    fn metadata() -> Metadata {
        Metadata::named_after::<Self>()
    }

    /// The episode as people see it on the web page. Default: nothing but the
    /// observation.
    ///
    /// It is asked for when somebody looks, not at every step. What panics here shows
    /// nothing, and the episode goes on.
    fn render(&self) -> Option<Rendering> {
        None
    }

    /// What can be done now, for people to do with one click. Default: nothing;
    /// the page then offers the values of an action that has only a few.
    fn suggested_actions(&self) -> Vec<Suggestion> {
        Vec::new()
    }

    /// The tasks that an episode can be about, by split. Default: none.
    fn tasks() -> Option<Arc<dyn Tasks>> {
        None
    }
}

/// Where the calls of one environment run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Execution {
    /// On the connection's own task: the fastest, for code that does not block.
    Inline,
    /// On a thread of the session's own, from factory to close, for code that
    /// blocks or must see one thread only.
    Thread,
}
