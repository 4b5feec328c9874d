//! What a client learns of a tool.

use serde::Deserialize;
use serde_json::{Value, json};

/// A tool as a server lists it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(from = "Listed")]
#[non_exhaustive]
pub struct ToolInfo {
    /// What it is called by.
    pub name: String,
    /// Its name for people.
    pub title: Option<String>,
    /// What it does and when it is of use; empty if its author does not say.
    pub description: String,
    /// What its arguments look like, as a JSON Schema.
    pub input_schema: Value,
    /// What its data looks like, as a JSON Schema.
    pub output_schema: Option<Value>,
}

/// Servers spell the schemas in two ways, and some spell them in both.
#[derive(Deserialize)]
struct Listed {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "inputSchema")]
    input: Option<Value>,
    #[serde(default)]
    input_schema: Option<Value>,
    #[serde(default, rename = "outputSchema")]
    output: Option<Value>,
    #[serde(default)]
    output_schema: Option<Value>,
}

impl From<Listed> for ToolInfo {
    fn from(listed: Listed) -> Self {
        Self {
            name: listed.name,
            title: listed.title,
            description: listed.description.unwrap_or_default(),
            input_schema: listed
                .input
                .or(listed.input_schema)
                .unwrap_or_else(|| json!({ "type": "object" })),
            output_schema: listed.output.or(listed.output_schema),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_read_in_every_spelling() {
        let schema = json!({ "type": "object", "properties": { "x": {} } });
        for listed in [
            json!({ "name": "t", "description": null, "inputSchema": schema, "icons": null }),
            json!({ "name": "t", "description": "", "input_schema": schema }),
            json!({ "name": "t", "inputSchema": schema, "input_schema": schema }),
        ] {
            let tool: ToolInfo = serde_json::from_value(listed).unwrap();
            assert_eq!((&*tool.name, &*tool.description), ("t", ""));
            assert_eq!(tool.input_schema, schema);
            assert_eq!(tool.output_schema, None);
        }
    }
}
