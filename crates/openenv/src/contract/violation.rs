//! How the contract reports what does not fit.

use serde_json::{Map, Value};

use super::rules::Broken;
use crate::error::{Location, Violation};
use crate::json::JsonError;

impl Violation {
    pub(super) fn new(broken: Broken, location: Vec<Location>, input: Value) -> Self {
        let Broken {
            kind,
            message,
            context,
        } = broken;
        Self {
            kind: kind.into(),
            location,
            message,
            input,
            context,
            url: Some(format!("https://errors.pydantic.dev/2.14/v/{kind}")),
        }
    }

    /// The same violation as HTTP answers report it: inside of the `body`.
    pub(crate) fn in_body(mut self) -> Self {
        self.location.insert(0, Location::Field("body".to_owned()));
        self.url = None;
        self
    }
}

impl Violation {
    /// Nothing at all where a value is required.
    pub(crate) fn missing(input: Value) -> Self {
        Self::new(Broken::new("missing", "Field required"), Vec::new(), input)
    }

    /// A whole message that is something else than an object.
    pub(crate) fn not_an_object(input: Value) -> Self {
        let broken = Broken::new("dict_type", "Input should be a valid dictionary");
        Self::new(broken, Vec::new(), input)
    }

    /// A whole body that is something else than an object.
    pub(crate) fn not_attributes(input: Value) -> Self {
        let expected = "Input should be a valid dictionary or object to extract fields from";
        Self::new(
            Broken::new("model_attributes_type", expected),
            Vec::new(),
            input,
        )
    }

    /// A body that is not JSON, with the place where it stops being JSON.
    pub(crate) fn not_json(error: &JsonError) -> Self {
        let broken = Broken::new("json_invalid", "JSON decode error").with("error", error.message);
        let location = vec![Location::Index(error.position)];
        Self::new(broken, location, Value::Object(Map::new()))
    }
}

/// Bytes of an input that a violation repeats.
const REPEATED_INPUT: usize = 16 * 1024;

/// The input as a violation repeats it: a large one is only described.
///
/// A misspelt field beside a large one would otherwise be answered with a
/// message larger than the client accepts.
pub(super) fn abridged(input: &Value) -> Value {
    let size = size(input, REPEATED_INPUT);
    if size <= REPEATED_INPUT {
        return input.clone();
    }
    let what = match input {
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        _ => "an object",
    };
    format!("{what} of more than {REPEATED_INPUT} bytes").into()
}

/// About how many bytes the value is long; counting stops above `limit`.
fn size(value: &Value, limit: usize) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(items) => sum(items.iter().map(|item| (0, item)), limit),
        Value::Object(fields) => sum(
            fields.iter().map(|(name, value)| (name.len(), value)),
            limit,
        ),
        _ => 8,
    }
}

fn sum<'a>(parts: impl Iterator<Item = (usize, &'a Value)>, limit: usize) -> usize {
    let mut total = 0;
    for (extra, part) in parts {
        total += 1 + extra + size(part, limit);
        if total > limit {
            break;
        }
    }
    total
}
