//! The tools of an environment, and what somebody types to call one.

use openenv::ToolInfo;
use openenv_schema::ActionSchema;
use serde_json::{Value, json};

use super::input;

/// The tools that can be called.
#[derive(Debug, Default)]
pub(super) struct Toolkit {
    tools: Vec<Known>,
}

/// A tool, and how its arguments are filled in.
#[derive(Debug)]
pub(super) struct Known {
    pub(super) info: ToolInfo,
    pub(super) arguments: ActionSchema,
}

/// What somebody wants of a tool.
#[derive(Debug, PartialEq)]
pub(super) enum Call {
    /// To take this step.
    Step(Value),
    /// To be asked for the arguments of the tool with this name.
    Form(String),
}

impl Toolkit {
    pub(super) fn new(tools: Vec<ToolInfo>) -> Self {
        let known = |info: ToolInfo| Known {
            arguments: ActionSchema::new(info.input_schema.clone()),
            info,
        };
        Self {
            tools: tools.into_iter().map(known).collect(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.tools.iter()
    }

    pub(super) fn find(&self, name: &str) -> Option<&Known> {
        self.tools.iter().find(|tool| tool.info.name == name)
    }

    /// Reads `NAME`, `NAME {…}` or `NAME VALUE`.
    pub(super) fn read(&self, line: &str) -> Result<Call, String> {
        let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        let Some(tool) = self.find(name) else {
            return Err(match name {
                "" => "expected the name of a tool; `:tools` lists them".to_owned(),
                _ => format!("there is no tool `{name}`; `:tools` lists them"),
            });
        };
        if rest.is_empty() {
            let asks = tool.arguments.asked().iter().any(|(_, required)| *required);
            return Ok(if asks {
                Call::Form(name.to_owned())
            } else {
                Call::Step(tool.step(&json!({})))
            });
        }
        let arguments = if rest.starts_with('{') {
            serde_json::from_str(rest).map_err(|error| format!("not JSON: {error}"))?
        } else {
            input::read_sole_value(rest, &tool.arguments)?
        };
        Ok(Call::Step(tool.step(&arguments)))
    }
}

impl Known {
    /// The step that calls the tool.
    pub(super) fn step(&self, arguments: &Value) -> Value {
        json!({ "type": "call_tool", "tool_name": self.info.name, "arguments": arguments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolkit() -> Toolkit {
        let tools = json!([
            { "name": "search", "inputSchema": {
                "type": "object",
                "properties": { "query": { "type": "string" }, "limit": { "type": "integer", "default": 5 } },
                "required": ["query"],
            } },
            { "name": "ping", "inputSchema": { "type": "object", "properties": {} } },
        ]);
        Toolkit::new(serde_json::from_value(tools).unwrap())
    }

    fn call(name: &str, arguments: &Value) -> Call {
        Call::Step(json!({ "type": "call_tool", "tool_name": name, "arguments": arguments }))
    }

    #[test]
    fn arguments_are_json_or_the_one_value_that_is_needed() {
        let toolkit = toolkit();
        let read = |line: &str| toolkit.read(line).unwrap();
        assert_eq!(read("ping"), call("ping", &json!({})));
        assert_eq!(read("search"), Call::Form("search".to_owned()));
        let seal = json!({ "query": "the seal" });
        assert_eq!(read("search the seal"), call("search", &seal));
        let both = json!({ "query": "a", "limit": 1 });
        let line = r#"search {"query": "a", "limit": 1}"#;
        assert_eq!(read(line), call("search", &both));
    }

    #[test]
    fn what_is_no_tool_is_named() {
        let why = toolkit().read("serch x").unwrap_err();
        assert!(why.contains("`serch`") && why.contains("`:tools`"), "{why}");
        assert!(
            toolkit()
                .read("search {")
                .unwrap_err()
                .starts_with("not JSON")
        );
    }
}
