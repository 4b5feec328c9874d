//! What the banner says of one environment.

use openenv::python::{Interpreter, Report, Traits, Workers};
use serde_json::Value;

use crate::config::ServeConfig;
use crate::launch::Launched;
use crate::registry::Bundled;
use openenv_schema::{self as schema, ActionSchema};

const IN_JSON: [&str; 3] = ["null", "true", "false"];
const IN_PYTHON: [&str; 3] = ["None", "True", "False"];

/// An environment of a running server.
#[derive(Debug)]
pub(crate) struct Served {
    pub(crate) name: String,
    pub(super) description: String,
    pub(super) has_tools: bool,
    /// An action to try.
    pub(super) example: Option<Example>,
    /// Most sessions at the same time; 0 as long as that is not known.
    pub(crate) sessions: usize,
    python: Option<Python>,
}

/// An action, as two languages write it.
#[derive(Debug)]
pub(super) struct Example {
    pub(super) json: String,
    pub(super) python: String,
}

/// How an environment in Python is run.
#[derive(Debug)]
struct Python {
    interpreter: Interpreter,
    report: Report,
    traits: Traits,
}

impl Served {
    pub(crate) fn of(launched: &Launched) -> Self {
        match launched {
            Launched::Bundled(environment) => Self::bundled(environment),
            Launched::Python(workers) => Self::python(workers),
        }
    }

    fn bundled(environment: &Bundled) -> Self {
        Self {
            name: environment.name.to_owned(),
            description: (environment.metadata)().description,
            has_tools: (environment.tools)() > 0,
            example: Some(Example {
                json: environment.example.to_owned(),
                python: environment.example.to_owned(),
            }),
            sessions: 0,
            python: None,
        }
    }

    fn python(workers: &Workers) -> Self {
        let report = workers.report();
        let schema = ActionSchema::new(report.schemas.action.clone());
        let description = workers.metadata().description.clone();
        Self {
            name: workers.name().to_owned(),
            description: description.lines().next().unwrap_or_default().to_owned(),
            has_tools: !workers.tools().is_empty(),
            example: schema::simplest(&schema).ok().map(|action| Example {
                json: written(&action, IN_JSON),
                python: written(&action, IN_PYTHON),
            }),
            sessions: 0,
            python: Some(Python {
                interpreter: workers.interpreter().clone(),
                report: report.clone(),
                traits: workers.traits(),
            }),
        }
    }

    /// What it runs on, if that is worth telling: label, fact and remark.
    pub(super) fn runs_on(&self, config: &ServeConfig) -> Vec<(&'static str, String, String)> {
        let Some(python) = &self.python else {
            return Vec::new();
        };
        let Interpreter {
            path,
            version,
            origin,
            ..
        } = &python.interpreter;
        let framework = match &python.report {
            Report { standin: true, .. } => "the light stand-in for openenv".to_owned(),
            Report {
                openenv: Some(version),
                ..
            } => format!("openenv {version}"),
            _ => "openenv".to_owned(),
        };
        vec![
            (
                "Python",
                format!("{version} with {framework}"),
                format!("{origin}: {}", path.display()),
            ),
            (
                "workers",
                count(config.python.options().workers),
                self.sharing(python.traits, config),
            ),
        ]
    }

    fn sharing(&self, traits: Traits, config: &ServeConfig) -> String {
        if traits.concurrent && !traits.single_thread {
            return match config.python.sessions_per_worker {
                None => "shared by all sessions".to_owned(),
                Some(1) => "each session has its own".to_owned(),
                Some(sessions) => format!("shared by up to {sessions} sessions each"),
            };
        }
        if self.sessions == 1 && config.max_sessions.is_none() {
            return "one session at a time unless `--max-sessions N`, each in a process of its own"
                .to_owned();
        }
        "each session has its own".to_owned()
    }
}

fn count(workers: usize) -> String {
    match workers {
        1 => "1 process".to_owned(),
        _ => format!("{workers} processes"),
    }
}

/// A value with the words of a language for nothing, true and false.
fn written(value: &Value, words: [&str; 3]) -> String {
    let [nothing, yes, no] = words;
    match value {
        Value::Null => nothing.to_owned(),
        Value::Bool(true) => yes.to_owned(),
        Value::Bool(false) => no.to_owned(),
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items = items.iter().map(|item| written(item, words));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(&**name), written(value, words))
            };
            let fields = fields.iter().map(field);
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let value = json!({ "a": [true, null, 1.5], "b": { "c": "\"ü" } });
        let expected = r#"{"a": [True, None, 1.5], "b": {"c": "\"ü"}}"#;
        assert_eq!(written(&value, IN_PYTHON), expected);
    }
}
