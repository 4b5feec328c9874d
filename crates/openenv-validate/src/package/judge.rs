//! What the episodes of a package came to, under the names that the policy has for it.

use super::run::Run;
use super::{declared, grade};
use crate::finding::{Check, Outcome, Weight};
use crate::live::Live;
use crate::manifest::Manifest;
use crate::policy::ENTRIES;
use crate::report::{CheckResult, Status};

/// The checks of this crate that the policy has no names for.
const OWN: [&str; 3] = ["live.bad_actions", "live.close", "live.capacity"];

impl Run<'_> {
    /// Adds what the episodes came to, and all that was not looked at.
    pub(super) fn complete(&mut self) {
        let started = self
            .results
            .iter()
            .any(|result| result.check_id == "runtime.startup" && result.status == Status::Pass);
        let live = self.live.take().filter(|_| started);
        for entry in ENTRIES {
            let known = self
                .results
                .iter()
                .any(|result| result.check_id == entry.id);
            if known || entry.level > self.options.level || !self.applies(entry.id) {
                continue;
            }
            let result = match &live {
                Some(live) => self.graded(entry.id, live),
                None => CheckResult::skip(entry.id, missing(entry.id)),
            };
            self.results.push(result);
        }
        let order = |id: &str| ENTRIES.iter().position(|entry| entry.id == id);
        self.results
            .sort_by_key(|result| order(&result.check_id).unwrap_or(usize::MAX));
        if let Some(live) = &live {
            let own = OWN.iter().filter_map(|id| live.check(id)).map(own_result);
            self.results.extend(own);
        }
        self.live = live;
    }

    fn graded(&self, id: &str, live: &Live) -> CheckResult {
        let episode = &live.episode;
        let check = |name: &str| match live.check(name) {
            Some(check) => result_of(id, check),
            None => CheckResult::skip(id, missing(id)),
        };
        let on_steps = |grade: &dyn Fn() -> CheckResult| {
            if episode.has_steps() {
                grade()
            } else {
                CheckResult::skip(id, "the episode had no step to look at")
            }
        };
        let range = self.manifest.as_ref().map(|manifest| manifest.reward.range);
        match id {
            "runtime.reward_well_formed" => on_steps(&|| grade::reward(episode, range)),
            "runtime.observation_schema" => {
                on_steps(&|| grade::observations(episode, &self.schemas))
            }
            "runtime.state_contract" => on_steps(&|| grade::state(episode)),
            "runtime.seed_control" => check("live.seed"),
            "runtime.episode_determinism" => check("live.determinism"),
            "runtime.episode_isolation" => check("live.isolation"),
            "runtime.tool_declaration_accuracy" => match &self.tools {
                Some(listing) => {
                    declared::tools(self.manifest.as_ref(), listing, live.check("live.tools"))
                }
                None => CheckResult::skip(id, missing(id)),
            },
            "semantic.verifier_determinism" => self.verifier(live),
            _ => CheckResult::skip(id, missing(id)),
        }
    }

    /// Equal episodes must be paid equally, if the environment itself pays.
    fn verifier(&self, live: &Live) -> CheckResult {
        let id = "semantic.verifier_determinism";
        let manifest = self.manifest.as_ref();
        let served = manifest.is_some_and(|manifest| {
            manifest.capabilities.verifier.kind == "reward_channel"
                && !manifest.capabilities.llm_judged
        });
        match &live.rewards_repeat {
            _ if !served => CheckResult::skip(
                id,
                "rewards are compared only where `verifier.kind: reward_channel` is declared and no model judges",
            ),
            None => CheckResult::skip(id, "the episode could not be played again"),
            Some(repeat) => CheckResult::judged(
                id,
                repeat.clone().err().into_iter().collect(),
                "3 equal episodes had the same rewards",
                "compute rewards from the episode alone",
            ),
        }
    }

    fn applies(&self, id: &str) -> bool {
        let Some(manifest) = &self.manifest else {
            return true;
        };
        match id {
            "runtime.rubric_introspectable" | "runtime.reward_attribution" => {
                manifest.capabilities.rubric_tree
            }
            "runtime.task_declaration_accuracy" => has_tasks(manifest),
            _ => true,
        }
    }
}

/// Whether the environment is declared to have tasks.
pub(super) fn has_tasks(manifest: &Manifest) -> bool {
    let capabilities = &manifest.capabilities;
    capabilities.task_api || !capabilities.declared_task_count.is_empty()
}

/// Why a check was not made.
fn missing(id: &str) -> &'static str {
    match id {
        "runtime.trajectory_record" => "records of trajectories are not looked at yet",
        "runtime.network_policy" => "what the environment reaches was not measured",
        "runtime.host_containment" | "runtime.oracle_containment" => {
            "what the environment can get at was not measured"
        }
        "runtime.resource_bounds" | "semantic.resource_envelope" => {
            "memory, disk and processors were not measured"
        }
        "runtime.rubric_introspectable" | "runtime.reward_attribution" => {
            "rubrics are not looked at yet"
        }
        id if id.starts_with("semantic.") => "not looked at yet",
        _ => "unmet dependency: runtime.startup",
    }
}

/// A live check under the name that the policy has for it.
fn result_of(id: &str, check: &Check) -> CheckResult {
    let mut result = match &check.outcome {
        Outcome::NotRun(reason) => CheckResult::skip(id, reason.clone()),
        Outcome::Passed(seen) => CheckResult::new(id, Status::Pass, seen.clone()),
        Outcome::Found(problems) => {
            let told = problems.iter();
            let told =
                told.map(|found| format!("expected: {}; seen: {}", found.expected, found.seen));
            let fix = problems.first().map(|found| found.fix.as_str());
            CheckResult::judged(id, told.collect(), "", fix.unwrap_or_default())
        }
    };
    result.evidence.extend(check.notes.iter().cloned());
    result.lasting(check.duration)
}

/// A check of this crate, with its own word on how bad it is.
fn own_result(check: &Check) -> CheckResult {
    let required = check.weight() != Some(Weight::Advice);
    result_of(check.id, check).measured("required", required)
}
