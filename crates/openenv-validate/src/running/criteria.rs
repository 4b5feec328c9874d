//! The reference's six criteria: what is asked over HTTP, and what has to be answered.

use serde_json::{Value, json};

use super::Criterion;
use crate::server::Answer;

/// The version of the HTTP interface.
pub(super) fn version(answer: &Answer) -> Option<String> {
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

pub(super) fn openapi(answer: Result<Answer, String>, version: Option<&str>) -> Criterion {
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

pub(super) fn health(answer: Result<Answer, String>) -> Criterion {
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

pub(super) fn metadata(answer: Result<Answer, String>) -> Criterion {
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

pub(super) fn schema(answer: Result<Answer, String>) -> Criterion {
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

pub(super) fn mcp(answer: Result<Answer, String>) -> Criterion {
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

pub(super) fn consistency(paths: Option<&Value>) -> (&'static str, Criterion) {
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
