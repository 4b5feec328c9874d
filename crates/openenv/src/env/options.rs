//! What a caller may say besides "reset" and the action.

use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, DeserializeOwned, Deserializer, Visitor};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// Arguments of a reset.
///
/// ```
/// use openenv::ResetOptions;
///
/// let options = ResetOptions::default().with_seed(7).with("task_id", "maze-3");
/// assert_eq!(options.seed.map(u64::from), Some(7));
/// ```
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct ResetOptions {
    /// Makes the episode reproducible.
    pub seed: Option<Seed>,
    /// Name that the caller gives the episode; the server makes one up otherwise.
    pub episode_id: Option<String>,
    /// Every other argument, as it was sent.
    pub extra: Map<String, Value>,
}

impl ResetOptions {
    /// Sets the seed.
    #[must_use]
    pub fn with_seed(mut self, seed: impl Into<Seed>) -> Self {
        self.seed = Some(seed.into());
        self
    }

    /// Names the episode.
    #[must_use]
    pub fn with_episode_id(mut self, episode_id: impl Into<String>) -> Self {
        self.episode_id = Some(episode_id.into());
        self
    }

    /// Adds an argument of the environment's own.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.extra.insert(name.into(), value.into());
        self
    }

    /// The environment's own arguments as a type.
    ///
    /// # Errors
    /// A validation error that names the argument, if they do not fit `T`.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T> {
        typed(&self.extra)
    }

    /// All of them as they travel: one object.
    #[cfg(feature = "server")]
    pub(crate) fn to_json(&self) -> String {
        // A seed may have more digits than a value could hold.
        #[derive(Serialize)]
        struct Arguments<'a> {
            #[serde(skip_serializing_if = "Option::is_none")]
            seed: Option<Seed>,
            #[serde(skip_serializing_if = "Option::is_none")]
            episode_id: Option<&'a str>,
            #[serde(flatten)]
            extra: &'a Map<String, Value>,
        }
        let arguments = Arguments {
            seed: self.seed,
            episode_id: self.episode_id.as_deref(),
            extra: &self.extra,
        };
        serde_json::to_string(&arguments).expect("numbers, texts and JSON always serialise")
    }
}

/// Arguments of a step besides the action.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct StepOptions {
    /// How long the caller is willing to wait.
    ///
    /// The server enforces it; the environment may use it to answer in time.
    pub timeout: Option<Duration>,
    /// Name that the caller gives this request.
    pub request_id: Option<String>,
    /// Every other argument of `POST /step`; a frame on a WebSocket has none.
    pub extra: Map<String, Value>,
}

impl StepOptions {
    /// Limits the step.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// The environment's own arguments as a type.
    ///
    /// # Errors
    /// A validation error that names the argument, if they do not fit `T`.
    pub fn arguments<T: DeserializeOwned>(&self) -> Result<T> {
        typed(&self.extra)
    }
}

fn typed<T: DeserializeOwned>(arguments: &Map<String, Value>) -> Result<T> {
    serde_path_to_error::deserialize(Value::Object(arguments.clone())).map_err(|error| {
        let path = error.path().to_string();
        Error::invalid(path.trim_start_matches('.'), error.into_inner().to_string())
    })
}

/// A seed as clients send it: any whole number that fits 128 bits.
///
/// Random number generators take 64 bits: `u64::from(seed)` keeps every number
/// from 0 to 2⁶⁴ − 1 as it is and folds the others into that range.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Seed(i128);

impl<'de> Deserialize<'de> for Seed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_i128(SeedVisitor)
    }
}

struct SeedVisitor;

impl Visitor<'_> for SeedVisitor {
    type Value = Seed;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a whole number of at most 128 bits")
    }

    fn visit_i64<E: de::Error>(self, seed: i64) -> Result<Seed, E> {
        Ok(Seed(seed.into()))
    }

    fn visit_u64<E: de::Error>(self, seed: u64) -> Result<Seed, E> {
        Ok(Seed(seed.into()))
    }

    fn visit_i128<E: de::Error>(self, seed: i128) -> Result<Seed, E> {
        Ok(Seed(seed))
    }

    /// A number beyond 64 bits that went through a JSON value on its way.
    fn visit_f64<E: de::Error>(self, seed: f64) -> Result<Seed, E> {
        let limit = 2_f64.powi(127);
        if seed.fract() != 0.0 || !(-limit..limit).contains(&seed) {
            return Err(E::invalid_value(de::Unexpected::Float(seed), &self));
        }
        #[expect(clippy::cast_possible_truncation, reason = "compared with the limits")]
        Ok(Seed(seed as i128))
    }
}

impl JsonSchema for Seed {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "Seed".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "integer" })
    }
}

impl From<u64> for Seed {
    fn from(seed: u64) -> Self {
        Self(i128::from(seed))
    }
}

impl From<i128> for Seed {
    fn from(seed: i128) -> Self {
        Self(seed)
    }
}

impl From<i32> for Seed {
    fn from(seed: i32) -> Self {
        Self(i128::from(seed))
    }
}

impl From<Seed> for u64 {
    fn from(seed: Seed) -> Self {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "folding both halves together is the point"
        )]
        match Self::try_from(seed.0) {
            Ok(seed) => seed,
            Err(_) => (seed.0 as u128 >> 64) as Self ^ seed.0 as Self,
        }
    }
}

impl From<Seed> for i128 {
    fn from(seed: Seed) -> Self {
        seed.0
    }
}

impl fmt::Display for Seed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(feature = "server")]
    #[test]
    fn a_seed_keeps_all_of_its_digits() {
        let options = ResetOptions::default()
            .with_seed(1_i128 << 70)
            .with("level", 3);
        assert_eq!(
            options.to_json(),
            r#"{"seed":1180591620717411303424,"level":3}"#
        );
        assert_eq!(ResetOptions::default().to_json(), "{}");
    }
}
