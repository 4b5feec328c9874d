//! The recorded rows, and answers in a form that can be compared.

use std::collections::HashMap;
use std::fmt;

use serde::Deserialize;
use serde_json::Value;

const RECORDINGS: [&str; 3] = [
    include_str!("../fixtures/golden/http_core.jsonl"),
    include_str!("../fixtures/golden/ws_core.jsonl"),
    include_str!("../fixtures/golden/mcp.jsonl"),
];
const OPENAPI_SIMULATION: &str = include_str!("../fixtures/golden/openapi/echo-sim.json");
const OPENAPI_PRODUCTION: &str = include_str!("../fixtures/golden/openapi/echo-prod.json");

/// One recorded exchange.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) server: String,
    pub(crate) transport: Transport,
    /// Names the socket of a `ws` row.
    #[serde(default)]
    pub(crate) conn: String,
    pub(crate) request: Request,
    status: Value,
    response: Response,
    /// Ids that change on every run.
    #[serde(default)]
    pub(crate) volatile_uuids: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Transport {
    Http,
    Ws,
    WsHandshake,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Request {
    pub(crate) path: String,
    #[serde(default)]
    pub(crate) method: String,
    #[serde(default)]
    pub(crate) headers: HashMap<String, String>,
    pub(crate) body: Option<String>,
    pub(crate) send: Option<Frame>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(untagged)]
pub(crate) enum Frame {
    Text(String),
    Binary { binary_hex: String },
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
struct Response {
    headers: HashMap<String, String>,
    json: Option<Value>,
    text: Option<String>,
    code: Option<u16>,
}

/// What a server answered, as far as it is compared.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Http {
        status: u16,
        content_type: Option<String>,
        allow: Option<String>,
        location: Option<String>,
        /// `None` if it was not recorded.
        body: Option<Body>,
    },
    /// A refused upgrade.
    Refused {
        status: u16,
        body: String,
    },
    Frame(Body),
    Close(u16),
    /// Neither a frame nor a close frame; says why.
    Nothing(String),
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Body {
    Json(Value),
    Text(String),
}

impl Row {
    /// `<server> <http, ws or upgrade>: <name>`, which no two rows share.
    pub(crate) fn key(&self) -> String {
        let transport = match self.transport {
            Transport::Http => "http",
            Transport::Ws => "ws",
            Transport::WsHandshake => "upgrade",
        };
        format!("{} {transport}: {}", self.server, self.name)
    }

    /// The recorded answer, as a server at `base` would give it.
    pub(crate) fn answer(&self, base: &str) -> Answer {
        let response = &self.response;
        let body = match (&response.json, &response.text) {
            (Some(json), _) => Some(Body::Json(json.clone())),
            (None, Some(text)) => Some(Body::of(text)),
            (None, None) => None,
        };
        let status = self.status.as_u64().and_then(|it| u16::try_from(it).ok());
        match (self.transport, response.code) {
            (Transport::Http, _) => Answer::Http {
                status: status.expect("an HTTP row has a status"),
                content_type: response.headers.get("content-type").cloned(),
                allow: response.headers.get("allow").cloned(),
                location: response
                    .headers
                    .get("location")
                    .map(|location| format!("{base}{}", path_of(location))),
                body: if self.is_openapi() {
                    Some(Body::Json(openapi(&self.server)))
                } else {
                    body
                },
            },
            (Transport::WsHandshake, _) => Answer::Refused {
                status: status.expect("a refused upgrade has a status"),
                body: response.text.clone().unwrap_or_default(),
            },
            (Transport::Ws, Some(code)) => Answer::Close(code),
            (Transport::Ws, None) => Answer::Frame(body.expect("a frame was recorded")),
        }
    }

    pub(crate) fn is_openapi(&self) -> bool {
        self.request.path == "/openapi.json"
    }
}

impl Body {
    /// JSON if the text is JSON.
    pub(crate) fn of(text: &str) -> Self {
        match serde_json::from_str(text) {
            Ok(json) => Self::Json(json),
            Err(_) => Self::Text(text.to_owned()),
        }
    }
}

impl Answer {
    /// The JSON in the answer.
    pub(crate) fn json_mut(&mut self) -> Option<&mut Value> {
        match self {
            Self::Frame(Body::Json(json))
            | Self::Http {
                body: Some(Body::Json(json)),
                ..
            } => Some(json),
            _ => None,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Http {
                status,
                content_type,
                allow,
                location,
                body,
            } => {
                write!(f, "HTTP {status}")?;
                let headers = [
                    ("content-type", content_type),
                    ("allow", allow),
                    ("location", location),
                ];
                for (name, value) in headers {
                    if let Some(value) = value {
                        write!(f, ", {name}: {value}")?;
                    }
                }
                body.iter().try_for_each(|body| write!(f, ", {body}"))
            }
            Self::Refused { status, body } => write!(f, "refused with HTTP {status} {body:?}"),
            Self::Frame(body) => write!(f, "frame {body}"),
            Self::Close(code) => write!(f, "close {code}"),
            Self::Nothing(why) => write!(f, "nothing: {why}"),
        }
    }
}

impl fmt::Display for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(json) => json.fmt(f),
            Self::Text(text) => write!(f, "text {text:?}"),
        }
    }
}

