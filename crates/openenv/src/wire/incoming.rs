//! Frames that arrive on `/ws`.

use std::borrow::Cow;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::contract::{Base, Shape};
use crate::env::StepOptions;
use crate::error::{Error, Kind, Result, Violation};
use crate::json::{self, Document, Input};
use crate::wire::request::seconds;

/// One frame: what is asked for, and the name that the caller gives the question.
#[derive(Debug)]
pub(crate) struct Incoming<'a> {
    pub(crate) request: Request<'a>,
    /// Repeated in the reply, so that a caller can tell whose reply it is.
    pub(crate) request_id: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub(crate) enum Request<'a> {
    Reset(Input<'a>),
    Step {
        action: Input<'a>,
        options: StepOptions,
    },
    State,
    /// What the environment shows to people.
    View,
    Close,
    Mcp(Input<'a>),
}

/// What nearly every frame looks like. Anything else takes the patient path,
/// which reads the way that Python does and explains what it refuses.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Frame<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    data: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_id: Option<Cow<'a, str>>,
    #[serde(default)]
    timeout_s: Option<f64>,
}

impl<'a> Incoming<'a> {
    pub(crate) fn parse(text: &'a str) -> Result<Self> {
        match serde_json::from_str(text).ok().and_then(Self::from_frame) {
            Some(incoming) => Ok(incoming),
            None => Self::read_patiently(text),
        }
    }

    fn new(request: Request<'a>, request_id: Option<String>) -> Self {
        Self {
            request,
            request_id: request_id.map(Cow::Owned),
        }
    }

    fn from_frame(frame: Frame<'a>) -> Option<Self> {
        let object = frame.data.filter(|data| data.get().starts_with('{'));
        let request = match (&*frame.kind, object, frame.timeout_s) {
            ("step", Some(action), timeout) if timeout.is_none_or(|timeout| timeout > 0.0) => {
                let options = StepOptions {
                    timeout: timeout.and_then(seconds),
                    request_id: frame.request_id.as_deref().map(str::to_owned),
                    ..StepOptions::default()
                };
                Request::Step {
                    action: Input::raw(action.get()),
                    options,
                }
            }
            ("reset", Some(arguments), None) => Request::Reset(Input::raw(arguments.get())),
            ("state", None, None) if frame.data.is_none() => Request::State,
            ("view", None, None) if frame.data.is_none() => Request::View,
            ("close", None, None) if frame.data.is_none() => Request::Close,
            ("mcp", Some(rpc), None) => Request::Mcp(Input::raw(rpc.get())),
            _ => return None,
        };
        Some(Self {
            request,
            request_id: frame.request_id,
        })
    }

    fn read_patiently(text: &str) -> Result<Self> {
        let document = json::read(text)
            .map_err(|error| Error::of(Kind::InvalidJson, format!("Invalid JSON: {error}")))?;
        let Value::Object(fields) = &document.value else {
            return Err(Error::validation(vec![Violation::not_an_object(
                document.value.clone(),
            )]));
        };
        let kind = match fields.get("type") {
            None => String::new(),
            Some(Value::String(kind)) => kind.clone(),
            Some(other) => json::python_repr(other),
        };
        match kind.as_str() {
            "reset" => {
                let (frame, data) = read(&RESET, &document)?;
                Ok(Self::new(Request::Reset(data), frame.request_id))
            }
            "step" => {
                let (frame, action) = read(&STEP, &document)?;
                let options = StepOptions {
                    timeout: frame.timeout_s.and_then(seconds),
                    request_id: frame.request_id.clone(),
                    ..StepOptions::default()
                };
                Ok(Self::new(
                    Request::Step { action, options },
                    frame.request_id,
                ))
            }
            "state" => Ok(Self::new(
                Request::State,
                read(&BARE, &document)?.0.request_id,
            )),
            "view" => Ok(Self::new(
                Request::View,
                read(&BARE, &document)?.0.request_id,
            )),
            "close" => Ok(Self::new(
                Request::Close,
                read(&BARE, &document)?.0.request_id,
            )),
            "mcp" => {
                let (frame, rpc) = read(&MCP, &document)?;
                Ok(Self::new(Request::Mcp(rpc), frame.request_id))
            }
            _ => Err(Error::of(
                Kind::UnknownType,
                format!("Unknown message type: {kind}"),
            )),
        }
    }
}

/// Checks a frame against its shape, and separates its `data` from the rest.
///
/// The data is handed on as it was read: it has a shape of its own.
fn read<T: DeserializeOwned + JsonSchema>(
    shape: &Shape<T>,
    document: &Document,
) -> Result<(T, Input<'static>)> {
    let frame = shape
        .parse(&Input::Lenient(document.clone()))
        .map_err(Error::validation)?;
    let data = document.member("data").unwrap_or_else(|| Document {
        value: Value::Object(Map::new()),
        non_finite: Vec::new(),
    });
    Ok((frame, Input::Lenient(data)))
}

