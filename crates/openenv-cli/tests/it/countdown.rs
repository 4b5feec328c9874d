//! A server whose episodes end, and whose environment fails if asked to.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex};

use openenv::{Environment, Metadata, ResetOptions, Result, Server, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

/// Steps of an episode, unless its reset asks for another number.
pub(crate) const STEPS: u64 = 3;

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Move {
    /// `count`, or `fail`, or `panic`
    word: String,
    /// How many times to say it
    #[serde(default)]
    times: u8,
}

#[derive(Serialize, Deserialize, JsonSchema)]
pub(crate) struct Board {
    /// One line for each step that is left
    board: String,
    seed: Option<u64>,
}

#[derive(Default)]
struct Countdown {
    left: u64,
    seed: Option<u64>,
    seeds: Arc<Mutex<BTreeSet<u64>>>,
}

impl Countdown {
    fn observe(&self) -> Step<Board> {
        let left = (1..=self.left).rev();
        let lines: Vec<_> = left.map(|left| format!("{left} to go")).collect();
        Step::new(Board {
            board: lines.join("\n"),
            seed: self.seed,
        })
    }
}

impl Environment for Countdown {
    type Action = Move;
    type Observation = Board;
    type ResetObservation = Board;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Board>> {
        let steps = options.extra.get("steps");
        self.left = steps.and_then(Value::as_u64).unwrap_or(STEPS);
        self.seed = options.seed.map(u64::from);
        self.seeds.lock().unwrap().extend(self.seed);
        Ok(self.observe())
    }

    async fn step(&mut self, action: Move, _: StepOptions) -> Result<Step<Board>> {
        match action.word.as_str() {
            "fail" => return Err("it was asked to fail".into()),
            "panic" => panic!("it was asked to panic"),
            _ => {}
        }
        self.left = self.left.saturating_sub(1);
        Ok(self.observe().reward(0.1).done(self.left == 0))
    }

    fn state(&self) {}

    fn metadata() -> Metadata {
        Metadata::new("countdown", "Counts down from three")
    }
}

/// Served for as long as this lives.
pub(crate) struct CountdownServer {
    pub(crate) url: String,
    seeds: Arc<Mutex<BTreeSet<u64>>>,
    _runtime: Runtime,
}

impl CountdownServer {
    pub(crate) fn start() -> Self {
        let runtime = Runtime::new().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let address = listener.local_addr().unwrap();
        let seeds = Arc::new(Mutex::new(BTreeSet::new()));
        let countdown = {
            let seeds = Arc::clone(&seeds);
            move || Countdown {
                seeds: Arc::clone(&seeds),
                ..Countdown::default()
            }
        };
        let server = Server::builder()
            .environment("countdown", countdown)
            .build()
            .unwrap();
        runtime.spawn(server.serve(listener, std::future::pending()));
        Self {
            url: format!("http://{address}"),
            seeds,
            _runtime: runtime,
        }
    }

    /// The seeds of all resets so far.
    pub(crate) fn seeds(&self) -> BTreeSet<u64> {
        self.seeds.lock().unwrap().clone()
    }
}
