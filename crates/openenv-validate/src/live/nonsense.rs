//! Messages that make no sense, and what the server does with them.

use serde_json::{Map, Value, json};

use crate::episode::{Episode, shortened};
use crate::finding::{Findings, Problem};
use crate::script::Script;
use crate::server::{KNOCK, Lost, Refusal, Server};

/// A key that no action has.
const UNKNOWN_FIELD: &str = "openenv_validate_unknown_field";

/// A message to be refused.
#[derive(Debug)]
struct Bad {
    what: &'static str,
    frame: String,
    /// Codes that say what is wrong
    codes: &'static [&'static str],
    /// Whether the reference ends the session over it
    fatal_elsewhere: bool,
}

/// Sends them all in one session, and looks whether it still works.
pub(super) async fn send(server: &Server, script: &Script, schema: &Value) -> Findings {
    let bad = messages(script, schema);
    let mut findings = Findings::seen(format!("{} bad messages were refused", bad.len()));
    let mut episode = match Episode::begin(server, &script.reset).await {
        Ok(episode) => episode,
        Err(failure) => return Findings::not_run(format!("no session: {}", failure.seen)),
    };
    let before = match episode.state().await {
        Ok(()) => counted(&episode),
        Err(failure) => return Findings::not_run(format!("no state: {}", failure.seen)),
    };
    for message in bad {
        let answered = episode.socket().ask(message.frame.as_str()).await;
        let (refused, lost) = match &answered {
            Ok(reply) => {
                let reply: Value = serde_json::from_str(reply).unwrap_or_default();
                findings.judge_reply(&message, &reply);
                let lost = match episode.state().await {
                    Ok(()) => None,
                    Err(failure) => Some(failure.seen),
                };
                (Refusal::of(&reply), lost)
            }
            Err(lost) => (None, Some(lost.to_string())),
        };
        let Some(lost) = lost else {
            continue;
        };
        let what = message.what;
        let expected = format!("{what} is answered with an error, and the session goes on");
        let fix = "answer bad messages with an `error` frame and keep the socket open";
        let seen = match &refused {
            Some(refusal) => format!("after the error {}, {lost}", refusal.code),
            None => lost,
        };
        if message.fatal_elsewhere || refused.as_ref().is_some_and(is_reference_slip) {
            let note = format!("{what} ended the session, as on the reference's server: {seen}");
            findings.notes.push(note);
        } else {
            let problem = Problem::required(expected, seen, fix);
            findings.problems.push(problem);
        }
        if matches!(answered, Err(Lost::Silent(_))) {
            // Whatever comes now may be the answer to this.
            return findings;
        }
        episode = match Episode::begin(server, &script.reset).await {
            Ok(episode) => episode,
            Err(failure) => {
                findings.problems.push(Problem::required(
                    "a new session after one that was lost",
                    format!("after {what}, {}", failure.seen),
                    "do not let a bad message end the server",
                ));
                return findings;
            }
        };
    }
    findings
        .judge_afterwards(&mut episode, script, &before)
        .await;
    episode.end().await;
    findings
}

impl Findings {
    fn judge_reply(&mut self, message: &Bad, reply: &Value) {
        let what = message.what;
        let fix = "check messages before the environment sees them, and refuse what does not fit";
        let Some(refusal) = Refusal::of(reply) else {
            self.problems.push(Problem::required(
                format!("{what} is answered with an error"),
                format!("the reply {}", shortened(&reply.to_string())),
                fix,
            ));
            return;
        };
        if refusal.message.is_empty() {
            self.problems.push(Problem::advice(
                format!("the error for {what} says what is wrong"),
                format!("the code {:?} without a message", refusal.code),
                "put a message into the error",
            ));
        } else if is_reference_slip(&refusal) {
            self.notes.push(format!(
                "{what} is refused with {}, as by the reference's server, which fails over it itself",
                refusal.code
            ));
        } else if !message.codes.contains(&refusal.code.as_str()) {
            self.problems.push(Problem::advice(
                format!("{what} is refused with {}", message.codes.join(" or ")),
                format!("the code {:?}", refusal.code),
                "use the code of the protocol, so that clients can tell errors apart",
            ));
        }
    }

