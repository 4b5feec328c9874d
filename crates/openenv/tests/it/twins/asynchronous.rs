//! An environment that waits without blocking.

use std::time::Duration;

use openenv::{Environment, Error, ResetOptions, Result, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Debug, Default)]
pub(crate) struct AsyncEnv {
    steps: u64,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct AsyncAction {
    x: i64,
    #[serde(default)]
    sleep: f64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AsyncObservation {
    y: i64,
}

#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AsyncState {
    episode_id: &'static str,
    step_count: u64,
}

impl Environment for AsyncEnv {
    type Action = AsyncAction;
    type Observation = AsyncObservation;
    type ResetObservation = AsyncObservation;
    type State = AsyncState;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<AsyncObservation>> {
        self.steps = 0;
        let y = match options.seed {
            Some(seed) => i64::try_from(i128::from(seed)).map_err(Error::from_source)?,
            None => 0,
        };
        Ok(Step::new(AsyncObservation { y }))
    }

    async fn step(
        &mut self,
        action: AsyncAction,
        _: StepOptions,
    ) -> Result<Step<AsyncObservation>> {
        let pause = Duration::try_from_secs_f64(action.sleep).map_err(Error::from_source)?;
        tokio::time::sleep(pause).await;
        self.steps += 1;
        Ok(Step::new(AsyncObservation { y: action.x }).reward(0.5))
    }

    fn state(&self) -> AsyncState {
        AsyncState {
            episode_id: "async",
            step_count: self.steps,
        }
    }
}
