//! The typed contract of an environment: schemas that are published and enforced.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::env::Environment;
use crate::error::Result;
use crate::json::Input;

mod violation;

pub use violation::{Location, Violation};

/// Schemas of one environment, and the parser of its actions.
#[derive(Debug)]
pub(crate) struct Contract {
    action: Value,
    observation: Value,
    reset_observation: Value,
    state: Value,
    digest: String,
}

/// A type as callers see it: its published schema and the parser that enforces it.
#[derive(Debug)]
pub(crate) struct Shape<T> {
    schema: Value,
    of: PhantomData<fn() -> T>,
}

/// Fields that the framework adds to an author's type, and whether it may have others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// `metadata`; nothing else.
    Action,
    /// `done`, `reward` and `metadata`; nothing else.
    Observation,
    /// `episode_id` and `step_count`; anything else as well.
    State,
    /// Nothing added; nothing else.
    Closed,
    /// Nothing added; anything else as well.
    Open,
}

impl<T: DeserializeOwned + JsonSchema> Shape<T> {
    pub(crate) fn parse(&self, input: &Input<'_>) -> Result<T, Vec<Violation>> {
        match input {
            Input::Raw(text) => serde_json::from_str(text).map_err(|_| Vec::new()),
            Input::Lenient(document) => {
                serde_json::from_value(document.value.clone()).map_err(|_| Vec::new())
            }
        }
    }
}

impl<T: JsonSchema> Shape<T> {
    /// # Errors
    /// If the type is not an object.
    pub(crate) fn new(_base: Base) -> Result<Self> {
        Ok(Self {
            schema: schemars::schema_for!(T).to_value(),
            of: PhantomData,
        })
    }

    pub(crate) fn fixed(base: Base) -> Self {
        Self::new(base).expect("the library's own types are objects")
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// Whether the author's type itself has the property.
    pub(crate) fn declares(&self, property: &str) -> bool {
        self.schema["properties"].get(property).is_some()
    }
}

pub(crate) struct Shapes<E: Environment> {
    pub(crate) action: Shape<E::Action>,
    pub(crate) observation: Shape<E::Observation>,
    pub(crate) reset_observation: Shape<E::ResetObservation>,
    pub(crate) state: Shape<E::State>,
}

impl Contract {
    pub(crate) fn of<E: Environment>() -> Result<(Self, Shapes<E>)> {
        let shapes = Shapes::<E> {
            action: Shape::new(Base::Action)?,
            observation: Shape::new(Base::Observation)?,
            reset_observation: Shape::new(Base::Observation)?,
            state: Shape::new(Base::State)?,
        };
        let contract = Self {
            action: shapes.action.schema().clone(),
            observation: shapes.observation.schema().clone(),
            reset_observation: shapes.reset_observation.schema().clone(),
            state: shapes.state.schema().clone(),
            digest: String::new(),
        };
        Ok((contract, shapes))
    }

    /// The document at `/schema`.
    pub(crate) fn document(&self) -> Value {
        json!({
            "action": self.action, "observation": self.observation, "state": self.state,
            "reset_observation": self.reset_observation, "digest": self.digest,
        })
    }

    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    pub(crate) fn action(&self) -> &Value {
        &self.action
    }
    pub(crate) fn observation(&self) -> &Value {
        &self.observation
    }
    pub(crate) fn reset_observation(&self) -> &Value {
        &self.reset_observation
    }
    pub(crate) fn state(&self) -> &Value {
        &self.state
    }
}
