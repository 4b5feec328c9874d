//! Tool calls as actions and observations: what trainers send and see.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

/// The action of an environment that has tools and nothing else.
///
/// There is no value of this type: trainers act by calling tools, so there is
/// no step left for the environment to take.
///
/// ```
/// # use openenv::{Environment, NoAction, ResetOptions, Result, Step, StepOptions};
/// # use openenv::{Tool, ToolObservation, Tools};
/// struct Dice;
///
/// impl Environment for Dice {
///     type Action = NoAction;
///     type Observation = ToolObservation;
///     type ResetObservation = ();
///     type State = ();
///
///     async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
///         Ok(Step::new(()))
///     }
///
///     async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
///         match none {}
///     }
///
///     fn state(&self) {}
///
///     fn tools() -> Tools<Self> {
///         Tools::new().add(Tool::new("roll", "Rolls a die", |_: &mut Self, (): ()| Ok(4)))
///     }
/// }
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoAction {}

impl<'de> Deserialize<'de> for NoAction {
    fn deserialize<D: Deserializer<'de>>(_: D) -> Result<Self, D::Error> {
        Err(D::Error::custom(
            "this environment has no actions but tools",
        ))
    }
}

/// What trainers send instead: a call of a tool.
impl JsonSchema for NoAction {
    fn schema_name() -> Cow<'static, str> {
        CallToolAction::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        CallToolAction::json_schema(generator)
    }
}

/// Calls one tool by its name.
#[derive(Debug, Deserialize, JsonSchema)]
#[cfg_attr(
    not(feature = "server"),
    expect(dead_code, reason = "without a server it is there for its schema")
)]
pub(crate) struct CallToolAction {
    /// Action type discriminator
    #[serde(default = "call_tool")]
    #[schemars(extend("const" = "call_tool"))]
    #[cfg_attr(
        feature = "server",
        expect(dead_code, reason = "it is there to be checked")
    )]
    r#type: String,
    /// Name of the tool to call
    pub(crate) tool_name: String,
    /// Arguments to pass to the tool
    #[serde(default = "no_arguments")]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) arguments: Box<RawValue>,
}

fn call_tool() -> String {
    "call_tool".to_owned()
}

/// An object without fields.
fn no_arguments() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}

/// Lists the tools.
#[cfg(feature = "server")]
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct ListToolsAction {
    #[schemars(extend("const" = "list_tools"))]
    #[expect(dead_code, reason = "it is there to be checked")]
    r#type: String,
}

/// What a trainer sees after a tool call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CallToolObservation")]
#[non_exhaustive]
pub struct ToolObservation {
    /// Name of the tool that was called
    pub tool_name: String,
    /// What the tool returned
    #[serde(default)]
    #[schemars(with = "Value")]
    pub result: Option<Value>,
    /// Why it returned nothing
    #[serde(default)]
    pub error: Option<ToolError>,
}

/// Why a tool call came to nothing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct ToolError {
    /// Category of the error
    pub error_type: ToolFailure,
    /// The error in words
    pub message: String,
}

#[cfg(feature = "server")]
impl ToolError {
    pub(crate) fn new(error_type: ToolFailure, message: &str) -> Self {
        Self {
            error_type,
            message: message.to_owned(),
        }
    }
}

/// The ways in which a tool call can fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ToolErrorType")]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolFailure {
    /// The tool itself failed.
    #[serde(rename = "execution_error")]
    Execution,
    /// The arguments do not fit.
    #[serde(rename = "invalid_args")]
    InvalidArguments,
    /// The call never reached the tool.
    #[serde(rename = "transport_error")]
    Transport,
    /// There is no such tool, or not in this mode.
    #[serde(rename = "tool_not_found")]
    NotFound,
    /// It took longer than it may.
    Timeout,
}

/// The name of the failure on the wire.
impl fmt::Display for ToolFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Execution => "execution_error",
            Self::InvalidArguments => "invalid_args",
            Self::Transport => "transport_error",
            Self::NotFound => "tool_not_found",
            Self::Timeout => "timeout",
        })
    }
}
