//! Differences of HTTP and of `/ws`.

use serde_json::json;

use super::{
    Ask, Difference, Instead, Language, execution_error, failure, frame, http, state,
    without_digest,
};
use crate::golden::Answer;

/// Every difference that has to do neither with tools nor with Python.
pub(super) fn all() -> Vec<Difference> {
    let mut differences = vec![
        Difference {
            rows: &["echo-sim ws: attach to a WS-owned session is accepted"],
            quirk: "Q2",
            reason: "a session that a socket owns cannot be driven by a second one",
            only: None,
            ask: Ask::Nothing,
            instead: Instead::Answer(frame(json!({
                "type": "error",
                "data": {
                    "message": "Session {session} already has an attached WebSocket",
                    "code": "SESSION_ERROR",
                },
            }))),
        },
        Difference {
            rows: &["echo-sim ws: attach-owned step"],
            quirk: "Q2",
            reason: "the refused socket is closed",
            only: None,
            ask: Ask::Nothing,
            instead: Instead::Answer(Answer::Close(1000)),
        },
        Difference {
            rows: &["echo-sim ws: owned sees it"],
            quirk: "Q2",
            reason: "the refused socket took no step",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim http: owned: HTTP close of WS-owned session succeeds"],
            quirk: "Q2",
            reason: "a session is not closed under the socket that owns it",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Edited(|reply| {
                reply["result"]["closed"] = json!(false);
                reply["result"]["closing"] = json!(true);
            }),
        },
        Difference {
            rows: &["echo-sim ws: owned: state after close"],
            quirk: "Q2",
            reason: "the refused socket took no step",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(state(&json!({
                "step_count": 1, "last_message": "zombie", "total_reward": 6.0,
            }))),
        },
        Difference {
            rows: &[
                "echo-sim ws: non-object json: array",
                "echo-sim ws: non-object json: number",
                "echo-sim ws: non-object json: string",
                "echo-sim ws: non-object json: null",
                "echo-sim ws: non-object json: true",
            ],
            quirk: "Q8",
            reason: "a message that is no object is invalid, as any other invalid message",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::ErrorCode("VALIDATION_ERROR"),
        },
        Difference {
            rows: &["echo-sim ws: binary frame with valid json"],
            quirk: "Q8",
            reason: "JSON in a binary frame is read as the text it is",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim ws: binary frame then"],
            quirk: "Q8",
            reason: "the socket stays open, and other bytes are not JSON",
            only: None,
            ask: Ask::Binary(b"\xff\x00"),
            instead: Instead::ErrorCode("INVALID_JSON"),
        },
        Difference {
            rows: &["echo-sim ws: deeply nested json 100k"],
            quirk: "Q8",
            reason: "JSON beyond the depth limit is refused as JSON",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::ErrorCode("INVALID_JSON"),
        },
        Difference {
            rows: &[
                "echo-sim ws: non-object json: array then",
                "echo-sim ws: non-object json: number then",
                "echo-sim ws: non-object json: string then",
                "echo-sim ws: non-object json: null then",
                "echo-sim ws: non-object json: true then",
                "echo-sim ws: deep then",
            ],
            quirk: "Q8",
            reason: "the socket stays open",
            only: None,
            ask: Ask::Text(r#"{"type":"state"}"#),
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim ws: step env raises ValidationError"],
            quirk: "Q9",
            reason: "a failure inside the environment is not the caller's",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Answer(execution_error(NOT_A_NUMBER)),
        },
        Difference {
            rows: &["echo-sim http: step env raises validation error"],
            quirk: "Q21",
            reason: FAILED,
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Answer(failure(500, NOT_A_NUMBER)),
        },
        Difference {
            rows: &["echo-sim ws: reset kwarg named self"],
            quirk: "Q10",
            reason: "arguments of any name reach the environment",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Answer(frame(json!({
                "type": "observation",
                "data": {
                    "observation": {
                        "metadata": {}, "greeting": "ready", "seed": null, "extra": { "self": 1 },
                    },
                    "reward": null,
                    "done": false,
                },
            }))),
        },
        Difference {
            rows: &["plain-sim ws: plain state includes undeclared subclass fields"],
            quirk: "Q12",
            reason: "a state has one type: it has no fields that are not declared",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Edited(|reply| {
                if let Some(state) = reply["data"].as_object_mut() {
                    state.shift_remove("secret");
                }
            }),
        },
        Difference {
            rows: &["echo-sim ws: step env raises empty"],
            quirk: "Q15",
            reason: "an empty text tells nobody what to look for",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Answer(execution_error("failed without a message")),
        },
        Difference {
            rows: &["echo-sim-factoryflag http: factory error metadata"],
            quirk: "Q19",
            reason: "metadata needs no environment",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(http(
                200,
                json!({
                    "name": "EchoEnv", "description": "probe echo", "readme_content": null,
                    "version": "2.0.0", "author": "wire", "documentation_url": null,
                }),
            )),
        },
        Difference {
            rows: &["echo-sim-factoryflag http: factory error splits"],
            quirk: "Q19",
            reason: "tasks need no environment",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Answer(failure(
                501,
                "list_splits is not supported for this environment",
            )),
        },
        Difference {
            rows: &["echo-sim ws: step extra top-level"],
            quirk: "Q20",
            reason: "a `request_id` is taken and comes back with the reply",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(frame(json!({
                "type": "observation",
                "data": {
                    "observation": {
                        "metadata": {}, "echoed": "hi", "length": 2, "payload": null,
                    },
                    "reward": 2.0,
                    "done": false,
                },
                "request_id": "1",
            }))),
        },
        Difference {
            rows: &["echo-sim ws: state", "echo-sim ws: still open"],
            quirk: "Q20",
            reason: "the step with a `request_id` was taken and counts",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Edited(|reply| reply["data"]["step_count"] = json!(24)),
        },
        Difference {
            rows: &["echo-sim http: reset body NaN seed"],
            quirk: "Q23",
            reason: "a seed that is not a number is the caller's mistake",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(http(
                422,
                json!({ "detail": [{
                    "type": "finite_number",
                    "loc": ["body", "seed"],
                    "msg": "Input should be a finite number",
                    "input": null,
                }] }),
            )),
        },
        Difference {
            rows: &["echo-sim-factoryflag http: factory error mcp stateless"],
            quirk: "Q23",
            reason: "JSON-RPC is answered with JSON-RPC, and without tools no environment is built",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(http(
                200,
                json!({
                    "jsonrpc": "2.0",
                    "id": 1,
                    "error": {
                        "code": -32603, "message": "Environment does not support MCP", "data": null,
                    },
                }),
            )),
        },
        Difference {
            rows: &["echo-sim ws: mcp data not rpc"],
            quirk: "own",
            reason: "the recorded prose depends on the version of a Python library",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(|reply| {
                let message = &mut reply["data"]["error"]["message"];
                if message
                    .as_str()
                    .is_some_and(|it| it.starts_with("Invalid request"))
                {
                    *message = json!("Invalid request");
                }
            }),
        },
        Difference {
            rows: &[
                "echo-sim http: route GET /schema",
                "echo-prod http: route GET /schema",
                "echo-sim-factoryflag http: factory error schema",
            ],
            quirk: "own",
            reason: "`digest` tells whether two servers have the same schemas",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(without_digest),
        },
        Difference {
            rows: &["plain-sim http: plain schema"],
            quirk: "own",
            reason: "`digest`, as above; and the state describes itself, not its base class",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(|document| {
                without_digest(document);
                if let Some(state) = document["state"].as_object_mut() {
                    state.shift_remove("description");
                }
            }),
        },
        Difference {
            rows: &[
                "echo-sim http: route GET /redoc",
                "echo-prod http: route GET /redoc",
            ],
            quirk: "own",
            reason: "there is one page of documentation, and it works offline",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Redirect("docs"),
        },
    ];
    differences.extend(FAILURES.map(|(rows, text)| Difference {
        rows,
        quirk: "Q21",
        reason: FAILED,
        only: None,
        ask: Ask::AsRecorded,
        instead: Instead::Answer(failure(500, text)),
    }));
    differences
}

/// What the echo environment says when it trips over its own data.
const NOT_A_NUMBER: &str = r#"invalid type: string "not a number", expected i64"#;

/// Why HTTP 500 is answered in words.
pub(super) const FAILED: &str = "a failure says what failed, as JSON, and keeps the connection";

/// Rows that were answered with HTTP 500 and no more, and the text they have now.
const FAILURES: [(&[&str], &str); 7] = [
    (&["echo-sim http: reset env raises"], "reset exploded"),
    (&["echo-sim http: step env raises"], "boom from env"),
    (
        &["echo-sim http: step payload badbytes"],
        "Error serializing to JSON: invalid utf-8 sequence of 1 bytes from index 0",
    ),
    (
        &["echo-sim http: step payload obj"],
        "Unable to serialize unknown type: <class 'object'>",
    ),
    (
        &["tasks-sim http: tasks list env exception"],
        "dataset gone",
    ),
    (&["tasks-sim http: tasks num keyerror"], "'keyerr'"),
    (
        &[
            "echo-sim-factoryflag http: factory error reset",
            "echo-sim-factoryflag http: factory error step",
            "echo-sim-factoryflag http: factory error state",
        ],
        "Environment factory 'EchoEnv' failed to create instance.",
    ),
];
