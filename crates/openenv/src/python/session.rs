//! A session whose environment lives in a worker.

use std::borrow::Cow;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use tokio::time::timeout;

use super::frame::{Ask, HTTP, OPTIONS};
use super::payload::{self, text};
use super::pool::{Place, Pool};
use super::question::{Answer, Asked};
use super::report::ListedTool;
use crate::env::blueprint::Opening;
use crate::env::erased::{AnyEnvironment, BoxFuture, ToolStep};
use crate::env::{StepOptions, View};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::tool::compiled::Listing;
use crate::tool::{Progress, ToolFailure, ToolOutput};
use crate::wire::Form;
use crate::wire::request::ResetInput;

/// How long a close may go on after its session has given up on it.
const LAST_PATIENCE: Duration = Duration::from_secs(2);

/// How long a close may take that nobody waits for.
const CLOSE_PATIENCE: Duration = Duration::from_secs(10);

/// An environment in a worker.
#[derive(Debug)]
pub(super) struct PythonSession {
    pool: Arc<Pool>,
    opening: Opening,
    seat: Seat,
    /// Whether something happened in it that cannot be done again elsewhere.
    started: bool,
}

/// Where in a worker the environment is.
#[derive(Debug)]
struct Seat {
    place: Place,
    number: u32,
    /// Whether the environment has been, or is being, closed.
    closed: bool,
}

impl PythonSession {
    /// Makes an environment in the worker with the fewest.
    ///
    /// # Errors
    /// If the factory fails, or there is no worker.
    pub(super) async fn open(pool: Arc<Pool>, opening: Opening) -> Result<Self> {
        let seat = Seat::take(&pool, &opening).await?;
        Ok(Self {
            pool,
            opening,
            seat,
            started: false,
        })
    }

    async fn call(
        &mut self,
        ask: Ask,
        flag: u8,
        parts: &[&[u8]],
        limit: Option<Duration>,
    ) -> Result<Bytes> {
        self.ask(ask, flag, parts, limit, Progress::default()).await
    }

    async fn ask(
        &mut self,
        ask: Ask,
        flag: u8,
        parts: &[&[u8]],
        limit: Option<Duration>,
        progress: Progress,
    ) -> Result<Bytes> {
        if self.seat.place.worker.verdict().is_some() && !self.started {
            // Nothing is lost yet: it goes on where there is a worker.
            self.seat = Seat::take(&self.pool, &self.opening).await?;
        }
        self.started |= !matches!(ask, Ask::State | Ask::Tools | Ask::About | Ask::View);
        let what = match ask {
            Ask::Reset => "reset",
            Ask::Tool => "tool",
            _ => "step",
        };
        let asked = self.seat.ask(ask, flag, parts, progress)?;
        result(asked.answer_within(limit, what).await)
    }

    /// What is asked of the environment about its tasks.
    pub(super) async fn tasks(mut self, method: &str, arguments: Value) -> Result<Value> {
        let asked = json!({ "method": method, "arguments": arguments }).to_string();
        let answer = self.call(Ask::Tasks, 0, &[asked.as_bytes()], None).await;
        Box::new(self).close().await;
        Ok(serde_json::from_slice(&answer?)?)
    }

    /// What the environment says about itself.
    pub(super) async fn about(mut self) -> Result<Bytes> {
        let answer = self.call(Ask::About, 0, &[], None).await;
        Box::new(self).close().await;
        answer
    }
}

impl Seat {
    async fn take(pool: &Arc<Pool>, opening: &Opening) -> Result<Self> {
        // A worker may end between being chosen and being asked. If the second ends
        // as well, it is the factory that ends them.
        let mut attempts = 2;
        loop {
            attempts -= 1;
            let place = pool.place().await?;
            let mut seat = Self {
                number: place.worker.admit(opening),
                place,
                closed: false,
            };
            let asked = json!({
                "mode": opening.mode.to_string(),
                "alone": pool.isolates_sessions(),
            });
            let opening = seat.ask(
                Ask::Open,
                0,
                &[asked.to_string().as_bytes()],
                Progress::default(),
            )?;
            match opening.answer_within(None, "factory").await {
                Answer::Done(_) => return Ok(seat),
                Answer::Refused(error) => {
                    // There is no environment to close.
                    seat.closed = true;
                    return Err(error);
                }
                Answer::Gone(_) if attempts > 0 => {}
                Answer::Gone(why) => return Err(Error::new(&*why)),
            }
        }
    }

    fn ask(&self, ask: Ask, flag: u8, parts: &[&[u8]], progress: Progress) -> Result<Asked> {
        self.place
            .worker
            .ask(ask, self.number, flag, parts, progress)
    }
}

/// An environment whose session vanished is closed nevertheless, and has its place
/// until it is.
impl Drop for Seat {
    fn drop(&mut self) {
        let worker = &self.place.worker;
        if !self.closed
            && let Ok(asked) = self.ask(Ask::Close, 0, &[], Progress::default())
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            let seat = Self {
                place: self.place.hold_on(),
                number: self.number,
                closed: true,
            };
            runtime.spawn(seat.close_by_itself(asked));
        } else {
            worker.dismiss_session(self.number);
        }
    }
}

fn result(answer: Answer) -> Result<Bytes> {
    match answer {
        Answer::Done(bytes) => Ok(bytes),
        Answer::Refused(error) => Err(error),
        // As with a panic, the session is over.
        Answer::Gone(why) => Err(Error::of(Kind::Panic, &*why)),
    }
}

