//! The report on a package.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::manifest::Manifest;
use crate::policy::Level;

/// What a package is like, in the reference's words.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct PackageReport {
    /// `1` for static checks of a package without `execution`, else `2`
    pub report_schema_version: &'static str,
    /// Its directory, as it was named
    pub target: String,
    /// SHA-256 of all of its files; empty if they could not be read
    pub source_digest: String,
    /// The file that makes it a package
    pub signature: &'static str,
    /// What it declares
    pub(crate) manifest: Option<Manifest>,
    /// The policy that was applied
    pub policy_version: &'static str,
    /// Always `local`
    pub lane: &'static str,
    /// What was tried
    pub levels_run: Vec<Level>,
    /// What came of each check
    pub results: Vec<CheckResult>,
    /// What all of it means
    pub verdict: Verdict,
}

/// What came of one check.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct CheckResult {
    /// Its name, such as `runtime.startup`
    pub check_id: String,
    /// What came of it
    pub status: Status,
    /// Numbers and names
    pub measured: Map<String, Value>,
    /// What was seen, in words
    pub evidence: Vec<String>,
    /// What to do about it
    pub remediation: Option<String>,
    /// How long it took, in seconds
    pub duration_s: f64,
}

/// What came of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// It looked, and all is well.
    Pass,
    /// It looked, and something is not.
    Fail,
    /// It did not look.
    Skip,
    /// It could not look, and should have.
    Error,
}

/// What all checks together mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// All is well.
    Pass,
    /// Nothing is wrong, but not everything was looked at, or not everything is as it should be.
    Warn,
    /// Something is wrong.
    Fail,
}

impl CheckResult {
    /// A result with one line of evidence.
    pub(crate) fn new(id: &str, status: Status, evidence: impl Into<String>) -> Self {
        Self {
            check_id: id.to_owned(),
            status,
            measured: Map::new(),
            evidence: vec![evidence.into()],
            remediation: None,
            duration_s: 0.0,
        }
    }

    /// Nothing was looked at.
    pub(crate) fn skip(id: &str, reason: impl Into<String>) -> Self {
        Self::new(id, Status::Skip, reason)
    }

    /// What is wrong, or that nothing is.
    pub(crate) fn judged(
        id: &str,
        problems: Vec<String>,
        all_is_well: &str,
        remediation: &str,
    ) -> Self {
        if problems.is_empty() {
            return Self::new(id, Status::Pass, all_is_well);
        }
        Self {
            evidence: problems,
            remediation: Some(remediation.to_owned()),
            ..Self::new(id, Status::Fail, "")
        }
    }

    pub(crate) fn measured(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.measured.insert(name.to_owned(), value.into());
        self
    }

    pub(crate) fn lasting(mut self, duration: std::time::Duration) -> Self {
        self.duration_s = duration.as_secs_f64();
        self
    }
}
