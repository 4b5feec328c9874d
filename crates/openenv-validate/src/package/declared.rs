//! Tools and tasks, as they are declared and as the server has them.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::finding::{Check, Outcome, Weight};
use crate::manifest::Manifest;
use crate::report::{CheckResult, Status};
use crate::server::Server;
use crate::tools::Listing;

/// Compares the declared tools with those that are listed; `check` is what their calls came to.
pub(super) fn tools(
    manifest: Option<&Manifest>,
    listing: &Listing,
    check: Option<&Check>,
) -> CheckResult {
    let id = "runtime.tool_declaration_accuracy";
    let declared: &[String] =
        manifest.map_or(&[], |manifest| &manifest.capabilities.declared_tools);
    let declared: BTreeSet<&str> = declared.iter().map(String::as_str).collect();
    let tools = listing.tools();
    let listed: BTreeSet<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut problems = Vec::new();
    if let (Listing::Broken(why), None) = (listing, check) {
        problems.push(why.clone());
    }
    let missing = declared.difference(&listed);
    problems.extend(missing.map(|name| format!("`{name}` is declared, but the server has none")));
    if !declared.is_empty() {
        let more = listed.difference(&declared);
        problems.extend(more.map(|name| format!("`{name}` is there, but not declared")));
    }
    let mut notes = Vec::new();
    if let Some(check) = check {
        if let Outcome::Found(found) = &check.outcome {
            for problem in found {
                let line = format!("expected: {}; seen: {}", problem.expected, problem.seen);
                match problem.weight {
                    Weight::Required => problems.push(line),
                    Weight::Advice => notes.push(line),
                }
            }
        }
        notes.extend(check.notes.iter().cloned());
    }
    let well = if listed.is_empty() {
        "no tools are declared, and the server has none"
    } else if declared.is_empty() {
        "the tools work as they are listed; the manifest declares none to compare with"
    } else {
        "the declared tools are there and work as they are listed"
    };
    let fix = "correct capabilities.declared_tools in openenv.yaml, or the tools";
    let mut result = CheckResult::judged(id, problems, well, fix)
        .measured("declared", json!(declared))
        .measured("listed", json!(listed));
    result.evidence.extend(notes);
    result
}

/// Compares the declared numbers of tasks with what the server says.
pub(super) async fn tasks(server: &Server, manifest: &Manifest) -> CheckResult {
    let id = "runtime.task_declaration_accuracy";
    let declared = &manifest.capabilities.declared_task_count;
    let name = match server.get("/list_environments").await {
        Ok(answer) => answer
            .body
            .as_ref()
            .and_then(|names| names[0].as_str().map(str::to_owned)),
        Err(error) => return CheckResult::new(id, Status::Fail, error),
    };
    let Some(name) = name else {
        let problem = "`GET /list_environments` names no environment".to_owned();
        return CheckResult::judged(id, vec![problem], "", "serve the routes of tasks");
    };
    let splits = server.get(&format!("/{name}/splits")).await;
    let splits: Vec<String> = splits
        .ok()
        .filter(|answer| answer.status == 200)
        .and_then(|answer| answer.body)
        .and_then(|body| body.as_array().cloned())
        .into_iter()
        .flatten()
        .filter_map(|split| split["name"].as_str().map(str::to_owned))
        .collect();
    let mut problems = Vec::new();
    if splits.is_empty() {
        problems.push(format!("`GET /{name}/splits` lists no split"));
    }
    let mut counted = serde_json::Map::new();
    for (split, expected) in declared {
        let asked = json!({ "split": split });
        let answer = server.post(&format!("/{name}/num_tasks"), &asked).await;
        let count = answer
            .ok()
            .filter(|answer| answer.status == 200)
            .and_then(|answer| answer.get("num_tasks").and_then(Value::as_u64));
        match count {
            Some(count) if expected.as_u64() == Some(count) => {}
            Some(count) => problems.push(format!("`{split}` has {count} tasks, not {expected}")),
            None => problems.push(format!(
                "`{split}` is declared, but not counted by the server"
            )),
        }
        counted.insert(split.clone(), json!(count));
    }
    let fix = "correct capabilities.declared_task_count in openenv.yaml, or the tasks";
    let well = "the server has the declared tasks";
    CheckResult::judged(id, problems, well, fix)
        .measured("splits", json!(splits))
        .measured("counted", counted)
}
