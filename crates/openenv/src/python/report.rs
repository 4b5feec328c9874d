//! What a package turned out to be once it was imported, or why it could not be.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Interpreter;
use crate::env::{Metadata, Mode};
use crate::error::{Error, Kind};
use crate::tool::compiled::Listing;

/// What a package serves.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Version of Python
    pub python: String,
    /// Version of the `openenv` that is installed for it
    pub openenv: Option<String>,
    /// Whether a light stand-in takes the place of `openenv`
    pub standin: bool,
    /// The module that makes the application
    pub module: String,
    /// The name that the application gives itself, else that of the class or function
    /// that makes its environments
    pub name: Option<String>,
    /// What makes an environment
    pub factory: String,
    /// The class of the environment, where the factory is one
    pub environment: Option<String>,
    /// Names of the types that travel
    pub types: TypeNames,
    /// Sessions that the application asks for
    pub capacity: Option<usize>,
    /// How the environment can be run, where its class is known
    pub traits: Option<Traits>,
    /// Whether workers can be forked from one process that imported the package
    pub forks: bool,
    /// Threads that the process had when it had imported the package: one that has more
    /// than its own is not forked
    #[serde(default)]
    pub threads: Option<usize>,
    /// What the types that travel look like
    pub schemas: Schemas,
}

/// Names of the types of an environment.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct TypeNames {
    /// What a client sends
    pub action: String,
    /// What it gets back
    pub observation: String,
    /// What it may look at besides
    pub state: String,
    /// What it gets after a reset
    pub reset_observation: String,
}

/// How an environment can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Traits {
    /// Whether several sessions may share a process
    pub concurrent: bool,
    /// Whether all sessions of a process have to be on one thread
    pub single_thread: bool,
}

/// The types of an environment, as JSON Schemas that pydantic wrote.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Schemas {
    /// What a client sends
    pub action: Value,
    /// What it gets back
    pub observation: Value,
    /// What it may look at besides
    pub state: Value,
    /// What it gets after a reset
    pub reset_observation: Value,
}

/// What only an environment that exists can tell.
#[derive(Debug, Deserialize)]
pub(super) struct About {
    pub(super) environment: String,
    pub(super) traits: Traits,
    #[serde(default)]
    pub(super) metadata: Option<Metadata>,
    #[serde(default)]
    pub(super) tools: Vec<ListedTool>,
}

/// A tool as a worker lists it.
#[derive(Debug, Deserialize)]
pub(super) struct ListedTool {
    name: String,
    #[serde(default)]
    title: Option<String>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "inputSchema")]
    input_schema: Option<Value>,
    #[serde(default, rename = "outputSchema")]
    output_schema: Option<Value>,
    #[serde(default)]
    annotations: Value,
    #[serde(default)]
    meta: Value,
    #[serde(default)]
    mode: Option<String>,
}

impl From<ListedTool> for Listing {
    fn from(tool: ListedTool) -> Self {
        Self {
            name: tool.name,
            title: tool.title,
            // Clients of OpenEnv lose all tools if one has none.
            description: tool.description.unwrap_or_default(),
            input_schema: tool
                .input_schema
                .unwrap_or_else(|| serde_json::json!({ "type": "object" })),
            output_schema: tool.output_schema,
            annotations: tool.annotations,
            meta: tool.meta,
            mode: tool.mode.and_then(|mode| mode.parse::<Mode>().ok()),
            timeout: None,
        }
    }
}

/// Why there is nothing to serve.
#[derive(Debug, Deserialize)]
pub(super) struct LoadFailure {
    kind: FailureKind,
    message: String,
    #[serde(default)]
    module: Option<String>,
    /// The file of the package and its line
    #[serde(default)]
    r#where: Option<String>,
    #[serde(default)]
    traceback: Option<String>,
    /// Modules that make no server
    #[serde(default)]
    tried: Vec<String>,
    /// What seems to be an environment in them
    #[serde(default)]
    objects: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FailureKind {
    /// A module is not installed.
    Missing,
    /// Importing it raised something.
    Import,
    /// No module makes a server.
    Nothing,
    /// The types are not said.
    Types,
    /// The stand-in lacks what the package uses.
    Standin,
    /// The system does not allow namespaces.
    Isolation,
}

impl LoadFailure {
    /// Whether the real `openenv` would do where the stand-in does not.
    pub(super) fn wants_the_real_package(&self) -> bool {
        self.kind == FailureKind::Standin
    }

    /// Where in the package it failed, if that is known.
    fn place(&self, before: &str, after: &str) -> String {
        match &self.r#where {
            Some(place) => format!("{before}{place}{after}"),
            None => String::new(),
        }
    }

    /// The failure in words, with what to do about it.
    pub(super) fn explain(self, name: &str, interpreter: &Interpreter) -> Error {
        let python = interpreter.path.display();
        let Self { message, .. } = &self;
        let text = match self.kind {
            FailureKind::Missing => {
                let module = self.module.as_deref().unwrap_or("?");
                let package = module.split('.').next().unwrap_or(module);
                let place = self.place(" (", ")");
                format!(
                    "`{name}` needs the Python module `{module}`{place}, which is not installed for \
                     {python}: add it to the dependencies of the package, or install it with \
                     `{python} -m pip install {package}`"
                )
            }
            FailureKind::Import => {
                let place = self.place(" at ", "");
                format!("importing `{name}` failed{place}: {message}")
            }
            FailureKind::Nothing if self.tried.is_empty() => {
                format!("`{name}` cannot be served: {message}")
            }
            FailureKind::Nothing => format!(
                "`{name}` makes no server: none of its modules calls `create_app` \
                 (tried: {}); name its class to serve it as it is, as `{}`",
                self.tried.join("; "),
                self.objects.first().map_or("module:Class", String::as_str),
            ),
            FailureKind::Types => format!("`{name}` cannot be served: {message}"),
            FailureKind::Standin => format!(
                "`{name}` uses more of `openenv` than its light stand-in has ({message}): install \
                 the real one with `{python} -m pip install openenv`"
            ),
            FailureKind::Isolation => format!(
                "workers cannot be isolated here: {message}; it takes root, or a system that lets \
                 users make namespaces (`sysctl kernel.unprivileged_userns_clone`, and a container \
                 needs `--security-opt seccomp=unconfined` or `--privileged`)"
            ),
        };
        let error = Error::of(Kind::Configuration, text);
        match self.traceback {
            Some(traceback) => error.because(traceback.trim_end().to_owned()),
            None => error,
        }
    }
}
