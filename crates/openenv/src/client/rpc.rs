//! Tools in JSON-RPC, as the OpenEnv dialect has it.

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Value, from_str};

use super::reply::{unreadable, violations};
use crate::error::{Error, Kind, Result};
use crate::tool::{CallTool, ToolFailure, ToolInfo, ToolOutput};

/// Replies come in the order of the requests and are counted, so the requests need
/// no names to tell them apart.
pub(super) const LIST: &str = r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}"#;

pub(super) fn call(call: &CallTool) -> String {
    #[derive(Serialize)]
    struct Request<'a> {
        jsonrpc: &'a str,
        id: u32,
        method: &'a str,
        params: Params<'a>,
    }
    #[derive(Serialize)]
    struct Params<'a> {
        name: &'a str,
        arguments: &'a RawValue,
    }
    let request = Request {
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: Params {
            name: &call.tool_name,
            arguments: &call.arguments,
        },
    };
    serde_json::to_string(&request).expect("texts and JSON always serialise")
}

#[derive(Deserialize)]
struct Response<'a> {
    #[expect(dead_code, reason = "it tells a response from other objects")]
    jsonrpc: String,
    /// Null if there is none.
    #[serde(borrow, default)]
    result: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<RpcError>,
}

/// What went wrong, as JSON-RPC reports it.
#[derive(Debug, Deserialize)]
pub(super) struct RpcError {
    pub(super) code: i64,
    pub(super) message: String,
    #[serde(default)]
    pub(super) data: Value,
}

/// Reads the answer to the question for the tools.
pub(super) fn listed(text: &str) -> Result<Vec<ToolInfo>> {
    #[derive(Deserialize)]
    struct Listed {
        tools: Vec<ToolInfo>,
    }
    let Listed { tools } = from_str(result(text)?).map_err(|error| unreadable(text, error))?;
    Ok(tools)
}

/// Reads the answer to a call.
pub(super) fn called(text: &str) -> Result<ToolOutput> {
    let result = result(text).map_err(Error::of_call)?;
    let result: &RawValue = from_str(result).map_err(|error| unreadable(text, error))?;
    ToolOutput::received(result)
}

/// The error that a text is about, if it is about one.
pub(super) fn error(text: &str) -> Option<Error> {
    let response: Response<'_> = from_str(text).ok()?;
    response.error.map(Error::from)
}

fn result(text: &str) -> Result<&str> {
    let response: Response<'_> = from_str(text).map_err(|error| unreadable(text, error))?;
    match response.error {
        Some(error) => Err(error.into()),
        None => Ok(response.result.map_or("null", RawValue::get)),
    }
}

impl From<RpcError> for Error {
    fn from(error: RpcError) -> Self {
        let RpcError {
            code,
            message,
            data,
        } = error;
        let number = |name: &str| {
            let number = data[name].as_u64().unwrap_or_default();
            usize::try_from(number).unwrap_or(usize::MAX)
        };
        let told = ToolFailure::told_by(&message).map(Kind::Tool);
        let kind = match code {
            -32000 if !data["max_sessions"].is_null() => Kind::Capacity {
                active: number("active_sessions"),
                maximum: number("max_sessions"),
            },
            -32000 => match data["factory_name"].as_str() {
                Some(name) => Kind::Factory {
                    name: name.to_owned(),
                },
                // The socket is closed after it.
                None => Kind::Session,
            },
            -32600 | -32602 if told.is_none() && is_about_session(&message) => Kind::Session,
            -32601 => Kind::Unsupported,
            -32602 if !data["errors"].is_null() => {
                Kind::Validation(violations(data["errors"].clone()))
            }
            -32602 => told.unwrap_or_else(|| Kind::Tool(refusal(&message))),
            -32603 if message == "Environment does not support MCP" => Kind::Unsupported,
            -32603 => told.unwrap_or(Kind::Execution),
            -32700 => Kind::InvalidJson,
            code => Kind::Remote {
                code: code.to_string(),
            },
        };
        Self::of(kind, message)
    }
}

impl Error {
    /// The same error, known to be that of a call.
    pub(super) fn of_call(self) -> Self {
        if self.is_execution() {
            Self::of(Kind::Tool(ToolFailure::Execution), self.message())
        } else {
            self
        }
    }
}

fn is_about_session(message: &str) -> bool {
    let message = message.to_ascii_lowercase();
    message.contains("session") || message.contains("shutting down")
}

/// Why a call is refused with "invalid params", in the words of other servers.
fn refusal(message: &str) -> ToolFailure {
    if message.to_ascii_lowercase().contains("not found") {
        ToolFailure::NotFound
    } else {
        ToolFailure::InvalidArguments
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn failed(code: i64, message: &str, data: &Value) -> Error {
        let error = json!({ "code": code, "message": message, "data": data });
        let response = json!({ "jsonrpc": "2.0", "id": null, "error": error }).to_string();
        assert_eq!(error_text(&response), message);
        called(&response).unwrap_err()
    }

    fn error_text(response: &str) -> String {
        error(response).unwrap().message().to_owned()
    }

    #[test]
    fn errors_keep_what_can_be_told() {
        let data = json!({ "active_sessions": 1, "max_sessions": 1 });
        assert!(failed(-32000, "full", &data).is_capacity());
        assert!(failed(-32000, "no", &json!({ "factory_name": "f" })).is_factory());
        assert!(failed(-32602, "Unknown session_id: x", &Value::Null).is_session());
        assert!(failed(-32601, "Method not found: tools/call", &Value::Null).is_unsupported());
        let message = "Environment does not support MCP";
        assert!(failed(-32603, message, &Value::Null).is_unsupported());
        assert_eq!(failed(-1, "odd", &Value::Null).code(), "-1");
        for (code, message, failure) in [
            (-32603, "Unknown tool: 'session'", ToolFailure::NotFound),
            (-32602, "tool not found", ToolFailure::NotFound),
            (-32602, "missing field `x`", ToolFailure::InvalidArguments),
            (-32603, "anything", ToolFailure::Execution),
        ] {
            let error = failed(code, message, &Value::Null);
            assert_eq!(error.tool_failure(), Some(failure), "{message}");
        }
    }

    #[test]
    fn what_is_no_response_is_shown() {
        for text in ["<html>", r#"{"type":"observation","data":{}}"#] {
            let error = listed(text).unwrap_err();
            assert_eq!(error.code(), "INVALID_ANSWER");
            assert!(error.to_string().contains(text), "{error}");
        }
        let nothing = r#"{"jsonrpc":"2.0","id":1,"result":null}"#;
        called(nothing).unwrap().read::<()>().unwrap();
    }
}
