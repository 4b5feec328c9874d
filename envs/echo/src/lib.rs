//! Echo: the smallest environment, with an action and with tools.
//!
//! Says back what it is told and pays by the length. Of use as a first
//! environment to read, and to try a server or a client without a game getting
//! in the way. There are two generations of `echo_env` that existing clients
//! know, and both find theirs here: the action and observation are those of the
//! typed one, `echo_message` and `echo_with_length` those of the one with tools.
//! The tools pay nothing, as they do there.

use openenv::{Environment, Metadata, ResetOptions, Result, Step, StepOptions, Tool, Tools};
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
            message_length: length(&message),
            echoed_message: message,
        }
    }
}

/// Characters as Python counts them, not bytes.
fn length(message: &str) -> usize {
    message.chars().count()
}

/// What a tool is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EchoArguments {
    /// The message to echo back
    pub message: String,
}

/// What `echo_with_length` returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MessageWithLength {
    /// The message, unchanged
    pub message: String,
    /// Number of characters in the message
    pub length: usize,
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

    /// In the words of the reference, which agents may have been trained on.
    fn tools() -> Tools<Self> {
        Tools::new()
            .stateless()
            .add(Tool::new(
                "echo_message",
                "Echo back the provided message.",
                |_: &mut Self, arguments: EchoArguments| Ok(arguments.message),
            ))
            .add(Tool::new(
                "echo_with_length",
                "Echo back the message with its length.",
                |_: &mut Self, EchoArguments { message }| {
                    Ok(MessageWithLength {
                        length: length(&message),
                        message,
                    })
                },
            ))
    }

    fn metadata() -> Metadata {
        Metadata::new(
            "echo_env",
            "Says back what it is told; the reward is a tenth of the number of characters",
        )
        .version(env!("CARGO_PKG_VERSION"))
    }
}

#[cfg(test)]
mod tests;
