//! The plain JSON-RPC dialect of `/mcp`: requests, results and errors.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use crate::contract::{Base, Shape};
use crate::error::Error;
use crate::json::{self, Document, Input};
use crate::tool::ToolOutput;
use crate::wire::tool::PlainResult;

static REQUEST: LazyLock<Shape<Fields>> = LazyLock::new(|| Shape::fixed(Base::Closed));

/// A request that is well-formed.
#[derive(Debug)]
pub(crate) struct RpcRequest<'a> {
    pub(crate) id: Option<Id>,
    pub(crate) method: Cow<'a, str>,
    pub(crate) params: Params<'a>,
}

/// The name of a request.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(
    untagged,
    expecting = "an id is a text or an integer of at most 64 bits"
)]
pub(crate) enum Id {
    Number(i64),
    Text(String),
}

/// What nearly every request looks like. Anything else takes the patient path,
/// which reads the way that Python does and explains what it refuses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Envelope<'a> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    #[serde(default)]
    id: Option<Id>,
    #[serde(borrow)]
    method: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "given")]
    params: Option<&'a RawValue>,
}

/// Tells `null` from a field that is not there.
fn given<'de: 'a, 'a, D: Deserializer<'de>>(value: D) -> Result<Option<&'a RawValue>, D::Error> {
    Deserialize::deserialize(value).map(Some)
}

/// The parameters of a request, of which tools and sessions are known.
#[derive(Debug)]
pub(crate) enum Params<'a> {
    /// As nearly every request has them.
    Plain(PlainParams<'a>),
    /// As they come.
    Any(Document),
}

#[derive(Debug, Default, Deserialize)]
pub(crate) struct PlainParams<'a> {
    #[serde(borrow, default)]
    name: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    session_id: Option<Cow<'a, str>>,
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

impl<'a> RpcRequest<'a> {
    /// Reads a request from text that may not even be JSON.
    pub(crate) fn from_text(text: &'a str) -> Result<Self, RpcError> {
        if let Some(request) = Self::at_first_sight(text) {
            return Ok(request);
        }
        match json::read(text) {
            Ok(document) => Self::from_document(document),
            Err(error) => Err(RpcError::new(-32700, format!("Parse error: {error}"))),
        }
    }

    /// Reads a request from a body; `None` if it is no JSON object at all.
    pub(crate) fn from_body(text: &'a str) -> Option<Result<Self, RpcError>> {
        if let Some(request) = Self::at_first_sight(text) {
            return Some(Ok(request));
        }
        let document = json::read(text).ok()?;
        let is_object = document.value.is_object();
        is_object.then(|| Self::from_document(document))
    }

    pub(crate) fn from_input(input: Input<'a>) -> Result<Self, RpcError> {
        match input {
            Input::Raw(Cow::Borrowed(text)) => Self::from_text(text),
            Input::Raw(Cow::Owned(text)) => match json::read(&text) {
                Ok(document) => Self::from_document(document),
                Err(error) => Err(RpcError::new(-32700, format!("Parse error: {error}"))),
            },
            Input::Lenient(document) => Self::from_document(document),
        }
    }

    fn at_first_sight(text: &'a str) -> Option<Self> {
        let envelope: Envelope<'a> = serde_json::from_str(text).ok()?;
        let params = match envelope.params {
            None => PlainParams::default(),
            Some(params) if params.get().starts_with('{') => {
                serde_json::from_str(params.get()).ok()?
            }
            Some(_) => return None,
        };
        (envelope.jsonrpc == "2.0").then_some(Self {
            id: envelope.id,
            method: envelope.method,
            params: Params::Plain(params),
        })
    }

    fn from_document(document: Document) -> Result<Self, RpcError> {
        let params = document.member("params");
        let fields = REQUEST
            .parse(&Input::Lenient(document))
            .map_err(|violations| {
                let list: Vec<String> = violations.iter().map(ToString::to_string).collect();
                RpcError::new(-32600, format!("Invalid request: {}", list.join("; ")))
            })?;
        Ok(Self {
            id: fields.id,
            method: Cow::Owned(fields.method),
            params: Params::Any(params.unwrap_or(Document {
                value: Value::Object(fields.params),
                non_finite: Vec::new(),
            })),
        })
    }
}

