//! The check of a server that runs: the six criteria of the reference, and how it behaves.

use serde::Serialize;
use serde_json::{Value, json};

use crate::finding::{Check, Outcome, Problem, Weight};
use crate::live::{self, Schemas, Subject};
use crate::script::Script;
use crate::server::{Answer, Server};
use crate::tools;

mod criteria;

/// What a server that runs is like.
///
/// Consumers of the reference's report find all that they know in it. The criteria of this crate come
/// after the reference's six; those that were not looked at are no criteria, but in `not_run`.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RunningReport {
    /// Its URL
    pub target: String,
    /// Always `running_environment`
    pub validation_type: &'static str,
    /// The version of its HTTP interface, or `unknown`
    pub standard_version: String,
    /// The standard that this version belongs to
    pub standard_profile: &'static str,
    /// `simulation`, `production` or `unknown`
    pub mode: &'static str,
    /// Whether all criteria are met that are required
    pub passed: bool,
    /// The criteria, counted
    pub summary: Summary,
    /// What was looked at
    pub criteria: Vec<Criterion>,
    /// What was not looked at
    pub not_run: Vec<NotRun>,
}

/// The criteria, counted.
#[derive(Debug, Clone, Default, Serialize)]
#[non_exhaustive]
pub struct Summary {
    /// Those that are met
    pub passed_count: usize,
    /// All
    pub total_count: usize,
    /// The ids of those that are not met
    pub failed_criteria: Vec<String>,
    /// The required ones that are met
    pub required_passed_count: usize,
    /// The required ones
    pub required_total_count: usize,
}

/// Something that was looked at.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Criterion {
    /// Its name
    pub id: &'static str,
    /// What it looks at
    pub description: &'static str,
    /// Whether it is met
    pub passed: bool,
    /// Whether the server fails without it
    pub required: bool,
    /// What else there is to say
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<String>,
    /// What should be
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<Value>,
    /// What is
    #[serde(skip_serializing_if = "Option::is_none")]
    pub actual: Option<Value>,
    /// All that is not as it should be; for the criteria of this crate only
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub findings: Vec<Finding>,
}

/// One thing that is not as it should be.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// Whether the server fails because of it
    pub required: bool,
    /// What should be
    pub expected: String,
    /// What was seen
    pub seen: String,
    /// What to do about it
    pub fix: String,
}

/// Something that was not looked at.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct NotRun {
    /// Its name
    pub id: &'static str,
    /// What it would have looked at
    pub description: &'static str,
    /// Why not
    pub reason: String,
}

/// Checks a server that runs.
pub async fn check_running(server: &Server) -> RunningReport {
    let nothing = json!({});
    let (openapi, health, metadata, schema, mcp, tools) = tokio::join!(
        server.get("/openapi.json"),
        server.get("/health"),
        server.get("/metadata"),
        server.get("/schema"),
        server.post("/mcp", &nothing),
        tools::list(server),
    );
    let version = openapi.as_ref().ok().and_then(criteria::version);
    let paths = openapi
        .as_ref()
        .ok()
        .and_then(|answer| answer.get("paths").cloned());
    let paths = paths.filter(|_| version.is_some());
    let (mode, consistency) = criteria::consistency(paths.as_ref());
    let reachable = health.is_ok() || schema.is_ok();
    let schemas = schema.as_ref().ok().map(schemas_of).unwrap_or_default();
    let mut criteria = vec![
        criteria::openapi(openapi, version.as_deref()),
        criteria::health(health),
        criteria::metadata(metadata),
        criteria::schema(schema),
        criteria::mcp(mcp),
        consistency,
    ];
    let checks = if reachable {
        let subject = Subject {
            server: server.clone(),
            script: Script::made_up(&schemas.action, tools.tools()),
            schemas,
            tools,
            production: mode == "production",
        };
        Box::pin(live::look(&subject)).await.checks
    } else {
        let not_run = |(id, description): &(&'static str, &'static str)| Check {
            id,
            description,
            outcome: Outcome::NotRun("the server does not answer".to_owned()),
            notes: Vec::new(),
            duration: std::time::Duration::ZERO,
        };
        live::CHECKS.iter().map(not_run).collect()
    };
    let mut not_run = Vec::new();
    for check in checks {
        match criterion_of(check) {
            Ok(criterion) => criteria.push(criterion),
            Err(reason) => not_run.push(reason),
        }
    }
    RunningReport {
        target: server.url().to_owned(),
        validation_type: "running_environment",
        standard_profile: match &version {
            Some(version) if version.starts_with("1.") => "openenv-http/1.x",
            _ => "openenv-http/unknown",
        },
        standard_version: version.unwrap_or_else(|| "unknown".to_owned()),
        mode,
        passed: criteria
            .iter()
            .all(|criterion| criterion.passed || !criterion.required),
        summary: Summary::of(&criteria),
        criteria,
        not_run,
    }
}

impl Summary {
    fn of(criteria: &[Criterion]) -> Self {
        let mut summary = Self::default();
        for criterion in criteria {
            summary.total_count += 1;
            summary.passed_count += usize::from(criterion.passed);
            summary.required_total_count += usize::from(criterion.required);
            summary.required_passed_count += usize::from(criterion.required && criterion.passed);
            if !criterion.passed {
                summary.failed_criteria.push(criterion.id.to_owned());
            }
        }
        summary
    }
}

fn criterion_of(check: Check) -> Result<Criterion, NotRun> {
    let weight = check.weight();
    let mut criterion = Criterion {
        id: check.id,
        description: check.description,
        passed: weight.is_none(),
        required: weight.is_none_or(|weight| weight == Weight::Required),
        details: (!check.notes.is_empty()).then(|| check.notes.join("; ")),
        expected: None,
        actual: None,
        findings: Vec::new(),
    };
    match check.outcome {
        Outcome::NotRun(reason) => {
            return Err(NotRun {
                id: check.id,
                description: check.description,
                reason,
            });
        }
        Outcome::Passed(seen) => criterion.actual = Some(seen.into()),
        Outcome::Found(problems) => {
            if let Some(worst) = problems.iter().max_by_key(|problem| problem.weight) {
                criterion.expected = Some(worst.expected.clone().into());
                criterion.actual = Some(worst.seen.clone().into());
            }
            criterion.findings = problems.into_iter().map(Finding::from).collect();
        }
    }
    Ok(criterion)
}

impl From<Problem> for Finding {
    fn from(problem: Problem) -> Self {
        Self {
            required: problem.weight == Weight::Required,
            expected: problem.expected,
            seen: problem.seen,
            fix: problem.fix,
        }
    }
}

/// The schemas that a server publishes.
pub(crate) fn schemas_of(answer: &Answer) -> Schemas {
    Schemas {
        action: answer.get("action").cloned().unwrap_or_default(),
        observation: answer.get("observation").cloned(),
        reset_observation: answer.get("reset_observation").cloned(),
    }
}