impl AnyEnvironment for PythonSession {
    fn reset<'a>(
        &'a mut self,
        asked: ResetInput<'a>,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            let data = match asked {
                ResetInput::Checked(options) => Cow::Owned(options.to_json()),
                ResetInput::AsSent(data) => text(data),
            };
            let parts = [data.as_bytes()];
            out.extend_from_slice(&self.call(Ask::Reset, flag(form), &parts, None).await?);
            Ok(())
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
            let action = text(action);
            let limit = self.pool.options.step_timeout;
            let reply = match payload::of_step(options) {
                None => {
                    let parts = [action.as_bytes()];
                    self.call(Ask::Step, flag(form), &parts, limit).await?
                }
                Some(keywords) => {
                    let length = u32::try_from(keywords.len()).unwrap_or(u32::MAX);
                    let parts = [
                        &length.to_le_bytes()[..],
                        keywords.as_bytes(),
                        action.as_bytes(),
                    ];
                    let flag = flag(form) | OPTIONS;
                    self.call(Ask::Step, flag, &parts, limit).await?
                }
            };
            out.extend_from_slice(&reply);
            Ok(())
        })
    }

    fn state<'a>(&'a mut self, form: Form, out: &'a mut Vec<u8>) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            out.extend_from_slice(&self.call(Ask::State, flag(form), &[], None).await?);
            Ok(())
        })
    }

    fn call_tool<'a>(
        &'a mut self,
        name: &'a str,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        Box::pin(async move {
            let name = serde_json::to_string(name)?;
            let arguments = text(arguments);
            let parts = [
                b"{\"name\":",
                name.as_bytes(),
                b",\"arguments\":",
                arguments.as_bytes(),
                b"}",
            ];
            let limit = self.pool.options.step_timeout;
            match self.ask(Ask::Tool, 0, &parts, limit, progress).await {
                Ok(result) => {
                    let plain: Box<RawValue> = serde_json::from_slice(&result)?;
                    let mut output = ToolOutput::received(&plain)?;
                    output.plain = Some(plain);
                    Ok(output)
                }
                Err(error) if error.is_execution() => {
                    let failure =
                        ToolFailure::told_by(error.message()).unwrap_or(ToolFailure::Execution);
                    Err(Error::of(Kind::Tool(failure), error.message()))
                }
                Err(error) => Err(error),
            }
        })
    }

    fn list_tools(&mut self) -> BoxFuture<'_, Result<Option<Vec<Listing>>>> {
        Box::pin(async move {
            let listed = self.call(Ask::Tools, 0, &[], None).await?;
            let tools: Vec<ListedTool> = serde_json::from_slice(&listed)?;
            let mode = self.opening.mode;
            let visible = tools.into_iter().map(Listing::from);
            Ok(Some(visible.filter(|tool| tool.is_in(mode)).collect()))
        })
    }

    fn conclude<'a>(
        &'a mut self,
        _: ToolStep,
        _: Form,
        _: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        // Its catalogue leaves all actions to the environment.
        unreachable!("an environment in Python takes the calls of its tools itself")
    }

    fn view(&mut self) -> BoxFuture<'_, Result<View>> {
        Box::pin(async move {
            let view = self.call(Ask::View, 0, &[], None).await?;
            Ok(serde_json::from_slice(&view)?)
        })
    }

    fn close(mut self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            self.seat.closed = true;
            let Ok(mut asked) = self.seat.ask(Ask::Close, 0, &[], Progress::default()) else {
                return;
            };
            // The caller gives up after its close timeout by dropping this.
            let closing = Closing(Some(self.seat));
            if let Answer::Refused(error) = asked.answer().await {
                tracing::debug!(%error, "close failed");
            }
            closing.done();
        })
    }

    fn step_timeout(&self) -> Option<Duration> {
        None
    }

    fn keeps_time(&self) -> bool {
        true
    }

    fn is_usable(&self) -> bool {
        self.seat.place.worker.verdict().is_none()
    }
}

/// An environment that is being closed. Dropped before it is, it is not waited for
/// any longer: what does not end takes its worker with it.
struct Closing(Option<Seat>);

impl Closing {
    fn done(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Closing {
    fn drop(&mut self) {
        if let Some(seat) = self.0.take()
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            runtime.spawn(seat.end());
        }
    }
}

impl Seat {
    /// Waits for a close that nobody else waits for.
    async fn close_by_itself(self, mut asked: Asked) {
        let closing = Closing(Some(self));
        if timeout(CLOSE_PATIENCE, asked.answer()).await.is_ok() {
            closing.done();
        }
    }

    /// Ends what does not end by itself, if need be with its worker.
    async fn end(self) {
        let worker = &self.place.worker;
        if worker.end_session(self.number, LAST_PATIENCE).await {
            return;
        }
        let number = worker.number;
        if worker.load() <= 1 {
            worker.kill(format!(
                "worker {number} was ended because a session in it did not"
            ));
        } else {
            tracing::warn!(
                worker = number,
                "a session does not end; its worker takes no new ones and ends with the others in it"
            );
            worker.retire();
        }
    }
}

fn flag(form: Form) -> u8 {
    match form {
        Form::WebSocket => 0,
        Form::Http => HTTP,
    }
}
