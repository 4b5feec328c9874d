//! The calls that a session serves, one at a time.

use std::panic::AssertUnwindSafe;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::FutureExt;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::{MappedMutexGuard, MutexGuard};

use super::{Session, gone};
use crate::env::erased::{AnyEnvironment, BoxFuture, ToolStep, panicked};
use crate::env::{Step, StepOptions, View};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::at_once::at_once;
use crate::server::episodes::Kind as Recorded;
use crate::server::session_log::LogLine;
use crate::tool::compiled::Listing;
use crate::tool::toolbox::Action;
use crate::tool::{Progress, ToolFailure, ToolOutput};
use crate::wire::request::ResetInput;
use crate::wire::tool::{CalledObservation, PlainResult};
use crate::wire::{self, Form};

impl Session {
    pub(crate) async fn reset(
        &self,
        asked: ResetInput<'_>,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut call = Call::begin(self).await?;
        let draft = self
            .recorder
            .begin(Recorded::Reset, || asked.to_json().into());
        let start = out.len();
        let future = call.environment.reset(asked, form, out);
        let result = self.guard(future, None, "reset").await;
        self.recorder
            .finish(draft, result.as_ref().map(|()| &out[start..]));
        result
    }

    /// Takes one step: an action of the environment's own, or a tool.
    pub(crate) async fn step(
        &self,
        action: Input<'_>,
        options: StepOptions,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        let mut call = Call::begin(self).await?;
        let draft = self
            .recorder
            .begin(Recorded::Step, || action.to_json().into());
        let start = out.len();
        let result = self.take_step(&mut call, action, options, form, out).await;
        self.recorder
            .finish(draft, result.as_ref().map(|()| &out[start..]));
        result
    }

    async fn take_step(
        &self,
        call: &mut Call<'_>,
        action: Input<'_>,
        options: StepOptions,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        match self.tools.action(action)? {
            Action::Own(action) => self.own_step(call, action, options, form, out).await,
            Action::List => {
                self.steps.fetch_add(1, Ordering::Relaxed);
                let future = call.environment.conclude(ToolStep::Listed, form, out);
                self.guard(future, None, "step").await
            }
            Action::Call { name, arguments } => {
                self.tool_step(call, name, arguments, options.timeout, form, out)
                    .await
            }
        }
    }

    async fn own_step(
        &self,
        call: &mut Call<'_>,
        action: Input<'_>,
        options: StepOptions,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        let limit = shorter(call.environment.step_timeout(), options.timeout)
            .filter(|_| !call.environment.keeps_time());
        let future = call.environment.step(action, options, form, out);
        let result = self.guard(future, limit, "step").await;
        match result {
            Err(error) if error.is_timeout() && !call.environment.is_usable() => {
                Err(Error::of(Kind::Timeout, self.end_for(error.message())))
            }
            result => result,
        }
    }

    async fn tool_step(
        &self,
        call: &mut Call<'_>,
        name: String,
        arguments: Box<RawValue>,
        asked: Option<Duration>,
        form: Form,
        out: &mut Vec<u8>,
    ) -> Result<()> {
        self.steps.fetch_add(1, Ordering::Relaxed);
        let limit = shorter(
            call.environment.step_timeout(),
            Some(self.tools.step_timeout(&name, self.mode, asked)),
        );
        let given = Input::raw(arguments.get());
        let outcome = self
            .run_tool(call, &name, given, limit, Progress::default())
            .await;
        match outcome {
            // Not the tool failed but the session.
            Err(error) if error.tool_failure().is_none() => Err(error),
            outcome if self.is_over() => {
                // Whatever holds the environment up does not let it judge either.
                let observation = CalledObservation::new(&name, outcome.as_ref());
                wire::write_step(out, &Step::new(observation), form, false)
            }
            outcome => {
                let step = ToolStep::Called {
                    name,
                    arguments,
                    outcome,
                };
                let future = call.environment.conclude(step, form, out);
                self.guard(future, None, "step").await
            }
        }
    }

    /// Calls a tool for its own sake, without making a step of it.
    pub(crate) async fn call_tool(
        &self,
        name: &str,
        arguments: Input<'_>,
        progress: Progress,
    ) -> Result<ToolOutput> {
        let known = self.tools.look_up(name, self.mode)?;
        let limit = known.and_then(|tool| tool.timeout);
        let mut call = Call::begin(self).await?;
        let draft = self
            .recorder
            .begin(Recorded::Tool, || called(name, &arguments));
        let result = self
            .run_tool(&mut call, name, arguments, limit, progress)
            .await;
        if draft.is_some() {
            let written = result.as_ref().map(|output| {
                serde_json::to_vec(&PlainResult(output)).unwrap_or_else(|_| b"null".into())
            });
            self.recorder
                .finish(draft, written.as_deref().map_err(|error| *error));
        }
        result
    }

    /// The tools of this session, if they are not those that every session has.
    pub(crate) async fn list_tools(&self) -> Result<Option<Vec<Listing>>> {
        if !self.tools.vary() {
            return Ok(None);
        }
        let mut call = Call::begin(self).await?;
        let future = call.environment.list_tools();
        self.guard(future, None, "list").await
    }

