//! What can be typed about environments in Python.

use std::path::PathBuf;

use clap::builder::{BoolishValueParser, RangedU64ValueParser};
use openenv_serve::value::{ByteSize, PositiveSeconds, SecondsOrNever};

use crate::vars;

/// Which Python runs an environment, and how it is started.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Python environments")]
pub(crate) struct InterpreterArgs {
    /// Python to run them with: a path, a name in `PATH`, or the directory of a virtual environment
    /// [default: the package's `.venv`, else the active virtual environment, else one that is made
    /// and kept]
    #[arg(long, value_name = "PATH", env = vars::PYTHON, hide_env_values = true)]
    pub(crate) python: Option<PathBuf>,

    /// Make no use of a network to make a virtual environment
    #[arg(
        long,
        env = vars::OFFLINE,
        hide_env_values = true,
        value_parser = BoolishValueParser::new()
    )]
    pub(crate) offline: bool,

    /// Where a virtual environment is made, install `openenv` with all that it requires, instead of
    /// the light stand-in that starts faster and takes less memory
    #[arg(
        long,
        env = vars::FULL,
        hide_env_values = true,
        value_parser = BoolishValueParser::new()
    )]
    pub(crate) full: bool,

    /// Give workers no network, and a temporary directory of their own
    #[arg(
        long,
        env = vars::ISOLATE,
        hide_env_values = true,
        value_parser = BoolishValueParser::new()
    )]
    pub(crate) isolate: bool,

    /// How long a package may take to be imported
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "300",
        env = vars::START_TIMEOUT,
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    pub(crate) start_timeout: PositiveSeconds,
}

/// How the sessions of an environment in Python are run.
#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Python environments")]
pub(crate) struct PythonArgs {
    #[command(flatten)]
    pub(crate) interpreter: InterpreterArgs,

    /// Processes that are kept ready for sessions; more are started where sessions need them
    /// [default: one for each processor, for a single session one]
    #[arg(
        long,
        value_name = "N",
        env = vars::PYTHON_WORKERS,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub(crate) python_workers: Option<usize>,

    /// Most sessions that share a process; an environment that is not concurrent never shares one
    /// [default: as many as there are]
    #[arg(
        long,
        value_name = "N",
        env = vars::SESSIONS_PER_WORKER,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub(crate) sessions_per_worker: Option<usize>,

    /// How long a step or tool call may take before it is ended, if need be with its process, or
    /// `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "never",
        env = vars::STEP_TIMEOUT,
        hide_env_values = true,
        allow_negative_numbers = true
    )]
    pub(crate) step_timeout: SecondsOrNever,

    /// Memory that a process may use before it is ended, as `512MiB` or `2GB` [default: no limit]
    #[arg(
        long,
        value_name = "BYTES",
        env = vars::WORKER_MEMORY,
        hide_env_values = true
    )]
    pub(crate) worker_memory: Option<ByteSize>,
}
