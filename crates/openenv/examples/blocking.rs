//! An environment that blocks: a simulator, a subprocess, a database driver.
//!
//! `Execution::Thread` gives each session a thread of its own, from the factory
//! to `close`. The code may block as it likes and sees one thread only.

use std::thread;
use std::time::{Duration, Instant};

use openenv::{Environment, Execution, ResetOptions, Result, Server, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

mod port;

#[derive(Deserialize, JsonSchema)]
struct Work {
    /// How long to work, in milliseconds
    #[serde(default)]
    #[schemars(range(max = 10_000))]
    milliseconds: u64,
}

#[derive(Serialize, JsonSchema)]
struct Report {
    /// How long it took, in milliseconds
    took: u64,
    /// Whether the work was done on the thread that the session began on
    same_thread: bool,
}

struct Slow {
    thread: thread::ThreadId,
}

impl Slow {
    /// Starting up may block as well.
    fn start() -> Self {
        thread::sleep(Duration::from_millis(1));
        Self {
            thread: thread::current().id(),
        }
    }

    fn work(&self, time: Duration) -> Report {
        let start = Instant::now();
        thread::sleep(time);
        Report {
            took: u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX),
            same_thread: thread::current().id() == self.thread,
        }
    }
}

impl Environment for Slow {
    type Action = Work;
    type Observation = Report;
    type ResetObservation = Report;
    type State = ();
    const CONCURRENT: bool = true;
    const EXECUTION: Execution = Execution::Thread;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<Report>> {
        Ok(Step::new(self.work(Duration::ZERO)))
    }

    async fn step(&mut self, work: Work, _: StepOptions) -> Result<Step<Report>> {
        let report = self.work(Duration::from_millis(work.milliseconds));
        Ok(Step::new(report).reward(1.0))
    }

    fn state(&self) {}

    fn step_timeout(&self) -> Option<Duration> {
        Some(Duration::from_secs(30))
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder()
        .environment("slow", Slow::start)
        .max_sessions(64)
        .build()?;
    let listener = TcpListener::bind(("127.0.0.1", port::from_user())).await?;
    port::announce(&listener)?;
    server.serve(listener, openenv::shutdown_signal()).await
}