    async fn run_tool(
        &self,
        call: &mut Call<'_>,
        name: &str,
        arguments: Input<'_>,
        limit: Option<Duration>,
        progress: Progress,
    ) -> Result<ToolOutput> {
        self.tool_calls.fetch_add(1, Ordering::Relaxed);
        let future = call.environment.call_tool(name, arguments, progress);
        let result = self.guard(future, limit, "tool").await;
        let error = result.as_ref().err().map(tracing::field::display);
        tracing::debug!(session = %self.id, tool = name, error, "tool called");
        match result {
            Err(error) if matches!(error.kind(), Kind::Timeout) => {
                let mut message = match limit.map(|limit| limit.as_secs_f64()) {
                    Some(seconds) => format!("Tool '{name}' timed out after {seconds:?} seconds"),
                    None => error
                        .message()
                        .replacen("tool", &format!("Tool '{name}'"), 1),
                };
                if !call.environment.is_usable() {
                    message = self.end_for(&message);
                }
                Err(Error::of(Kind::Tool(ToolFailure::Timeout), message))
            }
            result => result,
        }
    }

    pub(crate) async fn state(&self, form: Form, out: &mut Vec<u8>) -> Result<()> {
        let mut call = Call::begin(self).await?;
        let start = out.len();
        let future = call.environment.state(form, out);
        self.guard(future, None, "state").await?;
        self.recorder.attach_state(&out[start..]);
        Ok(())
    }

    /// What the environment shows to people, and where that was written down.
    pub(crate) async fn view(&self) -> Result<Shown> {
        let call = Call::begin(self).await?;
        self.look(call).await
    }

    /// The same, unless a call is running: nobody has to wait for it.
    #[cfg(feature = "web")]
    pub(crate) async fn view_if_free(&self) -> Option<Shown> {
        let environment = self.environment.try_lock().ok()?;
        let call = Call::with(self, environment).ok()?;
        self.look(call).await.ok()
    }

    async fn look(&self, mut call: Call<'_>) -> Result<Shown> {
        let view = self.guard(call.environment.view(), None, "view").await?;
        self.recorder.attach_view(&view);
        let place = self.recorder.place();
        Ok(Shown {
            episode: place.as_ref().map(|(episode, _)| episode.key.clone()),
            step: place.map(|(_, step)| step),
            view,
            logs: self.recorder.last_lines(),
        })
    }

    /// Runs a call so that neither a panic nor a lack of time gets past it.
    async fn guard<T>(
        &self,
        future: BoxFuture<'_, Result<T>>,
        limit: Option<Duration>,
        what: &str,
    ) -> Result<T> {
        let mut future = self.log.during(AssertUnwindSafe(future).catch_unwind());
        let outcome = match at_once(&mut future).await {
            Some(outcome) => outcome,
            None => self.wait(future, limit, what).await?,
        };
        let result = outcome.unwrap_or_else(|panic| Err(panicked(&*panic)));
        match result {
            Err(error) if error.is_panic() => {
                tracing::error!(session = %self.id, %error, "the environment failed");
                Err(Error::of(Kind::Panic, self.end_for(error.message())))
            }
            result => result,
        }
    }

    /// Waits for a call that is not done at once, unless it has to end before.
    async fn wait<F: Future>(
        &self,
        future: F,
        limit: Option<Duration>,
        what: &str,
    ) -> Result<F::Output> {
        let timed_out = async {
            match limit {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            output = future => Ok(output),
            () = self.interrupt.notified() => Err(gone(self)),
            () = timed_out => {
                let seconds = limit.unwrap_or_default().as_secs_f64();
                Err(Error::of(Kind::Timeout, format!("{what} timed out after {seconds} seconds")))
            }
        }
    }

    /// Ends the session for a reason, and says so.
    fn end_for(&self, reason: &str) -> String {
        self.over.store(true, Ordering::Relaxed);
        format!("{reason}; the session is over")
    }
}

/// What an environment shows, and the step that it shows.
#[derive(Debug, Serialize)]
pub(crate) struct Shown {
    /// Under which the episode is kept.
    episode: Option<String>,
    step: Option<u64>,
    #[serde(flatten)]
    view: View,
    logs: Vec<LogLine>,
}

/// The call of a tool as it is written down.
fn called(name: &str, arguments: &Input<'_>) -> Box<str> {
    let name = serde_json::Value::from(name);
    let arguments = arguments.to_json();
    format!(r#"{{"name":{name},"arguments":{arguments}}}"#).into()
}

/// The shorter of two limits, where there is any.
fn shorter(one: Option<Duration>, other: Option<Duration>) -> Option<Duration> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, other) => one.or(other),
    }
}

/// The right to use the environment, for the length of one call.
struct Call<'a> {
    session: &'a Session,
    environment: MappedMutexGuard<'a, Box<dyn AnyEnvironment>>,
}

impl<'a> Call<'a> {
    async fn begin(session: &'a Session) -> Result<Self> {
        Self::with(session, session.environment.lock().await)
    }

    fn with(
        session: &'a Session,
        environment: MutexGuard<'a, Option<Box<dyn AnyEnvironment>>>,
    ) -> Result<Self> {
        // A call that waited for its turn while the session was closed must not
        // have it: closing waits for the environment too.
        if session.is_over() || session.link().ended {
            return Err(gone(session));
        }
        let environment =
            MutexGuard::try_map(environment, Option::as_mut).map_err(|_| gone(session))?;
        session.running.fetch_add(1, Ordering::AcqRel);
        Ok(Self {
            session,
            environment,
        })
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.session.touch();
        self.session.running.fetch_sub(1, Ordering::AcqRel);
    }
}
