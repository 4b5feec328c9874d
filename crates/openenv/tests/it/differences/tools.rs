//! Differences of environments with tools.

use serde_json::{Value, json};

use super::{Ask, Difference, Instead, Language, edited, frame, http, without_digest};
use crate::golden::Answer;

mod modes;

/// Rows of every server that was recorded to take tool calls as steps.
macro_rules! steps {
    ($($row:literal),+) => {
        &[$(
            concat!("mcp-sim ", $row),
            concat!("mcp-sim-envmode-sim ", $row),
            concat!("mcp-sim-actionbase ", $row),
            concat!("mcp-prod ", $row),
            concat!("mcp-prod-envmode-prod ", $row),
        )+]
    };
}
use steps;

/// Every difference that has to do with tools or with `/mcp`.
pub(super) fn all() -> Vec<Difference> {
    let mut differences = vec![
        edited(
            &[
                "mcp-* http: tools/call as_untyped_list {\"n\": 2}",
                "mcp-* ws: ws mcp tools/call as_untyped_list",
            ],
            "own",
            "clients take what is in `data` for the result: a list that has no type is one as well",
            |reply| rpc(reply)["result"]["data"] = json!([{ "i": 0 }, { "i": 1 }]),
        )
        .only(Language::Rust),
        edited(
            steps!["ws: ws step call_tool as_untyped_list"],
            "own",
            "clients take what is in `data` for the result: a list that has no type is one as well",
            |reply| observation(reply)["result"]["data"] = json!([{ "i": 0 }, { "i": 1 }]),
        )
        .only(Language::Rust),
        edited(
            steps!["ws: ws step call_tool fails msg with 'not found'"],
            "Q16",
            "what a tool says of its failure does not change what failed",
            |reply| observation(reply)["error"]["error_type"] = json!("execution_error"),
        )
        .only(Language::Rust),
        edited(
            steps!["ws: ws step call_tool fails msg with invalid"],
            "Q16",
            "what a tool says of its failure does not change what failed",
            |reply| observation(reply)["error"]["error_type"] = json!("execution_error"),
        )
        .only(Language::Rust),
        Difference {
            rows: &[
                "mcp-sim-customaction ws: ws step list_tools",
                "mcp-sim-customaction ws: ws step list_tools with metadata",
                "mcp-sim-customaction ws: ws step list_tools extra",
                "mcp-sim-customaction ws: ws step call_tool add",
                "mcp-sim-customaction ws: ws step call_tool add default",
                "mcp-sim-customaction ws: ws step call_tool add missing arg",
                "mcp-sim-customaction ws: ws step call_tool add wrong type",
                "mcp-sim-customaction ws: ws step call_tool add coercible str",
                "mcp-sim-customaction ws: ws step call_tool add extra arg",
                "mcp-sim-customaction ws: ws step call_tool greet",
                "mcp-sim-customaction ws: ws step call_tool as_*",
                "mcp-sim-customaction ws: ws step call_tool as_list empty",
                "mcp-sim-customaction ws: ws step call_tool fails",
                "mcp-sim-customaction ws: ws step call_tool fails msg with 'not found'",
                "mcp-sim-customaction ws: ws step call_tool fails msg with invalid",
                "mcp-sim-customaction ws: ws step call_tool no_doc",
                "mcp-sim-customaction ws: ws step call_tool nosuch",
                "mcp-sim-customaction ws: ws step call_tool lookup",
                "mcp-sim-customaction ws: ws step call_tool sim_only",
                "mcp-sim-customaction ws: ws step call_tool sim_raises",
                "mcp-sim-customaction ws: ws step call_tool everywhere",
                "mcp-sim-customaction ws: ws step call_tool reset",
                "mcp-sim-customaction ws: ws step call_tool counter",
                "mcp-sim-customaction ws: ws step call_tool counter again",
                "mcp-sim-customaction ws: ws step call_tool env_counter",
                "mcp-sim-customaction ws: ws step call_tool env_counter again",
                "mcp-sim-customaction ws: ws step call_tool no args",
                "mcp-sim-customaction ws: ws step call_tool arguments null",
                "mcp-sim-customaction ws: ws step call_tool arguments json string",
                "mcp-sim-customaction ws: ws step call_tool missing tool_name",
                "mcp-sim-customaction ws: ws state",
                "mcp-sim-customaction http: HTTP step list_tools",
                "mcp-sim-customaction http: HTTP step call add",
                "mcp-sim-customaction http: HTTP step call fails",
                "mcp-sim-customaction http: HTTP step call lookup",
                "mcp-sim-customaction http: HTTP step call nosuch",
            ],
            quirk: "own",
            reason: "tools are called as steps beside any action, and such a step counts",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::As("mcp-sim-actionbase"),
        },
        edited(
            &["mcp-* http: id huge"],
            "own",
            "an id of more than 64 bits is refused: it would not come back as it was",
            |reply| {
                *reply = error(
                    &Value::Null,
                    -32600,
                    "Invalid request: id: Value error, \
                     an id is a text or an integer of at most 64 bits",
                );
            },
        ),
        edited(
            &["mcp-* http: utf16 body"],
            "own",
            "JSON that travels is UTF-8, and nothing else",
            |reply| *reply = error(&Value::Null, -32700, "Parse error"),
        ),
        Difference {
            rows: &["mcp-* http: session/close unhashable id"],
            quirk: "Q23",
            reason: "JSON-RPC is answered with JSON-RPC: a list is the name of no session",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(http(
                200,
                error(&json!(1), -32602, "Unknown session_id: ['a']"),
            )),
        },
        Difference {
            rows: &[
                "mcp-* ws: mcpws array",
                "mcp-* ws: mcpws number",
                "mcp-* ws: mcpws null",
            ],
            quirk: "Q8",
            reason: "a request that is no object is invalid, as any other invalid request",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Answer(frame(error(
                &Value::Null,
                -32600,
                "Invalid request: Input should be a valid dictionary or object to extract fields from",
            ))),
        },
        Difference {
            rows: &["mcp-* ws: mcpws binary"],
            quirk: "Q8",
            reason: "JSON in a binary frame is read as the text it is",
            only: None,
            ask: Ask::Binary(br#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#),
            instead: Instead::Answer(nope()),
        },
        Difference {
            rows: &[
                "mcp-* ws: mcpws array then",
                "mcp-* ws: mcpws number then",
                "mcp-* ws: mcpws null then",
                "mcp-* ws: mcpws binary then",
            ],
            quirk: "Q8",
            reason: "the socket stays open",
            only: None,
            ask: Ask::Text(r#"{"jsonrpc":"2.0","id":1,"method":"nope"}"#),
            instead: Instead::Answer(nope()),
        },
        Difference {
            rows: &[
                "mcp-* http: id float",
                "mcp-* http: id object",
                "mcp-* http: params list",
                "mcp-* http: params null",
                "mcp-* http: params string",
                "mcp-* http: jsonrpc missing",
                "mcp-* http: jsonrpc 1.0",
                "mcp-* http: jsonrpc number",
                "mcp-* http: method missing",
                "mcp-* http: method int",
                "mcp-* http: extra field",
                "mcp-* http: empty object",
                "mcp-* ws: mcpws missing jsonrpc",
                "mcp-* ws: mcpws params list",
                "mcp-* ws: mcpws extra field",
                "mcp-* ws: mcpws id float",
                "mcp-* ws: mcpws type close message is just invalid request",
                "mcp-* ws: mcpws openenv ws message rejected",
                "mcp-* ws: ws mcp params list",
                "mcp-* ws: ws mcp jsonrpc missing",
            ],
            quirk: "own",
            reason: "the recorded prose depends on the version of a Python library",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(|reply| {
                let message = &mut rpc(reply)["error"]["message"];
                if let Some((start, _)) = message.as_str().and_then(|it| it.split_once(": ")) {
                    *message = json!(start);
                }
            }),
        },
        Difference {
            rows: &["mcp-* http: route GET /schema"],
            quirk: "Q25",
            reason: "the reset has an observation of its own, and the prose is another; \
                     `digest` tells whether two servers have the same schemas",
            only: Some(Language::Rust),
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(|document| {
                without_digest(document);
                if let Some(schemas) = document.as_object_mut() {
                    schemas.shift_remove("reset_observation");
                }
                without_prose(document);
            }),
        },
    ];
    differences.extend(modes::all());
    differences.extend(REFUSED_ARGUMENTS.map(|(rows, edit)| {
        let reason = "the recorded prose depends on the version of a Python library";
        edited(rows, "own, Q16", reason, edit).only(Language::Rust)
    }));
    differences.extend(REFUSED_CALLS.map(|(rows, edit)| {
        let reason = "the recorded prose depends on the version of a Python library";
        edited(rows, "own", reason, edit)
    }));
    differences
}

type Edit = fn(&mut Value);

/// Rows about calls that are none, and what is said of them here.
const REFUSED_CALLS: [(&[&str], Edit); 2] = [
    (
        &[
            "mcp-* http: tools/call arguments string",
            "mcpstyle-sim http: mcpstyle call bad arguments",
        ],
        |reply| {
            rpc(reply)["error"]["message"] = json!(
                "1 validation error for CallToolRequestParams\n\
             arguments: Input should be a valid dictionary"
            );
        },
    ),
    (&["mcp-* http: tools/call name int"], |reply| {
        rpc(reply)["error"]["message"] = json!(
            "1 validation error for CallToolRequestParams\n\
             name: Input should be a valid string"
        );
    }),
];

/// Rows about arguments that do not fit, and what is said of them here. All of
/// them are the caller's mistake, whatever words are in the message.
const REFUSED_ARGUMENTS: [(&[&str], Edit); 6] = [
    (
        &[
            "mcp-* http: tools/call add missing arg {}",
            "mcp-* ws: ws mcp tools/call add missing arg",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(MISSING),
    ),
    (
        &[
            "mcp-* http: tools/call add wrong type {\"a\": \"x\"}",
            "mcp-* ws: ws mcp tools/call add wrong type",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(NO_NUMBER),
    ),
    (
        &[
            "mcp-* http: tools/call add extra arg {\"a\": 1, \"zz\": 2}",
            "mcp-* ws: ws mcp tools/call add extra arg",
        ],
        |reply| rpc(reply)["error"]["message"] = json!(UNKNOWN),
    ),
    (steps!["ws: ws step call_tool add missing arg"], |reply| {
        observation(reply)["error"]["message"] = json!(MISSING);
    }),
    (steps!["ws: ws step call_tool add wrong type"], |reply| {
        observation(reply)["error"] = json!({ "error_type": "invalid_args", "message": NO_NUMBER });
    }),
    (steps!["ws: ws step call_tool add extra arg"], |reply| {
        observation(reply)["error"]["message"] = json!(UNKNOWN);
    }),
];

const MISSING: &str = "1 validation error for call[add]\na: Field required";
const NO_NUMBER: &str = "1 validation error for call[add]\n\
    a: Input should be a valid integer, unable to parse string as an integer";
const UNKNOWN: &str = "1 validation error for call[add]\nzz: Extra inputs are not permitted";

/// The JSON-RPC response, which a frame of `/ws` holds inside.
pub(super) fn rpc(reply: &mut Value) -> &mut Value {
    if reply["type"] == "mcp" {
        &mut reply["data"]
    } else {
        reply
    }
}

/// The observation in a reply over WebSocket or HTTP.
fn observation(reply: &mut Value) -> &mut Value {
    if reply["type"] == "observation" {
        &mut reply["data"]["observation"]
    } else {
        &mut reply["observation"]
    }
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    let error = json!({ "code": code, "message": message, "data": null });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}

/// The answer to a method that nobody knows: the socket is still served.
fn nope() -> Answer {
    frame(error(&json!(1), -32601, "Method not found: nope"))
}

fn without_prose(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.retain(|keyword, value| keyword != "description" || !value.is_string());
            fields.values_mut().for_each(without_prose);
        }
        Value::Array(items) => items.iter_mut().for_each(without_prose),
        _ => {}
    }
}
