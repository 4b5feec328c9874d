//! What was found, as `openenv inspect --json` prints it.

use anyhow::Result;
use openenv::python::{Interpreter, Project, Schemas, Traits, TypeNames, Workers};
use openenv::{Metadata, ToolInfo};
use serde::Serialize;
use serde_json::Value;

/// What was found.
#[derive(Debug, Serialize)]
pub(super) struct Finding<'a> {
    /// Whether `openenv serve` would serve it.
    pub(super) servable: bool,
    /// What there is to load, if there is anything.
    pub(super) project: Option<&'a Project>,
    /// The Python that runs it, unless there is none.
    pub(super) interpreter: Option<Interpreter>,
    /// What it turned out to be, if it could be imported.
    pub(super) environment: Option<Environment>,
    /// Why it cannot be served.
    pub(super) error: Option<Failed>,
}

#[derive(Debug, Serialize)]
pub(super) struct Environment {
    /// The name that it is served under.
    pub(super) name: String,
    /// Whether a light stand-in takes the place of `openenv`.
    pub(super) standin: bool,
    /// The module that makes the application.
    pub(super) module: String,
    pub(super) factory: String,
    /// Where the factory is one.
    pub(super) class: Option<String>,
    pub(super) metadata: Metadata,
    pub(super) types: Types,
    pub(super) tools: Vec<Tool>,
    /// Whether sessions may share a process, and whether they have to be on one thread.
    #[serde(flatten)]
    pub(super) traits: Traits,
    /// Sessions that the application asks for.
    pub(super) capacity: Option<usize>,
    /// Whether workers are forked from one process that has imported the package.
    pub(super) forked: bool,
    /// Threads of that process.
    pub(super) threads: Option<usize>,
    /// What one worker takes.
    pub(super) memory_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(super) struct Types {
    pub(super) action: Type,
    pub(super) observation: Type,
    pub(super) reset_observation: Type,
    pub(super) state: Type,
}

#[derive(Debug, Serialize)]
pub(super) struct Type {
    pub(super) name: String,
    pub(super) schema: Value,
}

#[derive(Debug, Serialize)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) description: String,
    pub(super) input_schema: Value,
}

#[derive(Debug, Serialize)]
pub(super) struct Failed {
    pub(super) message: String,
    /// What led to it, such as a traceback.
    causes: Vec<String>,
}

impl<'a> Finding<'a> {
    pub(super) fn new(
        project: Option<&'a Project>,
        interpreter: Option<Interpreter>,
        started: &Result<Workers>,
    ) -> Self {
        let error = match started {
            Ok(workers) => workers.fault().map(Failed::to_make),
            Err(error) => Some(Failed::to_start(error)),
        };
        Self {
            servable: error.is_none(),
            project,
            interpreter,
            environment: started.as_ref().ok().map(Environment::from),
            error,
        }
    }
}

impl From<&Workers> for Environment {
    fn from(workers: &Workers) -> Self {
        let report = workers.report().clone();
        Self {
            name: workers.name().to_owned(),
            standin: report.standin,
            module: report.module,
            factory: report.factory,
            class: report.environment,
            metadata: workers.metadata().as_ref().clone(),
            types: Types::new(report.types, report.schemas),
            tools: workers.tools().into_iter().map(Tool::from).collect(),
            traits: workers.traits(),
            capacity: report.capacity,
            forked: report.forks,
            threads: report.threads,
            memory_bytes: workers.memory(),
        }
    }
}

impl Types {
    fn new(names: TypeNames, schemas: Schemas) -> Self {
        let of = |name, schema| Type { name, schema };
        Self {
            action: of(names.action, schemas.action),
            observation: of(names.observation, schemas.observation),
            reset_observation: of(names.reset_observation, schemas.reset_observation),
            state: of(names.state, schemas.state),
        }
    }
}

impl From<ToolInfo> for Tool {
    fn from(tool: ToolInfo) -> Self {
        Self {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
        }
    }
}

impl Failed {
    fn to_start(error: &anyhow::Error) -> Self {
        Self {
            message: error.to_string(),
            causes: error.chain().skip(1).map(ToString::to_string).collect(),
        }
    }

    fn to_make(error: &openenv::Error) -> Self {
        Self {
            message: format!("no environment could be made: {error}"),
            causes: Vec::new(),
        }
    }
}
