//! One thing that does not fit.

use serde::Serialize;
use serde_json::{Map, Value};

use super::rules::Broken;

/// One value that does not fit its schema, and where it is.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Violation {
    /// Kind of the violation, as `missing` or `string_too_short`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Path to the value.
    #[serde(rename = "loc")]
    pub location: Vec<Location>,
    /// What was expected.
    #[serde(rename = "msg")]
    pub message: String,
    /// The value itself.
    pub input: Value,
    /// The limits that were broken.
    #[serde(rename = "ctx", skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Where the kind is explained.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// One part of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(untagged)]
pub enum Location {
    /// A field of an object.
    Field(String),
    /// An element of an array.
    Index(usize),
}

impl Violation {
    pub(super) fn new(broken: Broken, location: Vec<Location>, input: Value) -> Self {
        let Broken {
            kind,
            message,
            context,
        } = broken;
        Self {
            kind,
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
    pub(crate) fn missing(input: Value) -> Self {
        Self::x("missing", input)
    }
    pub(crate) fn not_attributes(input: Value) -> Self {
        Self::x("model_attributes_type", input)
    }
    pub(crate) fn not_an_object(input: Value) -> Self {
        Self::x("dict_type", input)
    }
    pub(crate) fn not_json(_error: &crate::json::JsonError) -> Self {
        Self::x("json_invalid", Value::Null)
    }
    fn x(kind: &'static str, input: Value) -> Self {
        Self {
            kind,
            location: vec![],
            message: String::new(),
            input,
            context: Map::new(),
            url: None,
        }
    }
}
impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}
