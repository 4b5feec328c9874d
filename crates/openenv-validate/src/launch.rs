//! What gets the environment of a package running, so that it can be looked at.

use std::fmt;
use std::future::ready;
use std::path::Path;

use futures_util::future::BoxFuture;
use serde_json::{Map, Value};

use crate::manifest::Execution;

/// Starts environments: the command hands one in, for a process or for a container.
pub trait Launcher: Sync {
    /// Where it runs them.
    fn place(&self) -> Place;

    /// Does what changes files of the package, such as to build it: its files are looked at afterwards.
    /// Whatever goes wrong is what is said of the start. Default: nothing.
    ///
    /// # Errors
    /// If the environment cannot be started.
    fn prepare<'a>(&'a self, _root: &'a Path) -> BoxFuture<'a, Result<(), LaunchError>> {
        Box::pin(ready(Ok(())))
    }

    /// Starts the environment of a package and waits until it answers.
    fn start<'a>(&'a self, package: Package<'a>) -> BoxFuture<'a, Result<Running, LaunchError>>;
}

/// Where an environment runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// In a process on this machine, with all that its user may do.
    Machine,
    /// In a container, within its limits.
    Container,
}

/// What is to be started.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Package<'a> {
    /// Its directory
    pub root: &'a Path,
    /// How its author wants it to be run, if that is declared
    pub execution: Option<&'a Execution>,
    /// What it may use, if that is declared
    pub limits: Option<Limits>,
    /// Whether it must not reach the network
    pub without_network: bool,
}

/// What an environment may use.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Limits {
    /// Processors
    pub cpu: f64,
    /// Memory in megabytes
    pub memory_mb: u64,
    /// Files in megabytes
    pub disk_mb: u64,
    /// Graphics processors
    pub gpus: u64,
}

/// An environment that answers.
pub struct Running {
    /// Where it answers, such as `http://127.0.0.1:8000`
    pub url: String,
    /// What is worth keeping of the start, such as the image
    pub measured: Map<String, Value>,
    /// Ends it and all that was made for it.
    pub stop: Box<dyn FnOnce() -> BoxFuture<'static, Result<(), String>> + Send>,
}

impl fmt::Debug for Running {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Running")
            .field("url", &self.url)
            .field("measured", &self.measured)
            .finish_non_exhaustive()
    }
}

/// Why an environment does not run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LaunchError {
    /// This launcher cannot do what the package needs: the checks are skipped.
    Unsupported(String),
    /// The environment is at fault: the check fails.
    Startup(String),
    /// The launcher is at fault: nothing is known of the environment.
    Launcher(String),
}
