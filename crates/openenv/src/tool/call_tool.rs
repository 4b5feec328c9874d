//! The action that calls a tool.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use crate::error::{Error, Result};

/// An action that calls a tool, for trainers whose steps are tool calls.
///
/// It is the action of every environment with [`NoAction`](crate::NoAction), and
/// [`Value::from`] makes of it one for clients that speak JSON.
///
/// ```
/// use openenv::CallTool;
/// use serde_json::{Value, json};
///
/// let call = CallTool::new("roll", &json!({"sides": 6}))?;
/// assert_eq!(
///     Value::from(call),
///     json!({"type": "call_tool", "tool_name": "roll", "arguments": {"sides": 6}})
/// );
/// # Ok::<(), openenv::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "CallToolAction", description = "Calls one tool by its name.")]
pub struct CallTool {
    /// Action type discriminator
    #[serde(default = "call_tool")]
    #[schemars(extend("const" = "call_tool"))]
    r#type: String,
    /// Name of the tool to call
    pub(crate) tool_name: String,
    /// Arguments to pass to the tool
    #[serde(default = "no_arguments")]
    #[schemars(with = "Map<String, Value>")]
    pub(crate) arguments: Box<RawValue>,
}

impl CallTool {
    /// A call of the tool `name`. `arguments` is an object, or `()` for none.
    ///
    /// # Errors
    /// A validation error if the arguments are no object.
    pub fn new(name: impl Into<String>, arguments: &(impl Serialize + ?Sized)) -> Result<Self> {
        let refused = |why: String| Error::invalid("arguments", why);
        let arguments = to_raw_value(arguments)
            .map_err(|error| refused(format!("they are no JSON: {error}")).because(error))?;
        Ok(Self {
            r#type: call_tool(),
            tool_name: name.into(),
            arguments: match arguments.get() {
                "null" => no_arguments(),
                json if json.starts_with('{') => arguments,
                _ => return Err(refused("the arguments of a tool are an object".to_owned())),
            },
        })
    }
}

impl From<CallTool> for Value {
    fn from(call: CallTool) -> Self {
        serde_json::to_value(call).expect("texts and JSON always serialise")
    }
}

fn call_tool() -> String {
    "call_tool".to_owned()
}

/// An object without fields.
fn no_arguments() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).expect("an empty object is JSON")
}
