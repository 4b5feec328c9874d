//! What a single episode tells: replies, schemas, rewards, names and counts.

use serde_json::{Map, Value};

use super::{Schemas, Subject};
use crate::conformity::Conformity;
use crate::episode::{Failure, Operation, Transcript, shortened};
use crate::finding::{Findings, Problem};
use crate::script::{Origin, Script};

/// Why nothing can be played, if that is nobody's fault.
pub(super) fn unplayable(subject: &Subject, failure: &Failure) -> Option<String> {
    if let Some(full) = &failure.full {
        return Some(format!("the server is full: {}", full.message));
    }
    (subject.production && failure.phase == "connect")
        .then(|| format!("in production this server has no /ws: {}", failure.seen))
}

pub(super) fn session(episode: &Transcript) -> Findings {
    let observed = episode.observations().count();
    let mut findings = Findings::seen(format!("{observed} observations"));
    if let Some(failure) = &episode.failure {
        let (expected, fix) = match failure.phase {
            "connect" => (
                "a WebSocket at /ws".to_owned(),
                "serve the WebSocket protocol at /ws",
            ),
            phase => (
                format!("`{phase}` is answered with what it asks for"),
                "look into the server's log; the environment must accept the actions of its own schema",
            ),
        };
        let seen = format!("{} failed: {}", failure.phase, failure.seen);
        findings
            .problems
            .push(Problem::required(expected, seen, fix));
    } else if !episode.has_steps() {
        findings.problems.push(Problem::advice(
            "an episode with at least one step",
            "reset returned `done: true`, so no step was made",
            "begin episodes with `done: false`",
        ));
    }
    findings
}

pub(super) fn schema(episode: &Transcript, schemas: &Schemas, script: &Script) -> Findings {
    let conformity = match Conformity::new(schemas) {
        Ok(conformity) => conformity,
        Err(error) => {
            let mut findings = Findings::default();
            findings.problems.push(Problem::required(
                "GET /schema publishes a JSON Schema (draft 2020-12) of observations",
                error,
                "publish a valid schema without references to other documents",
            ));
            return findings;
        }
    };
    let mut findings = Findings::seen(format!(
        "{} observations fit",
        episode.observations().count()
    ));
    for (index, exchange) in episode.observations() {
        let place = episode.place(index);
        for misfit in conformity.misfits(exchange) {
            let expected = "what the published schema of observations allows";
            let seen = format!("{place}: {misfit}");
            let fix = "change the schema or the observation, so that they agree";
            // Reset returns a plain observation there, which its schema does not allow.
            let known = exchange.operation == Operation::Reset && script.origin == Origin::Tools;
            findings.problems.push(if known {
                Problem::advice(expected, seen, fix)
            } else {
                Problem::required(expected, seen, fix)
            });
        }
    }
    findings.problems.truncate(5);
    findings
}

pub(super) fn reward(episode: &Transcript) -> Findings {
    let mut findings = Findings::default();
    let mut rewards = Vec::new();
    let mut nothing = 0;
    let fix = "return a number as the reward of each step";
    for (index, exchange) in episode.observations() {
        let place = episode.place(index);
        match exchange.data().get("reward") {
            Some(Value::Number(number)) => rewards.extend(number.as_f64()),
            Some(Value::Null) => nothing += usize::from(exchange.operation == Operation::Step),
            Some(Value::Bool(reward)) => findings.problems.push(Problem::advice(
                "a number",
                format!("{place}: the reward is {reward}"),
                fix,
            )),
            Some(other) => findings.problems.push(Problem::required(
                "a number or null",
                format!("{place}: the reward is {}", shortened(&other.to_string())),
                fix,
            )),
            None => findings.problems.push(Problem::required(
                "every observation comes with `reward`",
                format!("{place}: there is no `reward`"),
                fix,
            )),
        }
    }
    let least = rewards.iter().copied().fold(f64::INFINITY, f64::min);
    let most = rewards.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    findings.seen = if rewards.is_empty() {
        "no reward but null".to_owned()
    } else {
        format!("{least} to {most}")
    };
    if nothing > 0 {
        findings.notes.push(format!(
            "{nothing} steps had no reward (null); NaN and infinite rewards arrive as null, too"
        ));
    }
    findings
}

pub(super) fn state(episode: &Transcript, script: &Script) -> Findings {
    let mut findings = Findings::default();
    let asked = script.episode_id();
    let mut steps = 0;
    let mut states = 0;
    let mut named = true;
    for (index, exchange) in episode.exchanges.iter().enumerate() {
        match exchange.operation {
            Operation::Reset => steps = 0,
            Operation::Step => steps += 1,
            Operation::State => {
                states += 1;
                let place = episode.place(index);
                let empty = Map::new();
                let state = exchange.data().as_object().unwrap_or(&empty);
                if named && state.get("episode_id") != Some(&Value::from(asked)) {
                    // Said once: it does not change with the steps.
                    named = false;
                    findings.problems.push(Problem::advice(
                        format!("`episode_id` is {asked:?}, as reset was told"),
                        format!("{place}: {}", written(state.get("episode_id"))),
                        "keep the `episode_id` of reset and return it in the state",
                    ));
                }
                if state.get("step_count") != Some(&Value::from(steps)) {
                    findings.problems.push(Problem::advice(
                        format!("`step_count` is {steps}"),
                        format!("{place}: {}", written(state.get("step_count"))),
                        "set `step_count` to 0 in reset and add 1 in each step",
                    ));
                }
            }
        }
    }
    findings.seen = format!("{states} states");
    findings.problems.truncate(5);
    findings
}

fn written(value: Option<&Value>) -> String {
    value.map_or_else(
        || "it is not there".to_owned(),
        |value| shortened(&value.to_string()),
    )
}
