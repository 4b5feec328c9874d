//! The check of a server that runs: the six criteria of the reference, and how it behaves.

use serde::Serialize;
use serde_json::{Value, json};

use crate::finding::{Check, Outcome, Problem, Weight};
use crate::live::{self, Schemas, Subject};
use crate::script::Script;
use crate::server::{Answer, Server};
use crate::tools;

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
    let version = openapi.as_ref().ok().and_then(version_of);
    let paths = openapi
        .as_ref()
        .ok()
        .and_then(|answer| answer.get("paths").cloned());
    let paths = paths.filter(|_| version.is_some());
    let (mode, consistency) = consistency(paths.as_ref());
    let reachable = health.is_ok() || schema.is_ok();
    let schemas = schema.as_ref().ok().map(schemas_of).unwrap_or_default();
    let mut criteria = vec![
        openapi_criterion(openapi, version.as_deref()),
        health_criterion(health),
        metadata_criterion(metadata),
        schema_criterion(schema),
        mcp_criterion(mcp),
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

fn version_of(answer: &Answer) -> Option<String> {
    let version = answer.body.as_ref()?.pointer("/info/version")?.as_str()?;
    (answer.status == 200).then(|| version.to_owned())
}

/// A criterion of the reference, about one answer.
fn criterion(
    id: &'static str,
    description: &'static str,
    expected: Value,
    answer: Result<Answer, String>,
    judge: impl FnOnce(&Answer) -> (bool, Value),
) -> Criterion {
    let (passed, details, actual) = match answer {
        Ok(answer) => {
            let (passed, mut actual) = judge(&answer);
            if let Value::Object(actual) = &mut actual {
                actual.shift_insert(0, "status_code".to_owned(), answer.status.into());
            }
            (passed && answer.status == 200, None, Some(actual))
        }
        Err(error) => (false, Some(format!("Request failed: {error}")), None),
    };
    Criterion {
        id,
        description,
        passed,
        required: true,
        details,
        expected: Some(expected),
        actual,
        findings: Vec::new(),
    }
}

fn openapi_criterion(answer: Result<Answer, String>, version: Option<&str>) -> Criterion {
    let answered = answer.is_ok();
    let mut criterion = criterion(
        "openapi_version_available",
        "GET /openapi.json tells the version",
        json!({ "status_code": 200, "info.version": "string" }),
        answer,
        |answer| match version {
            Some(version) => (true, json!({ "info.version": version })),
            None => (false, json!({ "body_type": kind_of(answer.body.as_ref()) })),
        },
    );
    if answered && !criterion.passed {
        criterion.details = Some("the answer has no info.version".to_owned());
    }
    criterion
}

fn health_criterion(answer: Result<Answer, String>) -> Criterion {
    criterion(
        "health_endpoint",
        "GET /health says healthy",
        json!({ "status_code": 200, "status": "healthy" }),
        answer,
        |answer| {
            let status = answer.get("status").cloned().unwrap_or_default();
            (status == "healthy", json!({ "status": status }))
        },
    )
}

fn metadata_criterion(answer: Result<Answer, String>) -> Criterion {
    criterion(
        "metadata_endpoint",
        "GET /metadata has a name and a description",
        json!({ "status_code": 200, "fields": ["name", "description"] }),
        answer,
        |answer| {
            let field = |name: &str| answer.get(name).cloned().unwrap_or_default();
            let (name, description) = (field("name"), field("description"));
            let passed = name.is_string() && description.is_string();
            (passed, json!({ "name": name, "description": description }))
        },
    )
}

fn schema_criterion(answer: Result<Answer, String>) -> Criterion {
    criterion(
        "schema_endpoint",
        "GET /schema has action, observation and state",
        json!({ "status_code": 200, "fields": ["action", "observation", "state"] }),
        answer,
        |answer| {
            let has = |name: &str| answer.get(name).is_some_and(Value::is_object);
            let (action, observation, state) = (has("action"), has("observation"), has("state"));
            let actual = json!({
                "has_action": action,
                "has_observation": observation,
                "has_state": state,
            });
            (action && observation && state, actual)
        },
    )
}

fn mcp_criterion(answer: Result<Answer, String>) -> Criterion {
    criterion(
        "mcp_endpoint",
        "POST /mcp answers in JSON-RPC",
        json!({ "status_code": 200, "jsonrpc": "2.0" }),
        answer,
        |answer| {
            let version = answer.get("jsonrpc").cloned().unwrap_or_default();
            (version == "2.0", json!({ "jsonrpc": version }))
        },
    )
}

fn consistency(paths: Option<&Value>) -> (&'static str, Criterion) {
    let paths = paths.and_then(Value::as_object);
    let (mode, passed, details, expected, actual) = match paths.filter(|paths| !paths.is_empty()) {
        Some(paths) => {
            let has = |route: &str| paths.contains_key(route);
            let (reset, step, state) = (has("/reset"), has("/step"), has("/state"));
            let mode = if reset { "simulation" } else { "production" };
            let routes =
                |reset, step, state| json!({ "/reset": reset, "/step": step, "/state": state });
            let expected = routes(reset, reset, reset);
            let actual = routes(reset, step, state);
            (mode, expected == actual, None, expected, actual)
        }
        None => (
            "unknown",
            false,
            Some("the mode is not known without the paths of OpenAPI".to_owned()),
            json!({ "openapi.paths": "present" }),
            json!({ "openapi.paths": "missing" }),
        ),
    };
    let criterion = Criterion {
        id: "mode_endpoint_consistency",
        description: "the routes are those of one mode",
        passed,
        required: true,
        details,
        expected: Some(expected),
        actual: Some(actual),
        findings: Vec::new(),
    };
    (mode, criterion)
}

/// What the reference calls a kind of JSON.
fn kind_of(body: Option<&Value>) -> &'static str {
    match body {
        None | Some(Value::Null) => "non_json",
        Some(Value::Bool(_)) => "bool",
        Some(Value::Number(number)) if number.is_f64() => "float",
        Some(Value::Number(_)) => "int",
        Some(Value::String(_)) => "str",
        Some(Value::Array(_)) => "list",
        Some(Value::Object(_)) => "dict",
    }
}
