//! What an author declared, compared with what was declared to be possible and with an episode.

use serde_json::{Value, json};

use crate::conformity::Conformity;
use crate::episode::{Operation, Transcript};
use crate::live::Schemas;
use crate::manifest::Manifest;
use crate::policy::BOUNDS;
use crate::report::CheckResult;

/// Problems that are told.
const MOST: usize = 20;
const WELL: &str = "the episode keeps the contract";
const FIX: &str = "correct what is named above in the environment's reset, step and state";

/// Whether the declarations are within the policy.
pub(super) fn manifest(manifest: &Manifest) -> CheckResult {
    let (reward, timeout) = (&manifest.reward, manifest.resources.episode_timeout_s);
    let mut problems = Vec::new();
    let mut above = |name: &str, value: f64, limit: f64| {
        if value > limit {
            problems.push(format!("{name} is {value}, above {limit}"));
        }
    };
    above(
        "oracle_tolerance",
        reward.oracle_tolerance,
        BOUNDS.max_oracle_tolerance,
    );
    let variance = reward.variance_tolerance.unwrap_or_default();
    above(
        "variance_tolerance",
        variance,
        BOUNDS.max_variance_tolerance,
    );
    above("episode_timeout_s", timeout, BOUNDS.max_episode_timeout_s);
    let (margin, least) = (reward.floor_margin, BOUNDS.min_floor_margin);
    if margin < least {
        problems.push(format!("floor_margin is {margin}, below {least}"));
    }
    CheckResult::judged(
        "static.manifest",
        problems,
        "the declarations are valid and within the policy",
        "declare what the policy allows",
    )
    .measured("oracle_tolerance", reward.oracle_tolerance)
    .measured("floor_margin", reward.floor_margin)
    .measured("variance_tolerance", reward.variance_tolerance)
    .measured("episode_timeout_s", timeout)
    .measured("bounds", serde_json::to_value(BOUNDS).unwrap_or_default())
}

/// Whether the rewards of steps are numbers in the declared range, if one is.
pub(super) fn reward(episode: &Transcript, range: Option<(f64, f64)>) -> CheckResult {
    let id = "runtime.reward_well_formed";
    let mut problems = Vec::new();
    for (index, exchange) in episode.observations() {
        let place = format!("exchange {index} ({})", episode.place(index));
        let reward = exchange.data().get("reward");
        let number = reward.and_then(Value::as_f64);
        match (reward, number, range) {
            (None, ..) => problems.push(format!("{place}: there is no reward")),
            (Some(Value::Null), ..) if exchange.operation == Operation::Reset => {}
            (Some(reward), None, _) => {
                problems.push(format!("{place}: the reward is {reward}, not a number"));
            }
            (_, Some(number), Some((low, high))) if !(low <= number && number <= high) => {
                let range = format!("{low} to {high}");
                problems.push(format!("{place}: the reward {number} is not in {range}"));
            }
            _ => {}
        }
    }
    judged(id, episode, problems).measured(
        "declared_range",
        range.map_or(Value::Null, |range| json!(range)),
    )
}

/// Whether observations are what the server publishes.
pub(super) fn observations(episode: &Transcript, schemas: &Schemas) -> CheckResult {
    let id = "runtime.observation_schema";
    let conformity = match Conformity::new(schemas) {
        Ok(conformity) => conformity,
        Err(error) => return judged(id, episode, vec![error]),
    };
    let problems = episode.observations().flat_map(|(index, exchange)| {
        let place = format!("exchange {index} ({})", episode.place(index));
        let misfits = conformity.misfits(exchange).into_iter();
        misfits.map(move |misfit| format!("{place}: {misfit}"))
    });
    judged(id, episode, problems.collect())
}

/// Whether states name the episode and count its steps.
pub(super) fn state(episode: &Transcript) -> CheckResult {
    let mut problems = Vec::new();
    let mut asked = Value::Null;
    let mut steps = 0_u64;
    for (index, exchange) in episode.exchanges.iter().enumerate() {
        let place = format!("exchange {index} ({})", episode.place(index));
        match exchange.operation {
            Operation::Reset => {
                asked = exchange.request["data"]["episode_id"].clone();
                steps = 0;
            }
            Operation::Step => steps += 1,
            Operation::State => {
                let state = exchange.data();
                let (named, count) = (&state["episode_id"], &state["step_count"]);
                if *named != asked {
                    let seen = format!("episode_id is {named}, not the {asked} of reset");
                    problems.push(format!("{place}: {seen}"));
                }
                if count.as_u64() != Some(steps) {
                    problems.push(format!("{place}: step_count is {count}, not {steps}"));
                }
            }
        }
    }
    judged("runtime.state_contract", episode, problems)
}

fn judged(id: &str, episode: &Transcript, mut problems: Vec<String>) -> CheckResult {
    problems.truncate(MOST);
    CheckResult::judged(id, problems, WELL, FIX).measured("exchanges", episode.exchanges.len())
}
