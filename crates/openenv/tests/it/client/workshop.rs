//! An environment of tools that do as they are told.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openenv::{
    Environment, Error, Mode, NoAction, Progress, ResetOptions, Result, Server, ServerBuilder,
    Step, StepOptions, Tool, ToolCall, ToolObservation, ToolOutput, Tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::support::nothing_but_tools;

/// What became of the waits in all workshops of a test.
#[derive(Debug, Default)]
pub(super) struct Waits {
    begun: AtomicUsize,
    ended: AtomicUsize,
    dropped: AtomicUsize,
}

impl Waits {
    pub(super) fn begun(&self) -> usize {
        self.begun.load(Ordering::SeqCst)
    }

    pub(super) fn ended(&self) -> usize {
        self.ended.load(Ordering::SeqCst)
    }

    /// Those that did not come to their end.
    pub(super) fn dropped(&self) -> usize {
        self.dropped.load(Ordering::SeqCst)
    }
}

/// A wait that is under way.
struct Wait(Arc<Waits>);

impl Drop for Wait {
    fn drop(&mut self) {
        self.0.dropped.fetch_add(1, Ordering::SeqCst);
    }
}

#[derive(Debug)]
pub(super) struct Workshop {
    sum: i64,
    waits: Arc<Waits>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Amount {
    /// Added to the sum
    #[schemars(range(min = -100, max = 100))]
    pub(super) amount: i64,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Words {
    pub(super) text: String,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(super) struct Pause {
    pub(super) milliseconds: u64,
}

#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(super) struct Part {
    pub(super) name: String,
    pub(super) sizes: Vec<f64>,
}

impl Workshop {
    /// A server of workshops, and what becomes of the waits in them.
    pub(super) fn server() -> (ServerBuilder, Arc<Waits>) {
        let waits = Arc::new(Waits::default());
        let of_factory = Arc::clone(&waits);
        let workshop = move || Self {
            sum: 0,
            waits: Arc::clone(&of_factory),
        };
        (Server::builder().environment("workshop", workshop), waits)
    }

    fn fail(_: &mut Self, Words { text }: Words) -> Result<String> {
        match text.as_str() {
            "" => Err(Error::invalid("text", "say why")),
            _ => Err(Error::new(text)),
        }
    }

    async fn wait(&mut self, pause: Pause, progress: Progress) -> Result<()> {
        self.waits.begun.fetch_add(1, Ordering::SeqCst);
        let wait = Wait(Arc::clone(&self.waits));
        progress.report(1.0, 2.0, "waiting");
        tokio::time::sleep(Duration::from_millis(pause.milliseconds)).await;
        progress.report(2.0, 2.0, "waited");
        self.waits.ended.fetch_add(1, Ordering::SeqCst);
        std::mem::forget(wait);
        Ok(())
    }
}

impl Environment for Workshop {
    type Action = NoAction;
    type Observation = ToolObservation;
    type ResetObservation = ();
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        self.sum = 0;
        Ok(Step::new(()))
    }

    async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
        match none {}
    }

    fn state(&self) {}

    fn tools() -> Tools<Self> {
        let add = |workshop: &mut Self, Amount { amount }: Amount| {
            workshop.sum += amount;
            Ok(workshop.sum)
        };
        let part = |_: &mut Self, Words { text }: Words| {
            Ok(Part {
                name: text,
                sizes: vec![1.5, 2.0],
            })
        };
        let picture =
            |_: &mut Self, (): ()| Ok(ToolOutput::new().text("see").image([1], "image/x"));
        let panic = |_: &mut Self, (): ()| -> Result<()> { panic!("told to") };
        Tools::new()
            .add(Tool::new("add", "Adds to the sum", add).title("Add"))
            .add(Tool::new("fail", "Fails", Self::fail))
            .add(Tool::new("wait", "Waits", Self::wait))
            .add(Tool::new("hurry", "", Self::wait).timeout(Duration::from_millis(50)))
            .add(Tool::new("part", "Makes a part", part))
            .add(Tool::new("picture", "Takes a picture", picture))
            .add(Tool::new("panic", "Panics", panic))
            .add(Tool::new("peek", "Looks", |_: &mut Self, (): ()| Ok(1)).only(Mode::Simulation))
            .add(Tool::new("sell", "Sells", |_: &mut Self, (): ()| Ok(2)).only(Mode::Production))
    }

    /// A reward for what worked; the first failure ends the episode.
    fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
        match call.outcome {
            Ok(_) => Step::new(()).reward(1.0),
            Err(_) => Step::new(()).reward(-1.0).terminated(),
        }
    }
}

/// An environment with more tools than are listed at once.
pub(super) struct Warehouse;

impl Warehouse {
    pub(super) const TOOLS: usize = 250;
}

nothing_but_tools!(
    Warehouse,
    (0..Self::TOOLS).fold(Tools::new(), |tools, number| {
        let call = move |_: &mut Self, (): ()| Ok(number);
        tools.add(Tool::new(format!("tool_{number}"), "One of many", call))
    })
);
