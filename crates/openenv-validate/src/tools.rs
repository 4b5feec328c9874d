//! The tools that an environment lists.

use serde_json::{Value, json};

use crate::server::Server;

/// What JSON-RPC says to a method that is not there.
const METHOD_NOT_FOUND: i64 = -32601;

/// A tool, as far as it is listed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tool {
    pub(crate) name: String,
    pub(crate) described: bool,
    /// Of its arguments; `Null` if there is none.
    pub(crate) schema: Value,
}

/// What came of the question for tools.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Listing {
    /// At least one.
    Tools(Vec<Tool>),
    /// The environment has none.
    None(String),
    /// The answer makes no sense.
    Broken(String),
}

impl Listing {
    pub(crate) fn tools(&self) -> &[Tool] {
        match self {
            Self::Tools(tools) => tools,
            Self::None(_) | Self::Broken(_) => &[],
        }
    }
}

/// Asks the server which tools there are.
pub(crate) async fn list(server: &Server) -> Listing {
    let answer = match server
        .post("/mcp", &request("tools/list", &json!({})))
        .await
    {
        Ok(answer) => answer,
        Err(error) => return Listing::Broken(format!("`POST /mcp` failed: {error}")),
    };
    let Some(body) = answer.body.filter(|_| answer.status == 200) else {
        let status = answer.status;
        return Listing::Broken(format!("`POST /mcp` answered with status {status}"));
    };
    read(&body)
}

/// A request in JSON-RPC.
pub(crate) fn request(method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params })
}

fn read(response: &Value) -> Listing {
    if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
        let message = error["message"].as_str().unwrap_or_default();
        // The reference's words for an environment that has no tools at all.
        let has_none =
            error["code"] == METHOD_NOT_FOUND || message.contains("does not support MCP");
        return if has_none {
            Listing::None(format!("the environment has no tools: {message}"))
        } else {
            Listing::Broken(format!("`tools/list` failed: {error}"))
        };
    }
    let Some(tools) = response["result"]["tools"].as_array() else {
        return Listing::Broken(format!("`tools/list` has no list of tools: {response}"));
    };
    if tools.is_empty() {
        return Listing::None("the environment has no tools".to_owned());
    }
    let tools = tools.iter().map(|tool| {
        let schema = tool.get("inputSchema").or_else(|| tool.get("input_schema"));
        let description = tool["description"].as_str();
        Tool {
            name: tool["name"].as_str().unwrap_or_default().to_owned(),
            described: description.is_some_and(|text| !text.trim().is_empty()),
            schema: schema.cloned().unwrap_or_default(),
        }
    });
    Listing::Tools(tools.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn to_fail_is_not_to_have_none() {
        let failed = |code: i64, message: &str| {
            read(&json!({ "error": { "code": code, "message": message } }))
        };
        let none = failed(-32603, "Environment does not support MCP");
        assert!(matches!(none, Listing::None(_)), "{none:?}");
        let none = failed(METHOD_NOT_FOUND, "no such method");
        assert!(matches!(none, Listing::None(_)), "{none:?}");
        let broken = failed(-32603, "the database is gone");
        assert!(matches!(broken, Listing::Broken(_)), "{broken:?}");
    }
}
