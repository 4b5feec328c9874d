//! An environment with tasks, and with a data set that can fail.

use std::sync::Arc;

use openenv::{Environment, Error, ResetOptions, Result, Split, Step, StepOptions, Tasks};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Debug, Default)]
pub(crate) struct TaskEnv;

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "Action")]
pub(crate) struct TaskAction {}

impl Environment for TaskEnv {
    type Action = TaskAction;
    type Observation = ();
    type ResetObservation = ();
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, mut options: ResetOptions) -> Result<Step<()>> {
        let mut argument = |name| options.extra.shift_remove(name).unwrap_or_default();
        Ok(Step::new(())
            .with("split", argument("split"))
            .with("index", argument("index")))
    }

    async fn step(&mut self, _: TaskAction, _: StepOptions) -> Result<Step<()>> {
        Ok(Step::new(()))
    }

    fn state(&self) {}

    fn tasks() -> Option<Arc<dyn Tasks>> {
        Some(Arc::new(DataSet))
    }
}

#[derive(Debug)]
struct DataSet;

impl Tasks for DataSet {
    fn splits(&self) -> Result<Vec<Split>> {
        Ok(vec![
            Split::new("train"),
            Split::new("dev"),
            Split::new("test").with("size", 3),
            Split::new("d").with("x", json!([1, 2])),
            Split::new("7"),
        ])
    }

    fn list(&self, split: &str) -> Result<Vec<Value>> {
        match split {
            "boom" => Err("dataset gone".into()),
            "ni" => Err(Error::unsupported("list_tasks")),
            "keyerr" => Err("'keyerr'".into()),
            _ => Ok((0..3)
                .map(|index| json!({ "id": format!("{split}-{index}"), "index": index }))
                .collect()),
        }
    }
}
