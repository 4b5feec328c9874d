//! Whether observations are what the server says they are.

use jsonschema::Validator;
use serde_json::Value;

use crate::episode::{Exchange, Operation};
use crate::live::Schemas;

/// Problems of one observation that are told.
const MOST: usize = 5;

/// The published schemas, ready to be compared with.
pub(crate) struct Conformity {
    step: Validator,
    reset: Option<Validator>,
}

impl Conformity {
    /// # Errors
    /// If there is no usable schema.
    pub(crate) fn new(schemas: &Schemas) -> Result<Self, String> {
        let observation = schemas.observation.as_ref();
        let step = observation.ok_or("observation schema unavailable")?;
        Ok(Self {
            step: compile(step, "observation schema")?,
            reset: match &schemas.reset_observation {
                Some(schema) => Some(compile(schema, "reset observation schema")?),
                None => None,
            },
        })
    }

    /// What does not fit, in words; nothing if all does.
    pub(crate) fn misfits(&self, exchange: &Exchange) -> Vec<String> {
        let data = exchange.data();
        let envelope = data["done"].is_boolean() && data.get("reward").is_some();
        let Some(observation) = data["observation"].as_object().filter(|_| envelope) else {
            return vec!["malformed observation envelope".to_owned()];
        };
        let mut observation = observation.clone();
        for part in ["reward", "done"] {
            observation.insert(part.to_owned(), data[part].clone());
        }
        let validator = match (&self.reset, exchange.operation) {
            (Some(reset), Operation::Reset) => reset,
            _ => &self.step,
        };
        let observation = Value::Object(observation);
        let misfits = validator.iter_errors(&observation).take(MOST);
        misfits
            .map(|error| {
                let place = error.instance_path().to_string();
                let place = if place.is_empty() { "/" } else { &place };
                // What a schema does not allow may be long.
                let what = crate::episode::shortened(&error.to_string());
                format!("{what} (at {place})")
            })
            .collect()
    }
}

/// No schema makes this program fetch anything.
fn compile(schema: &Value, name: &str) -> Result<Validator, String> {
    if refers_elsewhere(schema) {
        return Err(format!("{name} has a non-local reference"));
    }
    jsonschema::draft202012::options()
        .offline()
        .should_validate_formats(false)
        .build(schema)
        .map_err(|error| format!("{name} is not valid: {error}"))
}

fn refers_elsewhere(schema: &Value) -> bool {
    match schema {
        Value::Object(keywords) => keywords.iter().any(|(keyword, value)| {
            let refers = keyword == "$ref" || keyword == "$dynamicRef";
            let local = value.as_str().is_some_and(|target| target.starts_with('#'));
            refers && !local || refers_elsewhere(value)
        }),
        Value::Array(items) => items.iter().any(refers_elsewhere),
        _ => false,
    }
}
