//! What is launched, as a server takes it.

use openenv::python::{Interpreter, Report, Traits, Workers};
use openenv_schema::ActionSchema;
use openenv_serve::{Example, Fact, Service};

use crate::config::ServeConfig;
use crate::launch::Launched;
use crate::registry::Bundled;

/// What a server says and does with it.
pub(crate) fn of(launched: Launched, config: &ServeConfig) -> Service {
    match launched {
        Launched::Bundled(environment) => bundled(environment),
        Launched::Python(workers) => python(*workers, config),
    }
}

fn bundled(environment: &'static Bundled) -> Service {
    let service = Service::new(environment.name, environment.add)
        .description((environment.metadata)().description)
        .tools((environment.tools)() > 0);
    match serde_json::from_str(environment.example) {
        Ok(action) => service.example(Example::new(&action)),
        Err(_) => service,
    }
}

fn python(workers: Workers, config: &ServeConfig) -> Service {
    let report = workers.report().clone();
    let schema = ActionSchema::new(report.schemas.action.clone());
    let description = workers.metadata().description.clone();
    let name = workers.name().to_owned();
    let has_tools = !workers.tools().is_empty();
    let run = PythonRun {
        interpreter: workers.interpreter().clone(),
        report,
        traits: workers.traits(),
        workers: config.python.options().workers,
        sessions_per_worker: config.python.sessions_per_worker,
        unlimited: config.server.max_sessions.is_none(),
    };
    let service = Service::new(name, |builder, _| builder.python(workers))
        .description(description.lines().next().unwrap_or_default())
        .tools(has_tools)
        .facts(move |sessions| run.facts(sessions));
    match Example::simplest(&schema) {
        Some(example) => service.example(example),
        None => service,
    }
}

/// How an environment in Python is run.
#[derive(Debug)]
struct PythonRun {
    interpreter: Interpreter,
    report: Report,
    traits: Traits,
    workers: usize,
    sessions_per_worker: Option<usize>,
    /// Whether nobody said how many sessions there may be.
    unlimited: bool,
}

impl PythonRun {
    fn facts(&self, sessions: usize) -> Vec<Fact> {
        let Interpreter {
            path,
            version,
            origin,
            ..
        } = &self.interpreter;
        let framework = match &self.report {
            Report { standin: true, .. } => "the light stand-in for openenv".to_owned(),
            Report {
                openenv: Some(version),
                ..
            } => format!("openenv {version}"),
            _ => "openenv".to_owned(),
        };
        vec![
            Fact {
                label: "Python",
                fact: format!("{version} with {framework}"),
                remark: format!("{origin}: {}", path.display()),
            },
            Fact {
                label: "workers",
                fact: count(self.workers),
                remark: self.sharing(sessions),
            },
        ]
    }

    fn sharing(&self, sessions: usize) -> String {
        if self.traits.concurrent && !self.traits.single_thread {
            return match self.sessions_per_worker {
                None => "shared by all sessions".to_owned(),
                Some(1) => "each session has its own".to_owned(),
                Some(sessions) => format!("shared by up to {sessions} sessions each"),
            };
        }
        if sessions == 1 && self.unlimited {
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
