//! A tool call that is over.

use serde_json::value::RawValue;

use super::ToolOutput;
use crate::error::{Error, Result};

/// A tool call that a trainer made as a step, for the environment to judge.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct ToolCall<'a> {
    /// Name of the tool, which may not exist.
    pub name: &'a str,
    /// The arguments as they came: a JSON object.
    pub arguments: &'a RawValue,
    /// What the tool returned, or why it did not.
    pub outcome: Result<&'a ToolOutput, &'a Error>,
}

impl<'a> ToolCall<'a> {
    /// A call; of use to test how an environment judges it.
    pub fn new(
        name: &'a str,
        arguments: &'a RawValue,
        outcome: Result<&'a ToolOutput, &'a Error>,
    ) -> Self {
        Self {
            name,
            arguments,
            outcome,
        }
    }
}