impl<'a> Params<'a> {
    /// The session that is named, if one is; what is no text is no name of ours either.
    pub(crate) fn session_id(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::Plain(plain) => plain
                .session_id
                .as_deref()
                .filter(|id| !id.is_empty())
                .map(Cow::Borrowed),
            Self::Any(document) => match document.value.get("session_id")? {
                value if is_nothing(value) => None,
                Value::String(id) => Some(Cow::Borrowed(id)),
                other => Some(Cow::Owned(json::python_repr(other))),
            },
        }
    }

    /// The name and the arguments of a tool call.
    pub(crate) fn tool_call(self) -> Result<(Cow<'a, str>, Input<'a>), RpcError> {
        match self {
            Self::Plain(PlainParams {
                name: Some(name),
                arguments,
                ..
            }) if !name.is_empty() => match arguments.map(RawValue::get) {
                None | Some("null" | "[]") => Ok((name, Input::raw("{}"))),
                Some(text) if text.starts_with('{') => Ok((name, Input::raw(text))),
                Some(_) => Err(not_valid("arguments", "a valid dictionary")),
            },
            Self::Plain(_) => Err(no_name()),
            Self::Any(document) => {
                let name = match document.value.get("name") {
                    None => return Err(no_name()),
                    Some(name) if is_nothing(name) => return Err(no_name()),
                    Some(Value::String(name)) => Cow::Owned(name.clone()),
                    Some(_) => return Err(not_valid("name", "a valid string")),
                };
                let arguments = document.member("arguments");
                match arguments {
                    Some(arguments) if arguments.value.is_object() => {
                        Ok((name, Input::Lenient(arguments)))
                    }
                    Some(arguments) if !is_nothing(&arguments.value) => {
                        Err(not_valid("arguments", "a valid dictionary"))
                    }
                    _ => Ok((name, Input::raw("{}"))),
                }
            }
        }
    }
}

/// What counts as nothing in Python.
fn is_nothing(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Bool(value) => !value,
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
    }
}

fn no_name() -> RpcError {
    RpcError::new(-32602, "Missing 'name' in params")
}

fn not_valid(field: &str, expected: &str) -> RpcError {
    let message = format!(
        "1 validation error for CallToolRequestParams\n{field}: Input should be {expected}"
    );
    RpcError::new(-32603, message)
}

/// What a request comes to.
#[derive(Debug)]
pub(crate) enum Outcome {
    Document(Value),
    Tool(ToolOutput),
}

/// A failure, as JSON-RPC reports it.
#[derive(Debug, Serialize)]
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

/// Appends the response to `out`.
pub(crate) fn write_response(
    out: &mut Vec<u8>,
    id: Option<&Id>,
    outcome: &Result<Outcome, RpcError>,
) {
    #[derive(Serialize)]
    struct Response<'a, T> {
        jsonrpc: &'a str,
        id: Option<&'a Id>,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<T>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a RpcError>,
    }
    impl<T: Serialize> Response<'_, T> {
        fn write(self, out: &mut Vec<u8>) {
            serde_json::to_writer(out, &self).expect("values and texts always serialise");
        }
    }
    let jsonrpc = "2.0";
    match outcome {
        Ok(Outcome::Document(value)) => Response {
            jsonrpc,
            id,
            result: Some(value),
            error: None,
        }
        .write(out),
        Ok(Outcome::Tool(output)) => Response {
            jsonrpc,
            id,
            result: Some(PlainResult(output)),
            error: None,
        }
        .write(out),
        Err(error) => Response::<()> {
            jsonrpc,
            id,
            result: None,
            error: Some(error),
        }
        .write(out),
    }
}

/// The response to a request that cannot be told from noise.
pub(crate) fn error_document(error: &RpcError) -> Value {
    json!({ "jsonrpc": "2.0", "id": null, "error": error })
}
