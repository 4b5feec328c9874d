//! An environment that does as it is told and keeps a record of its life.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openenv::{
    Environment, Error, Execution, ResetOptions, Result, Server, ServerBuilder, Step, StepOptions,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to all probes of one test.
#[derive(Debug, Default)]
pub(crate) struct Life {
    opened: AtomicUsize,
    closed: AtomicUsize,
    finished_steps: AtomicUsize,
}

impl Life {
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    pub(crate) fn closed(&self) -> usize {
        self.closed.load(Ordering::SeqCst)
    }

    pub(crate) fn finished_steps(&self) -> usize {
        self.finished_steps.load(Ordering::SeqCst)
    }
}

#[derive(Debug, Clone, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct Order {
    /// Added to the sum
    pub(crate) add: i64,
    /// Waits, without blocking unless `block` says so
    pub(crate) sleep_ms: u64,
    pub(crate) block: bool,
    pub(crate) panic: bool,
    /// Panics when the step is dropped in the middle
    pub(crate) panic_on_drop: bool,
    #[schemars(length(max = 100))]
    pub(crate) fail: Option<String>,
    /// Text to send back, repeated
    pub(crate) repeat: usize,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Report {
    pub(crate) sum: i64,
    thread: String,
    pub(crate) text: String,
}

/// `THREAD` chooses the execution, `CONCURRENT` what it declares.
#[derive(Debug)]
pub(crate) struct Probe<const THREAD: bool, const CONCURRENT: bool> {
    life: Arc<Life>,
    sum: i64,
    step_timeout: Option<Duration>,
    slow_close: Duration,
}

/// The common case: concurrent and inline.
pub(crate) type InlineProbe = Probe<false, true>;
/// Concurrent, on a thread of its own.
pub(crate) type ThreadProbe = Probe<true, true>;
/// Alone in the process, on a thread of its own.
pub(crate) type LonelyProbe = Probe<true, false>;

impl<const THREAD: bool, const CONCURRENT: bool> Probe<THREAD, CONCURRENT> {
    pub(crate) fn new(life: &Arc<Life>) -> Self {
        life.opened.fetch_add(1, Ordering::SeqCst);
        Self {
            life: Arc::clone(life),
            sum: 0,
            step_timeout: None,
            slow_close: Duration::ZERO,
        }
    }

    pub(crate) fn step_timeout(mut self, limit: Duration) -> Self {
        self.step_timeout = Some(limit);
        self
    }

    pub(crate) fn slow_close(mut self, pause: Duration) -> Self {
        self.slow_close = pause;
        self
    }

    /// A server of probes, and the record of their lives.
    pub(crate) fn server() -> (ServerBuilder, Arc<Life>) {
        let life = Arc::new(Life::default());
        let of_factory = Arc::clone(&life);
        (
            Server::builder().environment("probe", move || Self::new(&of_factory)),
            life,
        )
    }

    fn report(&self, text: String) -> Step<Report> {
        let thread = std::thread::current();
        Step::new(Report {
            sum: self.sum,
            thread: format!("{} {:?}", thread.name().unwrap_or_default(), thread.id()),
            text,
        })
    }
}

/// Goes off when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic!("dropped in the middle");
    }
}

impl<const THREAD: bool, const CONCURRENT: bool> Environment for Probe<THREAD, CONCURRENT> {
    type Action = Order;
    type Observation = Report;
    type ResetObservation = Report;
    type State = ();

    const CONCURRENT: bool = CONCURRENT;
    const EXECUTION: Execution = if THREAD {
        Execution::Thread
    } else {
        Execution::Inline
    };

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<Report>> {
        self.sum = 0;
        Ok(self.report(String::new()))
    }

    async fn step(&mut self, order: Order, _: StepOptions) -> Result<Step<Report>> {
        let pause = Duration::from_millis(order.sleep_ms);
        let _bomb = order.panic_on_drop.then(|| Bomb);
        if order.block {
            std::thread::sleep(pause);
        } else if !pause.is_zero() {
            tokio::time::sleep(pause).await;
        }
        assert!(!order.panic, "told to");
        if let Some(text) = order.fail {
            return Err(Error::new(text));
        }
        self.sum += order.add;
        self.life.finished_steps.fetch_add(1, Ordering::SeqCst);
        Ok(self.report("x".repeat(order.repeat)).reward(order.add))
    }

    fn state(&self) {}

    async fn close(self) {
        tokio::time::sleep(self.slow_close).await;
        self.life.closed.fetch_add(1, Ordering::SeqCst);
    }

    fn step_timeout(&self) -> Option<Duration> {
        self.step_timeout
    }
}
