//! Echo: the smallest typed environment.
//!
//! Says back what it is told and pays by the length. Of use as a first
//! environment to read, and to try a server or a client without a game getting
//! in the way. The action and observation are those of the typed `echo_env`
//! that existing clients know.

use openenv::{Environment, Metadata, ResetOptions, Result, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Reward of each character.
const REWARD_PER_CHARACTER: f64 = 0.1;

/// What the agent says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EchoAction {
    /// Message to echo back
    #[schemars(length(min = 1))]
    pub message: String,
}

/// What the agent hears.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EchoObservation {
    /// The message, unchanged
    pub echoed_message: String,
    /// Number of characters in the message
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub message_length: usize,
}

impl EchoObservation {
    fn of(message: String) -> Self {
        Self {
            // Characters as Python counts them, not bytes.
            message_length: message.chars().count(),
            echoed_message: message,
        }
    }
}

/// Echoes messages; remembers nothing.
#[derive(Debug, Clone, Default)]
pub struct Echo;

impl Environment for Echo {
    type Action = EchoAction;
    type Observation = EchoObservation;
    type ResetObservation = EchoObservation;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<EchoObservation>> {
        Ok(Step::new(EchoObservation {
            echoed_message: "Echo environment ready!".to_owned(),
            message_length: 0,
        })
        .reward(0.0))
    }

    async fn step(&mut self, action: EchoAction, _: StepOptions) -> Result<Step<EchoObservation>> {
        let observation = EchoObservation::of(action.message);
        #[expect(
            clippy::cast_precision_loss,
            reason = "a message is shorter than 2^53 characters"
        )]
        let reward = REWARD_PER_CHARACTER * observation.message_length as f64;
        Ok(Step::new(observation).reward(reward))
    }

    fn state(&self) {}

    fn metadata() -> Metadata {
        Metadata::new(
            "echo_env",
            "Says back what it is told; the reward is a tenth of the number of characters",
        )
        .version(env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests {
    use openenv::Reward;
    use schemars::schema_for;

    use super::*;

    async fn say(message: &str) -> Step<EchoObservation> {
        let action = EchoAction {
            message: message.to_owned(),
        };
        Echo.step(action, StepOptions::default()).await.unwrap()
    }

    #[tokio::test]
    async fn reset_says_ready() {
        let step = Echo.reset(ResetOptions::default()).await.unwrap();
        assert_eq!(step.observation.echoed_message, "Echo environment ready!");
        assert_eq!(step.observation.message_length, 0);
        assert_eq!(step.reward, Some(Reward::Float(0.0)));
        assert!(!step.is_done());
    }

    #[tokio::test]
    async fn step_echoes_and_pays_by_length() {
        let step = say("Hello, World!").await;
        assert_eq!(step.observation.echoed_message, "Hello, World!");
        assert_eq!(step.observation.message_length, 13);
        assert_eq!(step.reward, Some(Reward::Float(0.1 * 13.0)));
        assert!(!step.is_done());
    }

    #[tokio::test]
    async fn length_counts_characters_not_bytes() {
        assert_eq!(say("naïve 🦀").await.observation.message_length, 7);
    }

    #[test]
    fn schemas_carry_the_limits() {
        let action = schema_for!(EchoAction).to_value();
        assert_eq!(action["properties"]["message"]["minLength"], 1);
        let observation = schema_for!(EchoObservation).to_value();
        assert_eq!(observation["properties"]["message_length"]["minimum"], 0);
    }
}
