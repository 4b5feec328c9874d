//! What was found, as people read it.

use std::fmt::Write;

use indicatif::BinaryBytes;
use openenv::python::{Candidate, Interpreter, Project, Requirements, Traits};
use openenv_schema::ActionSchema;
use owo_colors::OwoColorize;

use super::finding::{Environment, Finding, Tool, Type, Types};
use crate::ui;
use crate::ui::fields;

/// Facts: a label each, and what is so.
type Facts = Vec<(&'static str, String)>;

pub(super) fn text(finding: &Finding<'_>) -> String {
    let environment = finding.environment.as_ref();
    let used = environment.map(|it| it.module.as_str());
    let mut parts = Vec::new();
    if let Some(found) = finding.project {
        parts.push(section("Project", &project(found, used)));
    }
    if let Some(python) = &finding.interpreter {
        let standin = environment.map_or(python.openenv.is_none(), |it| it.standin);
        parts.push(section("Python", &interpreter(python, standin)));
    }
    if let Some(environment) = environment {
        parts.push(section("Environment", &facts(environment)));
        parts.extend(types(&environment.types));
        if !environment.tools.is_empty() {
            parts.push(tools(&environment.tools));
        }
    }
    parts.join("\n").trim_end().to_owned()
}

/// A title and its facts; a label stands once for the lines that are about it.
fn section(title: &str, facts: &Facts) -> String {
    let width = facts.iter().map(|(label, _)| label.len()).max();
    let width = width.unwrap_or_default();
    let mut text = format!("{}\n", title.bold());
    let mut last = "";
    for (label, fact) in facts {
        let shown = if *label == last { "" } else { label };
        let _ = writeln!(text, "  {shown:<width$}  {fact}");
        last = label;
    }
    text
}

fn project(project: &Project, used: Option<&str>) -> Facts {
    let mut facts = vec![
        ("name", project.name.clone()),
        ("directory", project.root.display().to_string()),
    ];
    if let Some(object) = &project.object {
        facts.push(("class", object.to_string()));
    }
    for candidate in &project.modules {
        let used = if used == Some(&*candidate.module) {
            ", used"
        } else {
            ""
        };
        let said_by = candidate.said_by;
        facts.push((
            "application",
            format!("{}, by {said_by}{used}", named(candidate)),
        ));
    }
    let Requirements {
        python,
        dependencies,
        lock,
        files,
        ..
    } = &project.requirements;
    if let Some(versions) = python {
        facts.push(("requires", format!("Python {versions}")));
    }
    let files = lock.iter().chain(files).map(|file| {
        let file = file.strip_prefix(&project.root).unwrap_or(file);
        format!("what is in `{}`", file.display())
    });
    let required = dependencies.iter().cloned().chain(files);
    facts.extend(required.map(|required| ("requires", required)));
    facts
}

fn named(candidate: &Candidate) -> String {
    match &candidate.attribute {
        Some(attribute) => format!("{}:{attribute}", candidate.module),
        None => candidate.module.clone(),
    }
}

fn interpreter(python: &Interpreter, standin: bool) -> Facts {
    let path = python.path.display();
    let framework = match &python.openenv {
        Some(version) if !standin => version.clone(),
        _ => "a light stand-in".to_owned(),
    };
    let mut facts = vec![
        ("version", format!("{}, {}", python.version, python.origin)),
        ("path", path.to_string()),
        ("openenv", framework),
    ];
    if !python.missing.is_empty() {
        facts.push(("missing", python.missing.join(", ")));
        let names = python.missing.join(" ");
        facts.push((
            "missing",
            format!("install with `{path} -m pip install {names}`"),
        ));
    }
    facts
}

fn facts(environment: &Environment) -> Facts {
    let made = match &environment.class {
        Some(class) if *class == environment.factory => class.clone(),
        Some(class) => format!("{class}, made by {}", environment.factory),
        None => format!("made by {}", environment.factory),
    };
    let mut facts = vec![
        ("name", environment.name.clone()),
        ("class", made),
        ("about", first_line(&environment.metadata.description)),
        ("sessions", sessions(environment)),
        ("workers", workers(environment)),
    ];
    if let Some(bytes) = environment.memory_bytes {
        let memory = format!("{} each, in part shared", BinaryBytes(bytes));
        facts.push(("memory", memory));
    }
    if environment.tools.is_empty() {
        facts.push(("tools", "none".to_owned()));
    }
    facts
}

fn sessions(environment: &Environment) -> String {
    let Traits {
        concurrent,
        single_thread,
        ..
    } = environment.traits;
    let sharing = match (concurrent, single_thread) {
        (true, false) => "concurrent: sessions share processes",
        (_, true) => "on one thread of a process: each session gets its own",
        (false, false) => "not concurrent: each session gets a process of its own",
    };
    let count = match environment.capacity {
        Some(capacity) => format!("{capacity} at a time"),
        None if concurrent => return sharing.to_owned(),
        None => "1 at a time".to_owned(),
    };
    format!("{sharing}; {count} unless `--max-sessions`")
}

fn workers(environment: &Environment) -> String {
    if environment.forked {
        return "forked from one process that has imported the package".to_owned();
    }
    let why = match environment.threads {
        Some(threads) if threads > 1 => {
            let started = ui::counted(threads as u64 - 1, "thread");
            format!("importing it starts {started}, which a fork would lose")
        }
        _ => "it cannot be forked".to_owned(),
    };
    format!("started one by one, each imports the package: {why}")
}

fn types(types: &Types) -> Vec<String> {
    let mut parts = vec![
        of_type("Action", &types.action, fields::of_input),
        of_type("Observation", &types.observation, fields::of_output),
    ];
    if types.reset_observation.name != types.observation.name {
        let reset = &types.reset_observation;
        parts.push(of_type(
            "Observation after a reset",
            reset,
            fields::of_output,
        ));
    }
    parts.push(of_type("State", &types.state, fields::of_output));
    parts
}

fn of_type(role: &str, it: &Type, fields: fn(&ActionSchema) -> String) -> String {
    let schema = ActionSchema::new(it.schema.clone());
    let description = first_line(schema.description().unwrap_or_default());
    let title = format!("{}  {description}", format!("{role}: {}", it.name).bold());
    format!("{}\n{}", title.trim_end(), fields(&schema))
}

fn tools(tools: &[Tool]) -> String {
    let schemas = tools.iter().map(|tool| tool.input_schema.clone());
    let schemas: Vec<_> = schemas.map(ActionSchema::new).collect();
    let tools = tools.iter().zip(&schemas);
    fields::of_tools(tools.map(|(tool, schema)| (&*tool.name, schema, &*tool.description)))
}

fn first_line(text: &str) -> String {
    text.trim().lines().next().unwrap_or_default().to_owned()
}
