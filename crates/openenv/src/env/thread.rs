//! An environment on a thread of its own, from factory to close.
//!
//! The thread owns the environment; the session holds [`OnThread`], which hands
//! calls over and waits for the answers. A session that goes away in the middle
//! of a call leaves the thread to finish it and to close the environment.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc;
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::oneshot;

use crate::env::erased::{AnyEnvironment, BoxFuture, ToolStep, panicked};
use crate::env::{ResetOptions, StepOptions, View};
use crate::error::{Error, Kind, Result};
use crate::json::Input;
use crate::server::SessionLog;
use crate::tool::{Progress, ToolOutput};
use crate::wire::Form;
use crate::wire::request::ResetInput;

/// Makes the environment on a new thread and returns the handle to it.
pub(crate) async fn open(
    build: impl FnOnce() -> Result<Box<dyn AnyEnvironment>> + Send + 'static,
    log: SessionLog,
) -> Result<Box<dyn AnyEnvironment>> {
    let (jobs, inbox) = mpsc::channel();
    let (ready, opened) = oneshot::channel();
    let runtime = Handle::current();
    std::thread::Builder::new()
        .name("openenv-session".to_owned())
        .spawn(move || {
            let _kept = log.enter();
            let built = catch_unwind(AssertUnwindSafe(build))
                .unwrap_or_else(|panic| Err(panicked(&*panic)));
            match built {
                Err(error) => drop(ready.send(Err(error))),
                Ok(environment) => {
                    // If nobody waits any more, the inbox is closed as well and
                    // the environment is closed right away.
                    let _ = ready.send(Ok(environment.step_timeout()));
                    serve(environment, &inbox, &runtime);
                }
            }
        })?;
    let step_timeout = opened.await.map_err(|_| ended())??;
    Ok(Box::new(OnThread {
        jobs,
        step_timeout,
        busy: false,
    }))
}

/// The session's end of the thread.
struct OnThread {
    jobs: mpsc::Sender<Job>,
    step_timeout: Option<Duration>,
    /// Whether the thread has not answered the last call.
    busy: bool,
}

enum Job {
    Call(Box<Call>, Form, oneshot::Sender<Answer>),
    Close(oneshot::Sender<()>),
}

/// What a call wrote or returned, and how long the next step may take.
type Answer = (Result<Written>, Option<Duration>);

enum Written {
    Json(Vec<u8>),
    Tool(ToolOutput),
    View(View),
}

enum Call {
    Reset(ResetOptions),
    Step(Input<'static>, StepOptions),
    State,
    Tool(String, Input<'static>, Progress),
    Conclude(ToolStep),
    View,
}

impl OnThread {
    async fn hand_over(&mut self, call: Call, form: Form) -> Result<Written> {
        let (answer, answered) = oneshot::channel();
        self.jobs
            .send(Job::Call(Box::new(call), form, answer))
            .map_err(|_| ended())?;
        self.busy = true;
        let (written, step_timeout) = answered.await.map_err(|_| ended())?;
        self.busy = false;
        self.step_timeout = step_timeout;
        written
    }

    fn call<'a>(
        &'a mut self,
        call: Call,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        Box::pin(async move {
            if let Written::Json(mut json) = self.hand_over(call, form).await? {
                out.append(&mut json);
            }
            Ok(())
        })
    }
}

impl AnyEnvironment for OnThread {
    fn reset<'a>(
        &'a mut self,
        asked: ResetInput<'a>,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        match asked.into_options() {
            Ok(options) => self.call(Call::Reset(options), form, out),
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }

    fn step<'a>(
        &'a mut self,
        action: Input<'a>,
        options: StepOptions,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        self.call(Call::Step(action.into_owned(), options), form, out)
    }

    fn state<'a>(&'a mut self, form: Form, out: &'a mut Vec<u8>) -> BoxFuture<'a, Result<()>> {
        self.call(Call::State, form, out)
    }

    fn call_tool<'a>(
        &'a mut self,
        name: &'a str,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        let call = Call::Tool(name.to_owned(), arguments.into_owned(), progress);
        Box::pin(async move {
            match self.hand_over(call, Form::WebSocket).await? {
                Written::Tool(output) => Ok(output),
                _ => unreachable!("a tool call is answered with its output"),
            }
        })
    }

    fn conclude<'a>(
        &'a mut self,
        step: ToolStep,
        form: Form,
        out: &'a mut Vec<u8>,
    ) -> BoxFuture<'a, Result<()>> {
        self.call(Call::Conclude(step), form, out)
    }

    fn view(&mut self) -> BoxFuture<'_, Result<View>> {
        Box::pin(async move {
            match self.hand_over(Call::View, Form::WebSocket).await? {
                Written::View(view) => Ok(view),
                _ => unreachable!("a view is answered with a view"),
            }
        })
    }

    fn close(self: Box<Self>) -> BoxFuture<'static, ()> {
        Box::pin(async move {
            let (done, closed) = oneshot::channel();
            if self.jobs.send(Job::Close(done)).is_ok() {
                let _ = closed.await;
            }
        })
    }

    fn step_timeout(&self) -> Option<Duration> {
        self.step_timeout
    }

    fn is_usable(&self) -> bool {
        !self.busy
    }
}

/// The life of the thread: call after call until the session closes or is gone.
fn serve(mut environment: Box<dyn AnyEnvironment>, inbox: &mpsc::Receiver<Job>, runtime: &Handle) {
    let mut closed = None;
    while let Ok(job) = inbox.recv() {
        match job {
            Job::Close(done) => {
                closed = Some(done);
                break;
            }
            Job::Call(call, form, mut answer) => {
                let outcome = catch_unwind(AssertUnwindSafe(|| {
                    let calling = perform(&mut *environment, *call, form);
                    // A call that awaits something ends with whoever waits for
                    // it; one that blocks the thread cannot be ended.
                    let result = runtime.block_on(async {
                        tokio::select! {
                            biased;
                            result = calling => Some(result),
                            () = answer.closed() => None,
                        }
                    });
                    (result, environment.step_timeout())
                }));
                let answered = match outcome {
                    Ok((Some(result), limit)) => (result, limit),
                    Ok((None, _)) => continue,
                    Err(panic) => (Err(panicked(&*panic)), None),
                };
                let _ = answer.send(answered);
            }
        }
    }
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| runtime.block_on(environment.close()))) {
        tracing::error!(error = %panicked(&*panic), "closing the environment failed");
    }
    if let Some(done) = closed {
        let _ = done.send(());
    }
}

async fn perform(environment: &mut dyn AnyEnvironment, call: Call, form: Form) -> Result<Written> {
    let mut out = Vec::new();
    match call {
        Call::Reset(options) => {
            let asked = ResetInput::Checked(options);
            environment.reset(asked, form, &mut out).await?;
        }
        Call::Step(action, options) => {
            environment.step(action, options, form, &mut out).await?;
        }
        Call::State => environment.state(form, &mut out).await?,
        Call::Conclude(step) => environment.conclude(step, form, &mut out).await?,
        Call::Tool(name, arguments, progress) => {
            let output = environment.call_tool(&name, arguments, progress).await?;
            return Ok(Written::Tool(output));
        }
        Call::View => return Ok(Written::View(environment.view().await?)),
    }
    Ok(Written::Json(out))
}

fn ended() -> Error {
    Error::of(Kind::Session, "the thread of the session has ended")
}
