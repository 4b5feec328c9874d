//! Where this implementation answers differently on purpose: the whole list.
//!
//! `Q…` numbers a quirk of the recorded server. Every entry says what is
//! answered instead, which the replay asserts; an entry whose rows agree with
//! the recording fails the replay as well, so the list cannot outlive its reasons.

use serde_json::{Value, json};

use crate::golden::{Answer, Body, Row, rows};
use crate::replay::agree;

mod tools;

/// Rows that are answered differently, why, and how.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Keys of the rows; a `*` stands for any text without a blank.
    rows: &'static [&'static str],
    /// Quirk of the recorded server, or `own` for an addition.
    quirk: &'static str,
    reason: &'static str,
    /// What is sent in place of the recorded frame.
    pub(crate) ask: Ask,
    instead: Instead,
}

/// What is sent on the socket of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ask {
    AsRecorded,
    Nothing,
    Text(&'static str),
    Binary(&'static [u8]),
}

/// What is answered instead of the recorded answer.
#[derive(Debug)]
enum Instead {
    /// Exactly this; `{session}` stands for the id in the row.
    Answer(Answer),
    /// The recorded answer with its JSON edited.
    Edited(fn(&mut Value)),
    /// The recorded answer, once both have been reduced to what must agree.
    Reduced(fn(&mut Value)),
    /// An error frame with this code, whatever its message.
    ErrorCode(&'static str),
    /// A redirect to this path.
    Redirect(&'static str),
    /// What another server answers to the same.
    As(&'static str),
}

impl Difference {
    /// Whether the row with this key is one of those that are answered differently.
    pub(crate) fn covers(&self, key: &str) -> bool {
        self.rows.iter().any(|row| matches(row, key))
    }

    /// Whether the answer is the one listed here, and not the recorded one.
    pub(crate) fn judge(
        &self,
        row: &Row,
        recorded: &Answer,
        answer: &Answer,
        fill: &dyn Fn(Answer) -> Answer,
    ) -> Result<(), String> {
        if agree(&fill(recorded.clone()), answer).is_ok() {
            return Err(format!(
                "  answers as recorded: the listed difference is gone ({}, {})",
                self.quirk, self.reason
            ));
        }
        self.check(row, recorded, answer, fill)
            .map_err(|complaint| format!("{complaint}\n  because  {}: {}", self.quirk, self.reason))
    }

    fn check(
        &self,
        row: &Row,
        recorded: &Answer,
        answer: &Answer,
        fill: &dyn Fn(Answer) -> Answer,
    ) -> Result<(), String> {
        let edited = |answer: &Answer, edit: fn(&mut Value)| {
            let mut answer = answer.clone();
            if let Some(json) = answer.json_mut() {
                edit(json);
            }
            answer
        };
        match &self.instead {
            Instead::Answer(expected) => agree(&fill(name_session(expected, row)), answer),
            Instead::Edited(edit) => agree(&fill(edited(recorded, *edit)), answer),
            Instead::Reduced(reduce) => {
                agree(&fill(edited(recorded, *reduce)), &edited(answer, *reduce))
            }
            Instead::ErrorCode(code) => match answer {
                Answer::Frame(Body::Json(frame))
                    if frame["type"] == "error"
                        && frame["data"]["code"] == *code
                        && frame["data"]["message"].is_string() =>
                {
                    Ok(())
                }
                _ => Err(format!("  expected an error {code}\n  got      {answer}")),
            },
            Instead::As(server) => {
                let other = rows(server)
                    .into_iter()
                    .find(|other| other.name == row.name && other.transport == row.transport)
                    .expect("the other server was asked the same");
                let recorded = other.answer("");
                match all().iter().find(|it| it.covers(&other.key())) {
                    None => agree(&fill(recorded), answer),
                    Some(difference) => difference.check(&other, &recorded, answer, fill),
                }
            }
            Instead::Redirect(path) => match answer {
                Answer::Http {
                    status: 307,
                    location: Some(location),
                    ..
                } if location.ends_with(path) => Ok(()),
                _ => Err(format!(
                    "  expected a redirect to {path}\n  got      {answer}"
                )),
            },
        }
    }
}

fn matches(row: &str, key: &str) -> bool {
    let Some((before, after)) = row.split_once('*') else {
        return row == key;
    };
    key.strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .is_some_and(|variant| !variant.contains(' '))
}

fn name_session(answer: &Answer, row: &Row) -> Answer {
    let mut answer = answer.clone();
    if let (Some(json), Some(session)) = (answer.json_mut(), row.volatile_uuids.first()) {
        let text = json.to_string().replace("{session}", session);
        *json = serde_json::from_str(&text).expect("an id needs no escapes");
    }
    answer
}

/// Every difference.
pub(crate) fn all() -> Vec<Difference> {
    let mut differences = vec![
        Difference {
            rows: &["echo-sim ws: attach to a WS-owned session is accepted"],
            quirk: "Q2",
            reason: "a session that a socket owns cannot be driven by a second one",
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
            ask: Ask::Nothing,
            instead: Instead::Answer(Answer::Close(1000)),
        },
        Difference {
            rows: &["echo-sim ws: owned sees it"],
            quirk: "Q2",
            reason: "the refused socket took no step",
            ask: Ask::AsRecorded,
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim http: owned: HTTP close of WS-owned session succeeds"],
            quirk: "Q2",
            reason: "a session is not closed under the socket that owns it",
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
            ask: Ask::AsRecorded,
            instead: Instead::ErrorCode("VALIDATION_ERROR"),
        },
        Difference {
            rows: &["echo-sim ws: binary frame with valid json"],
            quirk: "Q8",
            reason: "JSON in a binary frame is read as the text it is",
            ask: Ask::AsRecorded,
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim ws: binary frame then"],
            quirk: "Q8",
            reason: "the socket stays open, and other bytes are not JSON",
            ask: Ask::Binary(b"\xff\x00"),
            instead: Instead::ErrorCode("INVALID_JSON"),
        },
        Difference {
            rows: &["echo-sim ws: deeply nested json 100k"],
            quirk: "Q8",
            reason: "JSON beyond the depth limit is refused as JSON",
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
            ask: Ask::Text(r#"{"type":"state"}"#),
            instead: Instead::Answer(state(&json!({}))),
        },
        Difference {
            rows: &["echo-sim ws: step env raises ValidationError"],
            quirk: "Q9",
            reason: "a failure inside the environment is not the caller's",
            ask: Ask::AsRecorded,
            instead: Instead::Answer(execution_error(NOT_A_NUMBER)),
        },
        Difference {
            rows: &["echo-sim ws: reset kwarg named self"],
            quirk: "Q10",
            reason: "arguments of any name reach the environment",
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
            ask: Ask::AsRecorded,
            instead: Instead::Answer(execution_error("failed without a message")),
        },
        Difference {
            rows: &["echo-sim-factoryflag http: factory error metadata"],
            quirk: "Q19",
            reason: "metadata needs no environment",
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
            ask: Ask::AsRecorded,
            instead: Instead::Edited(|reply| reply["data"]["step_count"] = json!(24)),
        },
        Difference {
            rows: &["echo-sim http: reset body NaN seed"],
            quirk: "Q23",
            reason: "a seed that is not a number is the caller's mistake",
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
            ask: Ask::AsRecorded,
            instead: Instead::Reduced(without_digest),
        },
        Difference {
            rows: &["plain-sim http: plain schema"],
            quirk: "own",
            reason: "`digest`, as above; and the state describes itself, not its base class",
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
            ask: Ask::AsRecorded,
            instead: Instead::Redirect("docs"),
        },
    ];
    differences.extend(tools::all());
    differences.extend(FAILURES.map(|(rows, text)| Difference {
        rows,
        quirk: "Q21",
        reason: "a failure says what failed, as JSON, and keeps the connection",
        ask: Ask::AsRecorded,
        instead: Instead::Answer(failure(500, text)),
    }));
    differences
}

/// What the echo environment says when it trips over its own data.
const NOT_A_NUMBER: &str = r#"invalid type: string "not a number", expected i64"#;

/// Rows that were answered with HTTP 500 and no more, and the text they have now.
const FAILURES: [(&[&str], &str); 8] = [
    (&["echo-sim http: reset env raises"], "reset exploded"),
    (&["echo-sim http: step env raises"], "boom from env"),
    (
        &["echo-sim http: step env raises validation error"],
        NOT_A_NUMBER,
    ),
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

fn frame(json: Value) -> Answer {
    Answer::Frame(Body::Json(json))
}

/// A `state` frame of the echo environment: a fresh one, and what is different.
fn state(changes: &Value) -> Answer {
    let mut data = json!({
        "episode_id": null, "step_count": 0, "last_message": null, "total_reward": 0.0,
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        data[key] = value.clone();
    }
    frame(json!({ "type": "state", "data": data }))
}

fn execution_error(message: &str) -> Answer {
    frame(json!({
        "type": "error",
        "data": { "message": message, "code": "EXECUTION_ERROR" },
    }))
}

fn http(status: u16, json: Value) -> Answer {
    Answer::Http {
        status,
        content_type: Some("application/json".to_owned()),
        allow: None,
        location: None,
        body: Some(Body::Json(json)),
    }
}

fn failure(status: u16, detail: &str) -> Answer {
    http(status, json!({ "detail": detail }))
}

fn without_digest(document: &mut Value) {
    if let Some(document) = document.as_object_mut() {
        document.shift_remove("digest");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::golden::all_rows;

    #[test]
    fn every_difference_is_about_rows_that_exist_and_once() {
        let keys: HashSet<_> = all_rows().iter().map(Row::key).collect();
        let mut seen = HashSet::new();
        for row in all().iter().flat_map(|difference| difference.rows) {
            let mut meant = keys.iter().filter(|key| matches(row, key)).peekable();
            assert!(meant.peek().is_some(), "no such row: {row}");
            for key in meant {
                assert!(seen.insert(key), "listed twice: {key}");
            }
        }
    }

    #[test]
    fn a_star_stands_for_one_word() {
        assert!(matches("mcp-* ws: add", "mcp-sim ws: add"));
        assert!(matches("mcp-sim* ws: add", "mcp-sim ws: add"));
        assert!(!matches("mcp-* ws: add", "mcp-sim ws: ws: add"));
        assert!(!matches("mcp-* ws: add", "mcp-sim ws: add more"));
        assert!(!matches("mcp-sim ws: add", "mcp-sim-own ws: add"));
    }

    #[test]
    fn a_difference_that_is_gone_is_reported() {
        for row in all_rows() {
            let recorded = row.answer("http://127.0.0.1:1");
            let key = row.key();
            for difference in all().iter().filter(|it| it.covers(&key)) {
                let verdict = difference.judge(&row, &recorded, &recorded, &|answer| answer);
                assert!(verdict.is_err_and(|text| text.contains("gone")), "{key}");
            }
        }
    }

    #[test]
    fn only_the_listed_answer_passes() {
        let difference = Difference {
            rows: &[],
            quirk: "Q8",
            reason: "test",
            ask: Ask::AsRecorded,
            instead: Instead::ErrorCode("INVALID_JSON"),
        };
        let row = &all_rows()[0];
        let error = |code: &str| {
            let data = json!({ "message": "m", "code": code });
            frame(json!({ "type": "error", "data": data }))
        };
        let judge =
            |answer: Answer| difference.judge(row, &Answer::Close(1000), &answer, &|answer| answer);
        assert_eq!(judge(error("INVALID_JSON")), Ok(()));
        assert!(judge(error("SESSION_ERROR")).is_err());
        assert!(judge(Answer::Close(1000)).is_err());
    }
}
