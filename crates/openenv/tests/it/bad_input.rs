//! Whatever a client sends gets a clear answer, and the session goes on.

use serde_json::{Map, Value, json};

use crate::probe::InlineProbe;
use crate::support::{TestServer, http};

/// A frame, the code it is answered with, and a part of the message or the errors.
const FRAMES: &[(&str, &str, &str)] = &[
    (
        "",
        "INVALID_JSON",
        "Invalid JSON: Expecting value: line 1 column 1 (char 0)",
    ),
    (
        "{bad",
        "INVALID_JSON",
        "Expecting property name enclosed in double quotes",
    ),
    (r#"{"type":"state"} x"#, "INVALID_JSON", "Extra data"),
    ("[]", "VALIDATION_ERROR", "valid dictionary"),
    ("5", "VALIDATION_ERROR", "valid dictionary"),
    ("null", "VALIDATION_ERROR", "valid dictionary"),
    (r#""x""#, "VALIDATION_ERROR", "valid dictionary"),
    ("{}", "UNKNOWN_TYPE", "Unknown message type: "),
    (
        r#"{"type":null}"#,
        "UNKNOWN_TYPE",
        "Unknown message type: None",
    ),
    (
        r#"{"type":"RESET"}"#,
        "UNKNOWN_TYPE",
        "Unknown message type: RESET",
    ),
    (r#"{"type":"step"}"#, "VALIDATION_ERROR", "Field required"),
    (
        r#"{"type":"step","data":[]}"#,
        "VALIDATION_ERROR",
        "valid dictionary",
    ),
    (
        r#"{"type":"step","data":{"add":"x"}}"#,
        "VALIDATION_ERROR",
        "int_parsing",
    ),
    (
        r#"{"type":"step","data":{"add":1.5}}"#,
        "VALIDATION_ERROR",
        "int_from_float",
    ),
    (
        r#"{"type":"step","data":{"add":NaN}}"#,
        "VALIDATION_ERROR",
        "finite_number",
    ),
    (
        r#"{"type":"step","data":{"zzz":1}}"#,
        "VALIDATION_ERROR",
        "extra_forbidden",
    ),
    (
        r#"{"type":"step","data":{},"zzz":1}"#,
        "VALIDATION_ERROR",
        "extra_forbidden",
    ),
    (
        r#"{"type":"step","data":{},"timeout_s":0}"#,
        "VALIDATION_ERROR",
        "greater_than",
    ),
    (
        r#"{"type":"step","data":{},"request_id":7}"#,
        "VALIDATION_ERROR",
        "string_type",
    ),
    (
        r#"{"type":"reset","data":{"seed":"abc"}}"#,
        "VALIDATION_ERROR",
        "int_parsing",
    ),
    (
        r#"{"type":"state","data":{}}"#,
        "VALIDATION_ERROR",
        "extra_forbidden",
    ),
    (
        r#"{"type":"close","x":1}"#,
        "VALIDATION_ERROR",
        "extra_forbidden",
    ),
];

async fn sum(socket: &mut crate::support::Socket) -> Value {
    let reply = socket.ask(&json!({ "type": "step", "data": {} })).await;
    reply["data"]["observation"]["sum"].clone()
}

#[tokio::test]
async fn a_bad_frame_is_named_and_costs_nothing() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    socket
        .ask(&json!({ "type": "step", "data": { "add": 7 } }))
        .await;
    for (frame, code, part) in FRAMES {
        socket.send_text(frame).await;
        let reply = socket.recv_json().await;
        assert_eq!(reply["type"], "error", "{frame}");
        assert_eq!(reply["data"]["code"], *code, "{frame}: {reply}");
        let told = format!("{} {}", reply["data"]["message"], reply["data"]["errors"]);
        assert!(told.contains(part), "{frame}: {told}");
        assert_eq!(sum(&mut socket).await, 7, "after {frame}");
    }
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (1, 1));
}

#[tokio::test]
async fn depth_and_binary_frames_cost_nothing() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let nested = format!(
        r#"{{"type":"step","data":{{"add":{}}}}}"#,
        "[".repeat(100_000)
    );
    for deep in ["[".repeat(1_000_000), r#"{"a":"#.repeat(200_000), nested] {
        socket.send_text(&deep).await;
        assert_eq!(socket.recv_json().await["data"]["code"], "INVALID_JSON");
    }
    socket.send_binary(br#"{"type":"state"}"#).await;
    assert_eq!(
        socket.recv_json().await["type"],
        "state",
        "JSON is JSON in a binary frame as well"
    );
    socket.send_binary(&[0xff, 0xfe, 0x00]).await;
    assert_eq!(socket.recv_json().await["data"]["code"], "INVALID_JSON");
    assert_eq!(sum(&mut socket).await, 0);
    server.stop().await;
}

#[tokio::test]
async fn every_failing_field_is_named_with_its_place() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let frame = json!({ "type": "step", "data": { "add": "x", "sleep_ms": -1, "fail": "y".repeat(101), "zzz": 0 } });
    let reply = socket.ask(&frame).await;
    let errors = reply["data"]["errors"].as_array().unwrap();
    let named: Vec<_> = errors
        .iter()
        .map(|error| {
            (
                error["loc"][0].as_str().unwrap(),
                error["type"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        named,
        [
            ("add", "int_parsing"),
            ("sleep_ms", "greater_than_equal"),
            ("fail", "string_too_long"),
            ("zzz", "extra_forbidden"),
        ]
    );
    server.stop().await;
}

#[tokio::test]
async fn what_breaks_the_protocol_ends_that_socket_with_the_right_code() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.max_message_size(1000)).await;
    let mut bystander = server.socket("/ws").await;
    let mut oversize = server.socket("/ws").await;
    oversize.send_text(&" ".repeat(1001)).await;
    assert_eq!(oversize.expect_close().await, 1009);
    let mut not_utf8 = server.socket("/ws").await;
    not_utf8.send_invalid_utf8().await;
    assert_eq!(not_utf8.expect_close().await, 1007);
    assert_eq!(sum(&mut bystander).await, 0);

    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/reset", server.url()))
        .header("content-type", "application/json")
        .body(format!(r#"{{"x":"{}"}}"#, "y".repeat(2000)))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 413);
    let body: Value = response.json().await.unwrap();
    assert!(body["detail"].as_str().unwrap().contains("1000"), "{body}");
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (3, 3));
}

#[tokio::test]
async fn what_a_server_cannot_be_is_said_at_build_time() {
    let refused = |builder: openenv::ServerBuilder| builder.build().unwrap_err().to_string();
    assert!(refused(openenv::Server::builder()).contains("at least one environment"));
    let (builder, _) = InlineProbe::server();
    assert!(refused(builder.max_sessions(0)).contains("at least 1"));
    let life = std::sync::Arc::default();
    let probe = move || InlineProbe::new(&life);
    let twice = openenv::Server::builder()
        .environment("a", probe.clone())
        .environment("A", probe.clone());
    assert!(refused(twice).contains("`A` stands twice"));
    let odd = openenv::Server::builder().environment("a/b", probe);
    assert!(refused(odd).contains("`a/b` does not fit into a path"));
    assert_eq!(
        "Live".parse::<openenv::Mode>().unwrap_err().to_string(),
        "Invalid mode: 'Live'. Must be one of: ['simulation', 'production']"
    );
}

/// An action that checks itself while it is parsed.
#[derive(serde::Deserialize, schemars::JsonSchema)]
#[serde(try_from = "Raw")]
struct Even(i64);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct Raw {
    number: i64,
}

impl TryFrom<Raw> for Even {
    type Error = String;

    fn try_from(raw: Raw) -> Result<Self, String> {
        if raw.number % 2 == 0 {
            Ok(Self(raw.number))
        } else {
            Err(format!("{} is odd", raw.number))
        }
    }
}

#[derive(Default)]
struct Halves;

impl openenv::Environment for Halves {
    type Action = Even;
    type Observation = Map<String, Value>;
    type ResetObservation = ();
    type State = ();

    async fn reset(&mut self, _: openenv::ResetOptions) -> openenv::Result<openenv::Step<()>> {
        Ok(openenv::Step::new(()))
    }

    async fn step(
        &mut self,
        Even(number): Even,
        _: openenv::StepOptions,
    ) -> openenv::Result<openenv::Step<Map<String, Value>>> {
        let half = ("half".to_owned(), json!(number / 2));
        Ok(openenv::Step::new(Map::from_iter([half])))
    }

    fn state(&self) {}
}

#[tokio::test]
async fn an_action_that_refuses_itself_is_a_violation_like_any_other() {
    let builder = openenv::Server::builder().environment("halves", Halves::default);
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let odd = json!({ "type": "step", "data": { "number": 3 } });
    let reply = socket.ask(&odd).await;
    assert_eq!(reply["data"]["code"], "VALIDATION_ERROR");
    assert_eq!(reply["data"]["errors"][0]["type"], "value_error");
    assert_eq!(reply["data"]["errors"][0]["msg"], "Value error, 3 is odd");
    let even = json!({ "type": "step", "data": { "number": 4 } });
    assert_eq!(socket.ask(&even).await["data"]["observation"]["half"], 2);
    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .json(&json!({ "action": { "number": 3 } }))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 422);
    server.stop().await;
}

#[tokio::test]
async fn a_body_that_is_not_utf8_is_refused_rather_than_altered() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .header("content-type", "application/json")
        .body(b"{\"action\": {\"fail\": \"a\xff\"}}".to_vec())
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 422);
    let body: Value = response.json().await.unwrap();
    assert_eq!(body["detail"][0]["ctx"]["error"], "Invalid UTF-8");
    assert_eq!(body["detail"][0]["loc"], json!(["body", 22]));
    assert_eq!(life.opened(), 0);
    server.stop().await;
}

