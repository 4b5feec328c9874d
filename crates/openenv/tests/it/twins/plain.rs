//! The least an environment can be: one session, no options, no tasks.

use openenv::{Environment, ResetOptions, Result, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default)]
pub(crate) struct PlainEnv {
    steps: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[schemars(rename = "PAction")]
pub(crate) struct PlainAction {
    x: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "PObs")]
pub(crate) struct PlainObservation {
    y: i64,
}

// Declares the base fields because its episodes never have a name.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(rename = "State", default)]
pub(crate) struct PlainState {
    /// Unique identifier for the current episode
    episode_id: Option<String>,
    /// Number of steps taken in the current episode
    step_count: u64,
}

impl Environment for PlainEnv {
    type Action = PlainAction;
    type Observation = PlainObservation;
    type ResetObservation = PlainObservation;
    type State = PlainState;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<PlainObservation>> {
        self.steps = 0;
        Ok(Step::new(PlainObservation { y: 0 }))
    }

    async fn step(
        &mut self,
        action: PlainAction,
        _: StepOptions,
    ) -> Result<Step<PlainObservation>> {
        self.steps += 1;
        Ok(Step::new(PlainObservation { y: action.x + 1 }).reward(1))
    }

    fn state(&self) -> PlainState {
        PlainState {
            episode_id: None,
            step_count: self.steps,
        }
    }
}
