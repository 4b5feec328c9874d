//! The outcome of a reset or a step.

use std::fmt;

use serde::de::Visitor;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::{Map, Value};

/// What an environment answers: an observation and what it is worth.
///
/// ```
/// use openenv::Step;
///
/// let step = Step::new("you win").reward(1.0).terminated().with("moves", 12);
/// assert!(step.is_done());
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Step<O> {
    /// What the agent sees.
    pub observation: O,
    /// What the action was worth; `None` is `null` on the wire.
    pub reward: Option<Reward>,
    /// Whether, and how, the episode is over.
    pub ending: Ending,
    /// Anything else worth reporting.
    pub metadata: Map<String, Value>,
}

impl<O> Step<O> {
    /// An observation in a running episode, without a reward.
    pub fn new(observation: O) -> Self {
        Self {
            observation,
            reward: None,
            ending: Ending::Running,
            metadata: Map::new(),
        }
    }

    /// Sets the reward.
    #[must_use]
    pub fn reward(mut self, reward: impl Into<Reward>) -> Self {
        self.reward = Some(reward.into());
        self
    }

    /// Ends the episode: the task itself is over.
    #[must_use]
    pub fn terminated(mut self) -> Self {
        self.ending = Ending::Terminated;
        self
    }

    /// Ends the episode from outside of the task, as a time limit does.
    ///
    /// On the wire this is `done` with `"truncated": true` in the metadata.
    #[must_use]
    pub fn truncated(mut self) -> Self {
        self.ending = Ending::Truncated;
        self
    }

    /// Ends the episode as terminated if `done`.
    #[must_use]
    pub fn done(self, done: bool) -> Self {
        if done { self.terminated() } else { self }
    }

    /// Adds one entry to the metadata.
    #[must_use]
    pub fn with(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.metadata.insert(key.into(), value.into());
        self
    }

    /// The same step with another observation.
    #[must_use]
    pub fn map<P>(self, change: impl FnOnce(O) -> P) -> Step<P> {
        Step {
            observation: change(self.observation),
            reward: self.reward,
            ending: self.ending,
            metadata: self.metadata,
        }
    }

    /// Whether the episode is over, either way.
    pub fn is_done(&self) -> bool {
        self.ending != Ending::Running
    }
}

/// Whether, and how, an episode is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The episode goes on.
    Running,
    /// The task came to its end.
    Terminated,
    /// The episode was cut short from outside, as by a step limit.
    Truncated,
}

/// A reward, which keeps its JSON type on a WebSocket.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Reward {
    /// `true` or `false`.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number; not-a-number and the infinities are `null` on the wire.
    Float(f64),
}

impl Reward {
    /// The reward as a number.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Bool(value) => f64::from(u8::from(value)),
            #[expect(
                clippy::cast_precision_loss,
                reason = "rewards beyond 2^53 do not exist"
            )]
            Self::Int(value) => value as f64,
            Self::Float(value) => value,
        }
    }
}

impl Serialize for Reward {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Bool(value) => serializer.serialize_bool(value),
            Self::Int(value) => serializer.serialize_i64(value),
            Self::Float(value) => serializer.serialize_f64(value),
        }
    }
}

/// By hand, because `untagged` would make up an error for every type that it is not.
impl<'de> Deserialize<'de> for Reward {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RewardVisitor)
    }
}

struct RewardVisitor;

impl Visitor<'_> for RewardVisitor {
    type Value = Reward;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, `true` or `false`")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Reward, E> {
        Ok(Reward::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Reward, E> {
        Ok(Reward::Int(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Reward, E> {
        #[expect(
            clippy::cast_precision_loss,
            reason = "rewards beyond 2^63 do not exist"
        )]
        Ok(i64::try_from(value).map_or(Reward::Float(value as f64), Reward::Int))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Reward, E> {
        Ok(Reward::Float(value))
    }
}

impl From<bool> for Reward {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Reward {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<i32> for Reward {
    fn from(value: i32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<u32> for Reward {
    fn from(value: u32) -> Self {
        Self::Int(i64::from(value))
    }
}

impl From<f64> for Reward {
    fn from(value: f64) -> Self {
        Self::Float(value)
    }
}

impl From<f32> for Reward {
    fn from(value: f32) -> Self {
        Self::Float(f64::from(value))
    }
}
