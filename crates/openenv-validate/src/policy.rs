//! Which checks there are, and how bad it is to fail them: the reference's policies.

use std::fmt;
use std::str::FromStr;

use serde::{Serialize, Serializer};

use crate::report::{CheckResult, Status, Verdict};

/// How far a package is checked, each level with those before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What it declares.
    Static,
    /// How it behaves.
    Runtime,
    /// What its rewards mean.
    Semantic,
}

impl Level {
    /// Its number in reports.
    pub fn number(self) -> u8 {
        match self {
            Self::Static => 1,
            Self::Runtime => 2,
            Self::Semantic => 3,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Static => "static",
            Self::Runtime => "runtime",
            Self::Semantic => "semantic",
        }
    }
}

impl Serialize for Level {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u8(self.number())
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        [Self::Static, Self::Runtime, Self::Semantic]
            .into_iter()
            .find(|level| level.name() == text)
            .ok_or_else(|| {
                format!("unknown level `{text}`; write `static`, `runtime` or `semantic`")
            })
    }
}

/// A version of the policy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Policy {
    /// Of static checks.
    V1,
    /// Of all checks.
    V2,
}

impl Policy {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Policy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "v1" => Ok(Self::V1),
            "v2" => Ok(Self::V2),
            _ => Err(format!("there is no policy `{text}`; write `v1` or `v2`")),
        }
    }
}

/// How bad it is to fail a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Severity {
    Fail,
    Warn,
}

/// A check that the policy knows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Entry {
    pub(crate) id: &'static str,
    pub(crate) level: Level,
    pub(crate) severity: Severity,
}

const fn entry(id: &'static str, level: Level, severity: Severity) -> Entry {
    Entry {
        id,
        level,
        severity,
    }
}

/// The checks that run where the package is, from `runtime.startup` on as in the second version.
pub(crate) const ENTRIES: [Entry; 25] = {
    use Level::{Runtime, Semantic, Static};
    use Severity::{Fail, Warn};
    [
        entry("static.manifest", Static, Fail),
        entry("runtime.startup", Runtime, Fail),
        entry("runtime.reward_well_formed", Runtime, Fail),
        entry("runtime.rubric_introspectable", Runtime, Warn),
        entry("runtime.observation_schema", Runtime, Fail),
        entry("runtime.state_contract", Runtime, Fail),
        entry("runtime.trajectory_record", Runtime, Warn),
        entry("runtime.reward_attribution", Runtime, Warn),
        entry("runtime.tool_declaration_accuracy", Runtime, Fail),
        entry("runtime.task_declaration_accuracy", Runtime, Fail),
        entry("runtime.seed_control", Runtime, Fail),
        entry("runtime.episode_determinism", Runtime, Fail),
        entry("runtime.network_policy", Runtime, Fail),
        entry("runtime.host_containment", Runtime, Fail),
        entry("runtime.resource_bounds", Runtime, Fail),
        entry("runtime.episode_isolation", Runtime, Fail),
        entry("runtime.oracle_containment", Runtime, Fail),
        entry("semantic.oracle_max", Semantic, Fail),
        entry("semantic.floor_gap", Semantic, Fail),
        entry("semantic.canary_floor", Semantic, Fail),
        entry("semantic.no_solution_leakage", Semantic, Fail),
        entry("semantic.verifier_determinism", Semantic, Fail),
        entry("semantic.verifier_portability", Semantic, Fail),
        entry("semantic.resource_envelope", Semantic, Fail),
        entry("semantic.replayability", Semantic, Fail),
    ]
};

/// What an author may declare at most, or at least.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Bounds {
    pub(crate) max_oracle_tolerance: f64,
    pub(crate) min_floor_margin: f64,
    pub(crate) max_variance_tolerance: f64,
    pub(crate) max_episode_timeout_s: f64,
}

/// The bounds of both versions.
pub(crate) const BOUNDS: Bounds = Bounds {
    max_oracle_tolerance: 0.1,
    min_floor_margin: 0.1,
    max_variance_tolerance: 0.2,
    max_episode_timeout_s: 3600.0,
};

/// What all results together mean.
pub(crate) fn verdict(results: &[CheckResult]) -> Verdict {
    let mut verdict = Verdict::Pass;
    for result in results {
        match result.status {
            Status::Error => return Verdict::Fail,
            Status::Fail if severity(result) == Severity::Fail => return Verdict::Fail,
            Status::Fail | Status::Skip => verdict = Verdict::Warn,
            Status::Pass => {}
        }
    }
    verdict
}

/// Checks that are not in the policy are this crate's own and say it themselves.
fn severity(result: &CheckResult) -> Severity {
    let known = ENTRIES.iter().find(|entry| entry.id == result.check_id);
    match known {
        Some(entry) => entry.severity,
        None if result.measured.get("required") == Some(&false.into()) => Severity::Warn,
        None => Severity::Fail,
    }
}