#[tokio::test]
async fn a_large_input_is_described_and_not_sent_back() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let large = "x".repeat(5_000_000);
    let frame = json!({ "type": "step", "data": { "fail": large, "zzz": large } });
    let reply = socket.ask(&frame).await;
    assert_eq!(reply["data"]["code"], "VALIDATION_ERROR");
    assert!(reply.to_string().len() < 10_000);
    assert_eq!(
        reply["data"]["errors"][1]["input"],
        "a text of more than 16384 bytes"
    );
    server.stop().await;
}

#[derive(serde::Serialize, schemars::JsonSchema)]
struct WithReward {
    reward: f64,
}

struct Misplaced;

impl openenv::Environment for Misplaced {
    type Action = ();
    type Observation = WithReward;
    type ResetObservation = ();
    type State = ();

    async fn reset(&mut self, _: openenv::ResetOptions) -> openenv::Result<openenv::Step<()>> {
        Ok(openenv::Step::new(()))
    }

    async fn step(
        &mut self,
        (): (),
        _: openenv::StepOptions,
    ) -> openenv::Result<openenv::Step<WithReward>> {
        Ok(openenv::Step::new(WithReward { reward: 1.0 }))
    }

    fn state(&self) {}
}

#[test]
fn a_reward_in_the_observation_is_refused_at_build_time() {
    let builder = openenv::Server::builder().environment("misplaced", || Misplaced);
    let error = builder.build().unwrap_err().to_string();
    assert!(
        error.contains("`WithReward` has a field `reward`"),
        "{error}"
    );
}
