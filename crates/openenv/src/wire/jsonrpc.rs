//! The plain JSON-RPC dialect of `/mcp`: requests, results and errors.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::contract::{Base, Shape};
use crate::error::Error;
use crate::json::{self, Input};

static REQUEST: LazyLock<Shape<Fields>> = LazyLock::new(|| Shape::fixed(Base::Closed));

/// A request that is well-formed.
#[derive(Debug)]
pub(crate) struct RpcRequest {
    pub(crate) id: Value,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

#[derive(Deserialize, JsonSchema)]
struct Fields {
    #[schemars(extend("const" = "2.0"))]
    #[expect(dead_code, reason = "it is there to be checked")]
    jsonrpc: String,
    method: String,
    #[serde(default)]
    params: Map<String, Value>,
    #[serde(default)]
    id: Option<Id>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum Id {
    Number(i64),
    Text(String),
}

/// A failure, as JSON-RPC reports it.
#[derive(Debug)]
pub(crate) struct RpcError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Value,
}

impl RpcError {
    pub(crate) fn new(code: i64, message: impl Into<String>) -> Self {
        Self {
            code,
            message: message.into(),
            data: Value::Null,
        }
    }

    pub(crate) fn invalid_request(why: &str) -> Self {
        Self::new(-32600, format!("Invalid request: {why}"))
    }

    pub(crate) fn invalid_params(message: impl Into<String>) -> Self {
        Self::new(-32602, message)
    }
}

impl From<Error> for RpcError {
    fn from(error: Error) -> Self {
        let details = error.details();
        Self {
            code: error.rpc_code(),
            message: error.message().to_owned(),
            data: if details.is_empty() {
                Value::Null
            } else {
                Value::Object(details)
            },
        }
    }
}

impl RpcRequest {
    /// Reads a request from text that may not even be JSON.
    pub(crate) fn from_text(text: &str) -> Result<Self, RpcError> {
        match json::read(text) {
            Ok(document) => Self::from_input(&Input::Lenient(document)),
            Err(error) => Err(RpcError::new(-32700, format!("Parse error: {error}"))),
        }
    }

    pub(crate) fn from_input(input: &Input<'_>) -> Result<Self, RpcError> {
        let fields = REQUEST.parse(input).map_err(|violations| {
            let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
            RpcError::invalid_request(&list.join("; "))
        })?;
        Ok(Self {
            id: match fields.id {
                None => Value::Null,
                Some(Id::Number(id)) => id.into(),
                Some(Id::Text(id)) => id.into(),
            },
            method: fields.method,
            params: fields.params,
        })
    }
}

/// The response document.
pub(crate) fn response(id: &Value, outcome: Result<Value, RpcError>) -> Value {
    match outcome {
        Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
        Err(RpcError {
            code,
            message,
            data,
        }) => json!({
            "jsonrpc": "2.0",
            "id": id,
            "error": { "code": code, "message": message, "data": data },
        }),
    }
}