    /// The session must take a good action, and bad ones must not have counted.
    async fn judge_afterwards(&mut self, episode: &mut Episode, script: &Script, before: &Value) {
        let fix = "let a refused message leave the episode as it was";
        let after = counted(episode);
        if after != *before {
            self.problems.push(Problem::advice(
                format!("bad messages are no steps: `step_count` is still {before}"),
                format!("`step_count` is {after}"),
                fix,
            ));
        }
        let Some(action) = script.actions.first().filter(|_| !episode.is_done()) else {
            return;
        };
        if let Err(failure) = episode.step(action).await {
            self.problems.push(Problem::required(
                "a good action after bad ones is a step",
                failure.seen,
                fix,
            ));
        }
    }
}

/// Whether the reference's server failed while it read the action, or wrote down what is wrong with it:
/// no author can help that.
fn is_reference_slip(refusal: &Refusal) -> bool {
    ["EXECUTION_ERROR", "SESSION_ERROR"].contains(&refusal.code.as_str())
        && [
            "Unable to serialize",
            "Error serializing",
            "unhashable type",
        ]
        .iter()
        .any(|words| refusal.message.contains(words))
}

/// The steps that the last state counts.
fn counted(episode: &Episode) -> Value {
    let state = episode.transcript.exchanges.last();
    state.map_or(Value::Null, |state| state.data()["step_count"].clone())
}

fn messages(script: &Script, schema: &Value) -> Vec<Bad> {
    const VALIDATION: &[&str] = &["VALIDATION_ERROR"];
    let bad = |what, frame: String, codes| Bad {
        what,
        frame,
        codes,
        fatal_elsewhere: false,
    };
    let step = |action: &Value| json!({ "type": "step", "data": action }).to_string();
    let mut messages = vec![
        bad(
            "text that is not JSON",
            r#"{"type": "step", "#.to_owned(),
            &["INVALID_JSON"],
        ),
        bad(
            "an unknown type of message",
            KNOCK.to_owned(),
            &["UNKNOWN_TYPE"],
        ),
        bad(
            "a step without an action",
            r#"{"type":"step"}"#.to_owned(),
            VALIDATION,
        ),
        bad("an action that is no object", step(&json!([1])), VALIDATION),
        Bad {
            // The reference's own words for it, by accident.
            fatal_elsewhere: true,
            ..bad(
                "a message that is no object",
                "[1]".to_owned(),
                &["VALIDATION_ERROR", "SESSION_ERROR", "UNKNOWN_TYPE"],
            )
        },
    ];
    let validator = jsonschema::draft202012::options()
        .offline()
        .should_validate_formats(false)
        .build(schema);
    let (Ok(validator), Some(Value::Object(plain))) = (validator, script.actions.first()) else {
        return messages;
    };
    // Only what the published schema refuses may be expected to be refused.
    let mut add = |what, action: Map<String, Value>| {
        let action = Value::Object(action);
        let refusable = !validator.is_valid(&action);
        if refusable {
            messages.push(bad(what, step(&action), VALIDATION));
        }
        refusable
    };
    for name in plain.keys() {
        let mut action = plain.clone();
        action.remove(name);
        if add("an action without a required field", action) {
            break;
        }
    }
    'wrong: for name in plain.keys() {
        // None of these is what a lenient server would take for something else.
        for value in [json!({ UNKNOWN_FIELD: [] }), json!([{}, []]), json!(-0.5)] {
            let mut action = plain.clone();
            action.insert(name.clone(), value);
            if add("an action with a field of the wrong type", action) {
                break 'wrong;
            }
        }
    }
    let mut action = plain.clone();
    action.insert(UNKNOWN_FIELD.to_owned(), json!(1));
    add("an action with an unknown field", action);
    messages
}
