//! Two episodes that take turns.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::difference::{Difference, differences};
use crate::episode::{Episode, Exchange, Failure, Operation, Transcript, shortened};
use crate::finding::{Findings, Problem};
use crate::script::Script;
use crate::server::{KNOCK, Refusal, Server, Socket};

/// Differences that are told.
const MOST: usize = 3;

/// What came of two episodes at a time.
#[derive(Debug)]
pub(super) enum Interleaved {
    /// Both were played.
    Played {
        /// The script, disturbed by the other
        disturbed: Transcript,
        /// The other
        other: Transcript,
        /// What the other was called
        other_id: String,
    },
    /// There is one place only.
    NoRoom(Refusal),
    /// One of them failed.
    Failed { failure: Failure, second: bool },
}

/// Plays the script, and between its steps another one.
pub(super) async fn interleave(server: &Server, script: &Script) -> Interleaved {
    let mut one = match Episode::begin(server, &script.reset).await {
        Ok(one) => one,
        Err(failure) => return Interleaved::failed(failure, false),
    };
    // Not waited for: it is the first episode that takes the place.
    if let Some(refusal) = refused(server).await {
        one.end().await;
        return Interleaved::NoRoom(refusal);
    }
    let mut sibling = script.clone().with_next_seed().with_episode("other");
    sibling.actions.rotate_left(1);
    let mut other = match Episode::begin(server, &sibling.reset).await {
        Ok(other) => other,
        Err(failure) => {
            one.end().await;
            return Interleaved::failed(failure, true);
        }
    };
    let played = take_turns(&mut one, script, &mut other, &sibling).await;
    let (disturbed, transcript) = tokio::join!(one.end(), other.end());
    match played {
        Ok(()) => Interleaved::Played {
            disturbed,
            other: transcript,
            other_id: sibling.episode_id().to_owned(),
        },
        Err((failure, second)) => Interleaved::Failed { failure, second },
    }
}

/// Why a second session is not let in, if it is not.
async fn refused(server: &Server) -> Option<Refusal> {
    let mut socket = Socket::open(server).await.ok()?;
    let reply = socket.ask(KNOCK).await.ok()?;
    let refusal = Refusal::of(&serde_json::from_str(&reply).ok()?);
    let refusal = refusal.filter(Refusal::is_capacity);
    if refusal.is_none() {
        let _ = socket.leave().await;
    }
    refusal
}

async fn take_turns(
    one: &mut Episode,
    script: &Script,
    other: &mut Episode,
    sibling: &Script,
) -> Result<(), (Failure, bool)> {
    let first = |failure| (failure, false);
    let second = |failure| (failure, true);
    one.state().await.map_err(first)?;
    other.state().await.map_err(second)?;
    let turns = script.actions.iter().zip(&sibling.actions);
    for (action, other_action) in turns {
        if !other.is_done() {
            other.step(other_action).await.map_err(second)?;
        }
        if one.is_done() {
            break;
        }
        one.step(action).await.map_err(first)?;
        one.state().await.map_err(first)?;
        other.state().await.map_err(second)?;
    }
    Ok(())
}

impl Interleaved {
    fn failed(failure: Failure, second: bool) -> Self {
        match failure.full.clone() {
            Some(refusal) => Self::NoRoom(refusal),
            None => Self::Failed { failure, second },
        }
    }

    /// Whether the server has more than one session.
    pub(super) fn has_room(&self) -> bool {
        matches!(self, Self::Played { .. })
    }

    /// How many sessions the server has, if it said so.
    pub(super) fn limit(&self) -> Option<u64> {
        match self {
            Self::NoRoom(refusal) => refusal.max_sessions,
            Self::Played { .. } | Self::Failed { .. } => None,
        }
    }

    /// Compares the disturbed episode with the one that was played alone. What varies between equal
    /// episodes anyway tells nothing.
    pub(super) fn check(&self, alone: &Transcript, varying: &BTreeSet<String>) -> Findings {
        let (disturbed, other, other_id) = match self {
            Self::Played {
                disturbed,
                other,
                other_id,
            } => (disturbed, other, other_id),
            Self::NoRoom(refusal) => {
                let message = &refusal.message;
                return Findings::not_run(format!("there is no second session: {message}"));
            }
            Self::Failed { failure, second } => return failed(failure, *second),
        };
        let mut findings = Findings::seen("an episode was the same alone and beside another");
        let fix =
            "keep all state in the environment of the session: no globals, no class attributes";
        let expected = "an episode is not changed by another one at the same time";
        let (natural, strange): (Vec<_>, Vec<_>) = differences(alone, disturbed)
            .into_iter()
            .partition(Difference::is_natural);
        findings.excuse(&natural);
        let differing = strange
            .into_iter()
            .filter(|found| !varying.contains(&found.path))
            .take(MOST);
        for found in differing {
            let seen = format!("alone and beside another, {}", found.describe());
            findings
                .problems
                .push(Problem::required(expected, seen, fix));
        }
        if !varying.is_empty() {
            let paths: Vec<_> = varying.iter().map(|path| format!("`{path}`")).collect();
            let verb = if paths.len() == 1 { "varies" } else { "vary" };
            findings.not_run = Some(format!(
                "could not be told: {} {verb} anyway",
                paths.join(", ")
            ));
        }
        let asked = asked_id(alone);
        let alone_states = states(alone);
        // Names that an environment makes up are others each time.
        let honoured = alone_states
            .first()
            .is_some_and(|state| state["episode_id"] == asked);
        let names: &[&str] = if honoured {
            &["episode_id", "step_count"]
        } else {
            findings
                .notes
                .push("`episode_id` of the state was not compared: it is not that of reset".into());
            &["step_count"]
        };
        for (index, (left, right)) in alone_states.iter().zip(states(disturbed)).enumerate() {
            for name in names {
                if left.get(name) != right.get(name) && findings.problems.is_empty() {
                    let right = right.get(name).cloned().unwrap_or_default();
                    findings.problems.push(Problem::required(
                        format!("`{name}` of the state is the session's own"),
                        format!("state {index}: it is {right} beside another episode"),
                        fix,
                    ));
                }
            }
        }
        let stolen = states(other)
            .iter()
            .any(|state| state["episode_id"] == asked);
        if honoured && stolen && findings.problems.is_empty() {
            findings.problems.push(Problem::required(
                format!("the other session's episode is {other_id:?}"),
                format!("it has the name of the first, {asked}"),
                fix,
            ));
        }
        findings
    }
}

/// What reset was told to call the episode.
fn asked_id(episode: &Transcript) -> Value {
    let reset = episode.exchanges.first();
    reset.map_or(Value::Null, |reset| {
        reset.request["data"]["episode_id"].clone()
    })
}

fn states(transcript: &Transcript) -> Vec<&Value> {
    let exchanges = transcript.exchanges.iter();
    exchanges
        .filter(|exchange| exchange.operation == Operation::State)
        .map(Exchange::data)
        .collect()
}

fn failed(failure: &Failure, second: bool) -> Findings {
    let which = if second { "second" } else { "first" };
    let mut findings = Findings::default();
    findings.problems.push(Problem::required(
        "two sessions can be played at the same time",
        format!(
            "{} of the {which} session failed: {}",
            failure.phase,
            shortened(&failure.seen)
        ),
        "keep all state in the environment of the session, or serve one session only",
    ));
    findings
}