static RESET: LazyLock<Shape<ResetFrame>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static STEP: LazyLock<Shape<StepFrame>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static MCP: LazyLock<Shape<McpFrame>> = LazyLock::new(|| Shape::fixed(Base::Closed));
static BARE: LazyLock<Shape<BareFrame>> = LazyLock::new(|| Shape::fixed(Base::Closed));

#[derive(Deserialize, JsonSchema)]
struct ResetFrame {
    #[expect(dead_code, reason = "looked at before")]
    r#type: String,
    #[serde(default)]
    #[expect(dead_code, reason = "taken from the document")]
    data: Map<String, Value>,
    #[serde(default)]
    request_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct StepFrame {
    #[expect(dead_code, reason = "looked at before")]
    r#type: String,
    #[expect(dead_code, reason = "taken from the document")]
    data: Map<String, Value>,
    #[serde(default)]
    request_id: Option<String>,
    #[serde(default)]
    #[schemars(extend("exclusiveMinimum" = 0.0))]
    timeout_s: Option<f64>,
}

#[derive(Deserialize, JsonSchema)]
struct McpFrame {
    #[expect(dead_code, reason = "looked at before")]
    r#type: String,
    #[expect(dead_code, reason = "taken from the document")]
    data: Map<String, Value>,
    #[serde(default)]
    request_id: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct BareFrame {
    #[expect(dead_code, reason = "looked at before")]
    r#type: String,
    #[serde(default)]
    request_id: Option<String>,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::wire::request::ResetInput;

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            ".*".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map(".*", inner, 0..4)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    /// What a frame asks for, whichever path read it.
    fn meaning(incoming: Result<Incoming<'_>>) -> Result<(String, Value, Option<String>), String> {
        let input = |input: &Input<'_>| match input {
            Input::Raw(text) => serde_json::from_str(text).unwrap(),
            Input::Lenient(document) => document.value.clone(),
        };
        let Incoming {
            request,
            request_id,
        } = incoming.map_err(|error| format!("{} {:?}", error, error.violations()))?;
        let (kind, data) = match &request {
            Request::Reset(data) => ("reset", input(data)),
            Request::Step { action, options } => {
                ("step", json!([input(action), format!("{options:?}")]))
            }
            Request::State => ("state", Value::Null),
            Request::View => ("view", Value::Null),
            Request::Close => ("close", Value::Null),
            Request::Mcp(rpc) => ("mcp", input(rpc)),
        };
        Ok((kind.to_owned(), data, request_id.map(Cow::into_owned)))
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd_to_be_answered(text in any::<String>()) {
            let _ = Incoming::parse(&text);
        }

        #[test]
        fn no_document_is_too_odd_to_be_answered(value in any_json()) {
            let _ = Incoming::parse(&value.to_string());
        }

        #[test]
        fn the_quick_path_and_the_patient_path_agree(
            kind in prop_oneof![
                Just("reset"), Just("step"), Just("state"), Just("close"), Just("mcp"), Just("other")
            ],
            data in prop::option::of(any_json()),
            request_id in prop::option::of(".*"),
            timeout in prop::option::of(-1.0_f64..1e3),
        ) {
            let mut frame = json!({ "type": kind });
            // `null` on a frame that takes no data is let pass by the quick path.
            if let Some(data) = data.filter(|data| !data.is_null()) {
                frame["data"] = data;
            }
            if let Some(request_id) = request_id {
                frame["request_id"] = request_id.into();
            }
            if let Some(timeout) = timeout {
                frame["timeout_s"] = timeout.into();
            }
            let text = frame.to_string();
            prop_assert_eq!(meaning(Incoming::parse(&text)), meaning(Incoming::read_patiently(&text)));
        }
    }

    #[test]
    fn a_seed_beyond_64_bits_arrives_whole() {
        let text = r#"{"type":"reset","data":{"seed":1180591620717411303424}}"#;
        let Ok(Incoming {
            request: Request::Reset(data),
            ..
        }) = Incoming::parse(text)
        else {
            panic!("not a reset");
        };
        let options = ResetInput::AsSent(data).into_options().unwrap();
        assert_eq!(options.seed.map(i128::from), Some(1 << 70));
    }

    #[test]
    fn what_is_coerced_counts() {
        let text = r#"{"type":"step","data":{},"timeout_s":"0.5","request_id":"r"}"#;
        let incoming = Incoming::parse(text).unwrap();
        assert_eq!(incoming.request_id.as_deref(), Some("r"));
        let Request::Step { options, .. } = incoming.request else {
            panic!("not a step");
        };
        assert_eq!(options.timeout, seconds(0.5));
    }

    #[test]
    fn the_last_of_two_equal_keys_counts() {
        let error = Incoming::parse(r#"{"type":"state","type":"unknown2"}"#).unwrap_err();
        assert_eq!(error.to_string(), "Unknown message type: unknown2");
    }
}
