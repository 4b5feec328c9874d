//! One thing that does not fit.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// One value that does not fit its schema, and where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Violation {
    /// Kind of the violation, as `missing` or `string_too_short`.
    #[serde(rename = "type")]
    pub kind: Cow<'static, str>,
    /// Path to the value.
    #[serde(rename = "loc")]
    pub location: Vec<Location>,
    /// What was expected.
    #[serde(rename = "msg")]
    pub message: String,
    /// The value itself.
    #[serde(default)]
    pub input: Value,
    /// The limits that were broken.
    #[serde(rename = "ctx", default, skip_serializing_if = "Map::is_empty")]
    pub context: Map<String, Value>,
    /// Where the kind is explained.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
}

/// One part of the path to a value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Location {
    /// A field of an object.
    Field(String),
    /// An element of an array.
    Index(usize),
}

/// The path to the value, with dots, and what was expected: `items.1.name: Field required`.
impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, step) in self.location.iter().enumerate() {
            if position > 0 {
                f.write_str(".")?;
            }
            match step {
                Location::Field(name) => f.write_str(name)?,
                Location::Index(index) => write!(f, "{index}")?,
            }
        }
        if !self.location.is_empty() {
            f.write_str(": ")?;
        }
        f.write_str(&self.message)
    }
}
