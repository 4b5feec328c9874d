//! The typed contract of an environment: schemas that are published and enforced.

use schemars::JsonSchema;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::env::Environment;
use crate::error::{Error, Result};

mod base;
mod check;
mod coerce;
mod compiled;
mod output;
mod rules;
mod schema;
mod shape;
mod tidy;
mod validate;
mod violation;

pub(crate) use base::Base;
pub(crate) use output::OutputForm;
pub(crate) use shape::Shape;

/// Schemas of one environment, as they are published.
#[derive(Debug, Clone)]
pub(crate) struct Contract {
    document: Value,
    digest: String,
}

/// The types of one environment, as their callers see them.
pub(crate) struct Shapes<E: Environment> {
    pub(crate) action: Shape<E::Action>,
    pub(crate) observation: Shape<E::Observation>,
    pub(crate) reset_observation: Shape<E::ResetObservation>,
    pub(crate) state: Shape<E::State>,
}

impl<E: Environment> Shapes<E> {
    /// # Errors
    /// If one of the types is not an object.
    pub(crate) fn new() -> Result<Self> {
        Ok(Self {
            action: Shape::new(Base::Action)?,
            observation: observation()?,
            reset_observation: observation()?,
            state: Shape::new(Base::State)?,
        })
    }
}

/// The shape of an observation, which leaves reward and ending to [`Step`](crate::Step).
fn observation<T: JsonSchema>() -> Result<Shape<T>> {
    let shape = Shape::new(Base::Observation)?;
    match ["reward", "done"]
        .into_iter()
        .find(|field| shape.declares(field))
    {
        None => Ok(shape),
        Some(field) => Err(Error::configuration(format!(
            "observation `{}` has a field `{field}`, which clients would never see there: \
             set it on the `Step` instead",
            T::schema_name()
        ))),
    }
}

impl Contract {
    pub(crate) fn of<E: Environment>(shapes: &Shapes<E>) -> Self {
        Self::publish(json!({
            "action": shapes.action.schema(),
            "observation": shapes.observation.schema(),
            "state": shapes.state.schema(),
            "reset_observation": shapes.reset_observation.schema(),
        }))
    }

    /// A contract of types that are known by their schemas only.
    #[cfg(all(unix, feature = "python"))]
    pub(crate) fn told(
        action: &Value,
        observation: &Value,
        state: &Value,
        reset_observation: &Value,
    ) -> Self {
        Self::publish(json!({
            "action": action,
            "observation": observation,
            "state": state,
            "reset_observation": reset_observation,
        }))
    }

    fn publish(mut document: Value) -> Self {
        let digest = digest(&document);
        document["digest"] = Value::String(digest.clone());
        Self { document, digest }
    }

    /// The document at `/schema`.
    pub(crate) fn document(&self) -> &Value {
        &self.document
    }

    /// Changes whenever one of the schemas does.
    pub(crate) fn digest(&self) -> &str {
        &self.digest
    }

    /// One of the schemas: `action`, `observation`, `state` or `reset_observation`.
    pub(crate) fn schema(&self, of: &str) -> &Value {
        &self.document[of]
    }
}

/// Hash of the value, whatever the order of its keys.
fn digest(value: &Value) -> String {
    let mut canonical = value.clone();
    canonical.sort_all_objects();
    let hash = Sha256::digest(canonical.to_string());
    let mut digest = "sha256:".to_owned();
    for byte in hash {
        let digits = [byte >> 4, byte & 15].map(|digit| char::from_digit(digit.into(), 16));
        digest.extend(digits.into_iter().flatten());
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ResetOptions, Step, StepOptions};

    struct Still;

    impl Environment for Still {
        type Action = ();
        type Observation = ();
        type ResetObservation = ();
        type State = ();

        async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
            Ok(Step::new(()))
        }

        async fn step(&mut self, (): (), _: StepOptions) -> Result<Step<()>> {
            Ok(Step::new(()))
        }

        fn state(&self) {}
    }

    #[test]
    fn the_document_has_four_schemas_and_their_digest() {
        let contract = Contract::of(&Shapes::<Still>::new().unwrap());
        let document = contract.document();
        let keys: Vec<&String> = document.as_object().unwrap().keys().collect();
        assert_eq!(
            keys,
            [
                "action",
                "observation",
                "state",
                "reset_observation",
                "digest"
            ]
        );
        assert_eq!(document["digest"], json!(contract.digest()));
        assert_eq!(contract.schema("state")["title"], json!("State"));
        assert_eq!(document["observation"], document["reset_observation"]);
    }

    #[test]
    fn the_digest_ignores_the_order_of_keys() {
        let one = digest(&json!({"a": {"c": 1, "d": [2]}, "b": 3}));
        assert_eq!(one, digest(&json!({"b": 3, "a": {"d": [2], "c": 1}})));
        assert_ne!(one, digest(&json!({"b": 3, "a": {"d": [2], "c": 2}})));
        assert_eq!(one.len(), "sha256:".len() + 64);
        // Printed by `printf '{"a":{"c":1,"d":[2]},"b":3}' | sha256sum`.
        assert_eq!(
            one,
            "sha256:36cfd1595cd9db112ba77df412f06288446b266d0d7412d7ba0149e340760b18"
        );
    }
}