/// The rows of one server, in recorded order.
pub(crate) fn rows(server: &str) -> Vec<Row> {
    let mut rows = all_rows();
    rows.retain(|row| row.server == server);
    assert!(!rows.is_empty(), "nothing was recorded of `{server}`");
    rows
}

/// Every row of every server.
pub(crate) fn all_rows() -> Vec<Row> {
    let lines = RECORDINGS.iter().flat_map(|recording| recording.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")))
        .collect()
}

/// The recorded outline of `/openapi.json`.
fn openapi(server: &str) -> Value {
    let text = match server {
        "echo-prod" => OPENAPI_PRODUCTION,
        _ => OPENAPI_SIMULATION,
    };
    serde_json::from_str(text).expect("the fixture is JSON")
}

/// Title, version, paths and methods of an `OpenAPI` document.
///
/// Paths that no recorded server has are left out: more is allowed, but what
/// the other mode has must not be there.
pub(crate) fn openapi_outline(document: &Value) -> Value {
    let known = openapi("echo-sim");
    let mut paths = serde_json::Map::new();
    for (path, methods) in document["paths"].as_object().into_iter().flatten() {
        if known["paths"].get(path).is_some() {
            let methods = methods.as_object().into_iter().flatten();
            let methods = methods.map(|(method, _)| method.as_str());
            paths.insert(path.clone(), methods.collect());
        }
    }
    serde_json::json!({
        "openapi": document["openapi"],
        "info": { "title": document["info"]["title"], "version": document["info"]["version"] },
        "paths": paths,
    })
}

/// The bytes of a recorded body, in which `\xff` stands for that byte.
pub(crate) fn body_bytes(recorded: &str) -> Vec<u8> {
    let mut parts = recorded.split(r"\x");
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let (byte, rest) = part.split_at(2);
        bytes.extend(hex(byte));
        bytes.extend(rest.as_bytes());
    }
    bytes
}

/// The text of a recorded frame; one that was cut ends in `...<N chars>`.
pub(crate) fn frame_text(recorded: &str) -> String {
    let cut = recorded
        .strip_suffix(" chars>")
        .and_then(|text| text.rsplit_once("...<"));
    let Some((start, length)) = cut else {
        return recorded.to_owned();
    };
    let length: usize = length.parse().expect("a length");
    let last = start.chars().next_back().expect("a start that is kept");
    let missing = length - start.chars().count();
    start.chars().chain((0..missing).map(|_| last)).collect()
}

pub(crate) fn hex(digits: &str) -> Vec<u8> {
    let pairs = digits.as_bytes().chunks(2);
    pairs
        .map(|pair| std::str::from_utf8(pair).expect("hexadecimal digits"))
        .map(|pair| u8::from_str_radix(pair, 16).expect("hexadecimal digits"))
        .collect()
}

/// `/health` of `http://127.0.0.1:8000/health`.
fn path_of(url: &str) -> &str {
    let (_, rest) = url.split_once("://").expect("an absolute address");
    rest.find('/').map_or("", |slash| &rest[slash..])
}

/// Which id of this run stands for which recorded id.
#[derive(Debug, Default)]
pub(crate) struct Bindings(HashMap<String, String>);

impl Bindings {
    /// The text with every known id replaced by the one of this run.
    pub(crate) fn fill(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for (recorded, current) in &self.0 {
            text = text.replace(recorded, current);
        }
        text
    }

    /// The answer with every known id replaced.
    pub(crate) fn fill_answer(&self, mut answer: Answer) -> Answer {
        if let Some(json) = answer.json_mut() {
            self.fill_json(json);
        }
        answer
    }

    fn fill_json(&self, json: &mut Value) {
        match json {
            Value::String(text) => *text = self.fill(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.fill_json(item)),
            Value::Object(entries) => entries.values_mut().for_each(|item| self.fill_json(item)),
            _ => {}
        }
    }

