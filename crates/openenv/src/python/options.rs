//! How the workers of a package are run.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::thread;
use std::time::Duration;

use super::InterpreterOptions;

/// How the workers of a package are run.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Options {
    /// Which Python runs them.
    pub interpreter: InterpreterOptions,
    /// The name to serve the environment under. Default: the one it gives itself, else
    /// that of its class.
    pub name: Option<String>,
    /// Environment variables that the workers have besides those of this process.
    /// Default: none.
    pub variables: BTreeMap<String, String>,
    /// Workers that are there before the first session is. Default: one for each
    /// processor.
    ///
    /// More are started where sessions need them.
    pub workers: usize,
    /// Sessions that share a worker. Default: as many as there are.
    ///
    /// An environment that does not declare itself concurrent never shares one.
    pub sessions_per_worker: Option<usize>,
    /// How long one step or tool call may take. Default: no limit.
    ///
    /// What takes longer is ended, if need be with its worker.
    pub step_timeout: Option<Duration>,
    /// Bytes of memory that one worker may have in use. Default: no limit.
    pub memory_limit: Option<u64>,
    /// How long a worker may take to import the package. Default: 5 minutes.
    pub start_timeout: Duration,
    /// Whether workers have no network, and a temporary directory of their own.
    /// Default: no.
    pub isolate: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            interpreter: InterpreterOptions::default(),
            name: None,
            variables: BTreeMap::new(),
            workers: thread::available_parallelism().map_or(1, NonZeroUsize::get),
            sessions_per_worker: None,
            step_timeout: None,
            memory_limit: None,
            start_timeout: Duration::from_mins(5),
            isolate: false,
        }
    }
}
