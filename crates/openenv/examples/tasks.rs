//! Tasks in splits: sums to add up, chosen by `split` and `index`.
//!
//! A trainer lists the tasks (`POST /sums/tasks {"split": "train"}`) and names
//! one when it resets: `{"split": "train", "index": 1}`.

use std::sync::Arc;

use openenv::{
    Environment, Error, Metadata, ResetOptions, Result, Server, Split, Step, StepOptions, Tasks,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::net::TcpListener;

mod port;

/// The tasks of each split: what to add up.
const TRAIN: &[(i64, i64)] = &[(1, 1), (2, 3), (10, -4)];
const TEST: &[(i64, i64)] = &[(17, 25)];

#[derive(Deserialize, JsonSchema)]
struct Answer {
    /// The sum
    #[schemars(range(min = -1000, max = 1000))]
    value: i64,
}

#[derive(Serialize, JsonSchema)]
struct Problem {
    /// What to add up, or how it went
    text: String,
}

/// Arguments of a reset, besides the seed.
#[derive(Deserialize)]
#[serde(default)]
struct Choice {
    split: String,
    index: usize,
}

impl Default for Choice {
    fn default() -> Self {
        Self {
            split: "train".to_owned(),
            index: 0,
        }
    }
}

/// What a trainer sees of a running episode.
#[derive(Clone, Copy, Default, Serialize, JsonSchema)]
struct SumsState {
    /// The sum that is asked for, once an episode runs
    expected: Option<i64>,
}

#[derive(Default)]
struct Sums {
    state: SumsState,
}

impl Environment for Sums {
    type Action = Answer;
    type Observation = Problem;
    type ResetObservation = Problem;
    type State = SumsState;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Problem>> {
        let choice: Choice = options.arguments()?;
        let (left, right) = *split(&choice.split)?
            .get(choice.index)
            .ok_or_else(Error::task_index)?;
        self.state.expected = Some(left + right);
        let text = format!("What is {left} plus {right}?");
        Ok(Step::new(Problem { text }))
    }

    async fn step(&mut self, answer: Answer, _: StepOptions) -> Result<Step<Problem>> {
        let expected = self.state.expected.take().ok_or("reset to get a problem")?;
        let (text, reward) = if answer.value == expected {
            ("Right.".to_owned(), 1.0)
        } else {
            (format!("No: {expected}."), 0.0)
        };
        Ok(Step::new(Problem { text }).reward(reward).terminated())
    }

    fn state(&self) -> SumsState {
        self.state
    }

    fn metadata() -> Metadata {
        Metadata::new("sums", "Add two numbers up")
    }

    fn tasks() -> Option<Arc<dyn Tasks>> {
        Some(Arc::new(SumTasks))
    }
}

/// The same tasks, as they are listed over HTTP.
struct SumTasks;

impl Tasks for SumTasks {
    fn splits(&self) -> Result<Vec<Split>> {
        Ok(vec![Split::new("train"), Split::new("test")])
    }

    fn list(&self, name: &str) -> Result<Vec<Value>> {
        let tasks = split(name)?.iter();
        Ok(tasks.map(|(left, right)| json!([left, right])).collect())
    }
}

fn split(name: &str) -> Result<&'static [(i64, i64)]> {
    match name {
        "train" => Ok(TRAIN),
        "test" => Ok(TEST),
        _ => Err(Error::not_found(format!("unknown split `{name}`"))),
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder()
        .environment("sums", Sums::default)
        .build()?;
    let listener = TcpListener::bind(("127.0.0.1", port::from_user())).await?;
    port::announce(&listener)?;
    server.serve(listener, openenv::shutdown_signal()).await
}