    /// Learns the ids of this run where the recorded ones first occur.
    pub(crate) fn learn(&mut self, ids: &[String], recorded: &Answer, current: &Answer) {
        if let (Some(recorded), Some(current)) =
            (recorded.clone().json_mut(), current.clone().json_mut())
        {
            self.learn_json(ids, recorded, current);
        }
    }

    fn learn_json(&mut self, ids: &[String], recorded: &Value, current: &Value) {
        match (recorded, current) {
            (Value::String(recorded), Value::String(current)) => {
                for id in ids.iter().filter(|id| recorded.contains(*id)) {
                    if let Some((before, after)) = recorded.split_once(id.as_str())
                        && let Some(rest) = current.strip_prefix(before)
                        && let Some(found) = rest.strip_suffix(after)
                        && is_uuid(found)
                    {
                        let found = found.to_owned();
                        self.0.entry(id.clone()).or_insert(found);
                    }
                }
            }
            (Value::Array(recorded), Value::Array(current)) => {
                for (recorded, current) in recorded.iter().zip(current) {
                    self.learn_json(ids, recorded, current);
                }
            }
            (Value::Object(recorded), Value::Object(current)) => {
                for (key, recorded) in recorded {
                    if let Some(current) = current.get(key) {
                        self.learn_json(ids, recorded, current);
                    }
                }
            }
            _ => {}
        }
    }
}

fn is_uuid(text: &str) -> bool {
    let lengths = text.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && text.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use serde_json::json;

    use super::*;

    const RECORDED: &str = "fa410772-3646-47af-ab04-bfa7bb04f785";
    const CURRENT: &str = "0b0f7a52-94a5-4f3c-8a86-6e7d7e2d5c11";

    #[test]
    fn every_row_has_a_key_of_its_own() {
        let rows = all_rows();
        let keys: HashSet<_> = rows.iter().map(Row::key).collect();
        assert_eq!(keys.len(), rows.len());
    }

    #[test]
    fn every_row_has_an_answer() {
        for row in all_rows() {
            row.answer("http://127.0.0.1:1");
        }
    }

    #[test]
    fn escaped_bytes_are_bytes() {
        assert_eq!(body_bytes(r"\xff\xfe"), [0xff, 0xfe]);
        assert_eq!(body_bytes(r#"{"a":"\u00e9"}"#), br#"{"a":"\u00e9"}"#);
        assert_eq!(body_bytes(r"a\x00b"), b"a\0b");
    }

    #[test]
    fn cut_frames_are_completed() {
        assert_eq!(frame_text("[[...<5 chars>"), "[[[[[");
        assert_eq!(frame_text("{}"), "{}");
    }

    #[test]
    fn numbers_keep_their_type() {
        assert_ne!(Body::of("3"), Body::of("3.0"));
        assert_eq!(Body::of("1e+300"), Body::of("1e300"));
    }

    #[test]
    fn a_first_occurrence_binds_and_later_ones_must_agree() {
        let frame = |id: &str| Answer::Frame(Body::Json(json!({ "message": format!("no {id}") })));
        let mut bindings = Bindings::default();
        bindings.learn(&[RECORDED.to_owned()], &frame(RECORDED), &frame(CURRENT));
        bindings.learn(&[RECORDED.to_owned()], &frame(RECORDED), &frame(RECORDED));
        assert_eq!(bindings.fill_answer(frame(RECORDED)), frame(CURRENT));
        assert_eq!(
            bindings.fill(&format!("/ws?session_id={RECORDED}")),
            format!("/ws?session_id={CURRENT}")
        );
    }

    #[test]
    fn nothing_but_an_id_is_bound() {
        let frame = |id: &str| Answer::Frame(Body::Json(json!({ "session_id": id })));
        let mut bindings = Bindings::default();
        bindings.learn(&[RECORDED.to_owned()], &frame(RECORDED), &frame("nope"));
        assert_eq!(bindings.fill(RECORDED), RECORDED);
    }

    #[test]
    fn an_outline_drops_prose_and_unknown_paths() {
        let outline = openapi_outline(&json!({
            "openapi": "3.1.0",
            "info": { "title": "T", "version": "1", "description": "prose" },
            "paths": { "/health": { "get": { "summary": "prose" } }, "/own": { "get": {} } },
        }));
        assert_eq!(outline["info"], json!({ "title": "T", "version": "1" }));
        assert_eq!(outline["paths"], json!({ "/health": ["get"] }));
    }
}
