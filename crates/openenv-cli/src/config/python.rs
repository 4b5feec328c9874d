//! How environments in Python are run.

use std::path::PathBuf;
use std::time::Duration;

use openenv::python::Options;

use crate::args::{InterpreterArgs, PythonArgs};

/// How environments in Python are run.
#[derive(Debug)]
pub(crate) struct PythonConfig {
    /// Default: the package's, the active, or one that is made.
    pub(crate) python: Option<PathBuf>,
    /// Default: no.
    pub(crate) offline: bool,
    /// Default: no.
    pub(crate) full: bool,
    /// Default: no.
    pub(crate) isolate: bool,
    /// Default: 5 minutes.
    pub(crate) start_timeout: Duration,
    /// Default: what the command needs.
    pub(crate) workers: Option<usize>,
    /// Default: no limit.
    pub(crate) sessions_per_worker: Option<usize>,
    /// Default: no limit.
    pub(crate) step_timeout: Option<Duration>,
    /// In bytes. Default: no limit.
    pub(crate) worker_memory: Option<u64>,
}

impl PythonConfig {
    /// The same in the words of the library.
    pub(crate) fn options(&self) -> Options {
        let mut options = Options::default();
        options.interpreter.explicit.clone_from(&self.python);
        options.interpreter.offline = self.offline;
        options.interpreter.full = self.full;
        options.isolate = self.isolate;
        options.start_timeout = self.start_timeout;
        if let Some(workers) = self.workers {
            options.workers = workers;
        }
        options.sessions_per_worker = self.sessions_per_worker;
        options.step_timeout = self.step_timeout;
        options.memory_limit = self.worker_memory;
        options
    }

    /// The same for a command that has a single session.
    pub(crate) fn for_one_session(mut self) -> Self {
        self.workers = self.workers.or(Some(1));
        self
    }
}

impl From<InterpreterArgs> for PythonConfig {
    fn from(args: InterpreterArgs) -> Self {
        Self {
            python: args.python,
            offline: args.offline,
            full: args.full,
            isolate: args.isolate,
            start_timeout: args.start_timeout.0,
            workers: None,
            sessions_per_worker: None,
            step_timeout: None,
            worker_memory: None,
        }
    }
}

impl From<PythonArgs> for PythonConfig {
    fn from(args: PythonArgs) -> Self {
        Self {
            workers: args.python_workers,
            sessions_per_worker: args.sessions_per_worker,
            step_timeout: args.step_timeout.0,
            worker_memory: args.worker_memory.map(|size| size.0 as u64),
            ..args.interpreter.into()
        }
    }
}
