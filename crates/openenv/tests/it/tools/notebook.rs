//! An environment to test tools with: a notebook, and much that can go wrong.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openenv::{
    Environment, Error, Execution, Mode, NoAction, ResetOptions, Result, Server, ServerBuilder,
    Step, StepOptions, Tool, ToolCall, ToolObservation, ToolOutput, Tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// `THREAD` chooses the execution.
#[derive(Debug)]
pub(crate) struct Notebook<const THREAD: bool> {
    lines: Vec<String>,
    closed: Arc<AtomicUsize>,
}

impl<const THREAD: bool> Notebook<THREAD> {
    pub(crate) fn server() -> ServerBuilder {
        Self::counted(&Arc::default())
    }

    /// Counts the notebooks that were closed.
    pub(crate) fn counted(closed: &Arc<AtomicUsize>) -> ServerBuilder {
        let closed = Arc::clone(closed);
        Server::builder()
            .environment("notebook", move || Self {
                lines: Vec::new(),
                closed: Arc::clone(&closed),
            })
            .max_sessions(4)
    }
}

impl<const THREAD: bool> Environment for Notebook<THREAD> {
    type Action = NoAction;
    type Observation = ToolObservation;
    type ResetObservation = ();
    type State = ();
    const CONCURRENT: bool = true;
    const EXECUTION: Execution = if THREAD {
        Execution::Thread
    } else {
        Execution::Inline
    };

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        self.lines.clear();
        Ok(Step::new(()))
    }

    async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
        match none {}
    }

    fn state(&self) {}

    async fn close(self) {
        self.closed.fetch_add(1, Ordering::SeqCst);
    }

    fn tools() -> Tools<Self> {
        Tools::new()
            .add(Tool::new("write", "Writes a line", Self::write))
            .add(Tool::new("read", "Reads all lines", Self::read).read_only())
            .add(Tool::new("picture", "Shows a picture", Self::picture))
            .add(Tool::new("fail", "Fails in given words", Self::fail))
            .add(Tool::new("doubt", "Finds fault with its text", Self::doubt))
            .add(Tool::new("panic", "Panics", Self::panic))
            .add(Tool::new("panic_early", "Panics before its future", eager))
            .add(Tool::new("panic_parsing", "Panics as it is read", trap))
            .add(Tool::new("wait", "Waits, then writes", Self::wait))
            .add(Tool::new("hasty", "Waits as well", Self::wait).timeout(Duration::from_millis(60)))
            .add(Tool::new("mode", "Tells", Self::simulated).only(Mode::Simulation))
            .add(Tool::new("mode", "Tells", Self::produced).only(Mode::Production))
            .add(Tool::new("cheat", "Helps", Self::simulated).only(Mode::Simulation))
    }

    /// The reward counts lines, the third one ends the episode.
    fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
        let arguments: Value = serde_json::from_str(call.arguments.get()).unwrap_or_default();
        let step = Step::new(())
            .with("tool", call.name)
            .with("arguments", arguments);
        match call.outcome {
            Ok(output) => step
                .reward(u32::try_from(self.lines.len()).unwrap_or(u32::MAX))
                .done(self.lines.len() == 3)
                .with("told", output.content().len()),
            Err(error) => step
                .reward(-1)
                .truncated()
                .with("failure", error.tool_failure().map(|it| it.to_string())),
        }
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Text {
    /// What to write
    #[schemars(length(min = 1))]
    text: String,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(super) struct Pause {
    ms: u64,
    /// Holds up the thread
    #[serde(default)]
    block: bool,
}

#[expect(clippy::unused_async, reason = "a tool is called like this")]
impl<const THREAD: bool> Notebook<THREAD> {
    async fn write(&mut self, Text { text }: Text) -> Result<usize> {
        self.lines.push(text);
        Ok(self.lines.len())
    }

    async fn read(&mut self, (): ()) -> Result<Vec<String>> {
        Ok(self.lines.clone())
    }

    async fn picture(&mut self, (): ()) -> Result<ToolOutput> {
        let output = ToolOutput::new()
            .text("a dot")
            .image([1, 2, 3], "image/png")
            .audio([4], "audio/wav");
        output.data(&serde_json::json!({ "dots": 1 }))
    }

    async fn fail(&mut self, Text { text }: Text) -> Result<()> {
        Err(text.into())
    }

    async fn doubt(&mut self, Text { text }: Text) -> Result<()> {
        Err(Error::invalid("text", format!("`{text}` is no line")))
    }

    async fn panic(&mut self, (): ()) -> Result<()> {
        panic!("told to");
    }

    async fn wait(&mut self, pause: Pause) -> Result<usize> {
        self.lines.push("begin".to_owned());
        let time = Duration::from_millis(pause.ms);
        if pause.block {
            std::thread::sleep(time);
        } else {
            tokio::time::sleep(time).await;
        }
        self.lines.push("end".to_owned());
        Ok(self.lines.len())
    }

    async fn simulated(&mut self, (): ()) -> Result<&'static str> {
        Ok("simulation")
    }

    async fn produced(&mut self, (): ()) -> Result<&'static str> {
        Ok("production")
    }
}

/// No `async fn`: it panics when it is called, not when it is awaited.
fn eager<E>(_: &mut E, (): ()) -> std::future::Ready<Result<()>> {
    panic!("too early");
}

#[derive(Debug, JsonSchema)]
pub(super) struct Trap {}

impl<'de> Deserialize<'de> for Trap {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        panic!("no such trap");
    }
}

fn trap<E>(_: &mut E, Trap {}: Trap) -> std::future::Ready<Result<()>> {
    std::future::ready(Ok(()))
}
