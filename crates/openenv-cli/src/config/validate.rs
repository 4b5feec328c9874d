//! What `openenv validate` checks.

use std::path::PathBuf;
use std::time::Duration;

use crate::args::ValidateArgs;
use crate::value::Header;

use super::PythonConfig;

/// How `openenv validate` checks.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of its own"
)]
pub(crate) struct ValidateConfig {
    /// As it was typed; what it is depends on what is there. Default: the current directory.
    pub(crate) target: Option<String>,
    /// Default: none.
    pub(crate) url: Option<String>,
    /// Default: `semantic`, for a package.
    pub(crate) level: Option<String>,
    /// Default: no.
    pub(crate) skip_build: bool,
    /// Default: no.
    pub(crate) local: bool,
    /// Default: none, the package is served on this machine.
    pub(crate) image: Option<String>,
    /// Default: what the level needs.
    pub(crate) policy: Option<String>,
    /// Default: no.
    pub(crate) json: bool,
    /// Default: none.
    pub(crate) output: Option<PathBuf>,
    /// Default: 5 seconds, for a server.
    pub(crate) timeout: Option<Duration>,
    /// Default: none.
    pub(crate) headers: Vec<Header>,
    /// How a package in Python is run.
    pub(crate) python: PythonConfig,
    /// Whether to say what takes time. Default: yes.
    pub(crate) progress: bool,
}

impl ValidateConfig {
    pub(super) fn new(args: ValidateArgs, progress: bool) -> Self {
        Self {
            target: args.target,
            url: args.url,
            level: args.level,
            skip_build: args.skip_build,
            local: args.local,
            image: args.image,
            policy: args.policy,
            json: args.json,
            output: args.output,
            timeout: args.timeout.map(|timeout| timeout.0),
            headers: args.headers,
            python: PythonConfig {
                // All sessions in one process, where they can get into each other's way.
                workers: Some(1),
                ..args.python.into()
            },
            progress,
        }
    }
}
