//! Bodies and frames that callers send, as types with a schema.
//!
//! The schemas serve twice: they are published in the OpenAPI document, and a
//! body that does not fit is answered with every violation in it.

use std::borrow::Cow;
use std::sync::LazyLock;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::{DeserializeOwned, Error as _, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::contract::{Base, Shape};
use crate::env::{ResetOptions, Seed, StepOptions};
use crate::error::{Error, Result};
use crate::json::Input;

/// Body of `POST /reset`.
#[derive(Debug, JsonSchema)]
pub(crate) struct ResetRequest {
    /// Makes the episode reproducible
    #[schemars(default, range(min = 0))]
    seed: Option<Seed>,
    /// Name for the episode
    #[schemars(default, length(max = 255))]
    episode_id: Option<String>,
    #[schemars(skip)]
    extra: Map<String, Value>,
}

/// `data` of a `reset` frame: the same without limits, as clients expect.
#[derive(Debug, JsonSchema)]
pub(crate) struct ResetArguments {
    #[schemars(default)]
    seed: Option<Seed>,
    #[schemars(default)]
    episode_id: Option<String>,
    #[schemars(skip)]
    extra: Map<String, Value>,
}

/// Body of `POST /step`.
#[derive(Debug, JsonSchema)]
pub(crate) struct StepRequest {
    /// What to do; the action schema is at `/schema`
    #[schemars(with = "Map<String, Value>")]
    pub(crate) action: Box<RawValue>,
    /// How many seconds the step may take
    #[schemars(default, extend("exclusiveMinimum" = 0.0))]
    timeout_s: Option<f64>,
    /// Name for this request
    #[schemars(default, length(max = 255))]
    request_id: Option<String>,
    #[schemars(skip)]
    extra: Map<String, Value>,
}

/// Body of `POST /{env}/tasks`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListTasksRequest {
    /// Name of the split
    pub(crate) split: String,
}

/// Body of `POST /{env}/num_tasks`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NumTasksRequest {
    /// Name of the split
    pub(crate) split: String,
}

/// Body of `POST /{env}/task`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetTaskRequest {
    /// Name of the split
    pub(crate) split: String,
    /// Which task; negative numbers count from the end
    pub(crate) index: i64,
}

/// Body of `POST /{env}/task_range`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct GetTaskRangeRequest {
    /// Name of the split
    pub(crate) split: String,
    /// First task
    #[serde(default)]
    pub(crate) start: Option<i64>,
    /// The task after the last one
    #[serde(default)]
    pub(crate) stop: Option<i64>,
}

static RESET_ARGUMENTS: LazyLock<Shape<ResetArguments>> =
    LazyLock::new(|| Shape::fixed(Base::Open));

/// What a reset is asked for.
#[derive(Debug)]
pub(crate) enum ResetInput<'a> {
    /// The body of a request, which was checked.
    Checked(ResetOptions),
    /// The `data` of a frame. Not every environment is as strict about it as the
    /// types of this library are.
    AsSent(Input<'a>),
}

impl ResetInput<'_> {
    /// What was asked for, as JSON.
    pub(crate) fn to_json(&self) -> Cow<'_, str> {
        match self {
            Self::Checked(options) => Cow::Owned(options.to_json()),
            Self::AsSent(data) => data.to_json(),
        }
    }

    /// # Errors
    /// If a seed is no number, or a name no text.
    pub(crate) fn into_options(self) -> Result<ResetOptions> {
        match self {
            Self::Checked(options) => Ok(options),
            Self::AsSent(data) => match RESET_ARGUMENTS.parse(&data) {
                Ok(arguments) => Ok(arguments.into()),
                Err(violations) => Err(Error::validation(violations)),
            },
        }
    }
}

impl From<ResetRequest> for ResetOptions {
    fn from(request: ResetRequest) -> Self {
        Self {
            seed: request.seed,
            episode_id: request.episode_id,
            extra: request.extra,
        }
    }
}

impl From<ResetArguments> for ResetOptions {
    fn from(arguments: ResetArguments) -> Self {
        Self {
            seed: arguments.seed,
            episode_id: arguments.episode_id,
            extra: arguments.extra,
        }
    }
}

impl StepRequest {
    /// Separates the action from the rest.
    pub(crate) fn into_parts(self) -> (Box<RawValue>, StepOptions) {
        let options = StepOptions {
            timeout: self.timeout_s.and_then(seconds),
            request_id: self.request_id,
            extra: self.extra,
        };
        (self.action, options)
    }
}

/// A positive number of seconds; more than a duration can hold is no limit.
pub(crate) fn seconds(seconds: f64) -> Option<Duration> {
    Duration::try_from_secs_f64(seconds).ok()
}

impl<'de> Deserialize<'de> for ResetRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let ResetArguments {
            seed,
            episode_id,
            extra,
        } = ResetArguments::deserialize(deserializer)?;
        Ok(Self {
            seed,
            episode_id,
            extra,
        })
    }
}

impl<'de> Deserialize<'de> for ResetArguments {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        Ok(Self {
            seed: fields.take("seed")?,
            episode_id: fields.take("episode_id")?,
            extra: fields.rest()?,
        })
    }
}

impl<'de> Deserialize<'de> for StepRequest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Fields::deserialize(deserializer)?;
        Ok(Self {
            action: fields
                .take("action")?
                .ok_or_else(|| D::Error::missing_field("action"))?,
            timeout_s: fields.take("timeout_s")?,
            request_id: fields.take("request_id")?,
            extra: fields.rest()?,
        })
    }
}

/// The fields of an object, some of which have a type and the others none.
///
/// `#[serde(flatten)]` would do the same by way of a buffer that cannot hold
/// seeds beyond 64 bits.
struct Fields(Vec<(String, Box<RawValue>)>);

impl Fields {
    /// The last field of this name, as Python resolves duplicates.
    fn take<T: DeserializeOwned, E: serde::de::Error>(
        &mut self,
        name: &str,
    ) -> Result<Option<T>, E> {
        let mut taken = None;
        while let Some(position) = self.0.iter().rposition(|(key, _)| key == name) {
            let (_, value) = self.0.swap_remove(position);
            taken = taken.or(Some(value));
        }
        match taken {
            None => Ok(None),
            Some(value) => serde_json::from_str(value.get()).map_err(E::custom),
        }
    }

    fn rest<E: serde::de::Error>(self) -> Result<Map<String, Value>, E> {
        self.0
            .into_iter()
            .map(|(key, value)| Ok((key, serde_json::from_str(value.get()).map_err(E::custom)?)))
            .collect()
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect;

        impl<'de> Visitor<'de> for Collect {
            type Value = Fields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut fields = Vec::new();
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(Fields(fields))
            }
        }

        deserializer.deserialize_map(Collect)
    }
}
