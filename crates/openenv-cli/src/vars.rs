//! Every environment variable that `openenv` reads, besides those of its server.
//!
//! Each one stands in for the option of the same meaning; an option on the
//! command line wins. The names without a prefix are those that existing
//! OpenEnv images and deployments set already.

/// Environments to serve, separated by commas.
pub(crate) const ENVIRONMENTS: &str = "OPENENV_ENVIRONMENTS";

/// Python that runs environments.
pub(crate) const PYTHON: &str = "OPENENV_PYTHON";

/// Whether virtual environments are made without a network.
pub(crate) const OFFLINE: &str = "OPENENV_OFFLINE";

/// Whether the real `openenv` is installed where a virtual environment is made.
pub(crate) const FULL: &str = "OPENENV_FULL";

/// Whether workers have no network.
pub(crate) const ISOLATE: &str = "OPENENV_ISOLATE";

/// Seconds that a package may take to be imported.
pub(crate) const START_TIMEOUT: &str = "OPENENV_START_TIMEOUT";

/// Number of processes that are kept ready for the sessions of an environment.
pub(crate) const PYTHON_WORKERS: &str = "OPENENV_PYTHON_WORKERS";

/// Most sessions that share a process.
pub(crate) const SESSIONS_PER_WORKER: &str = "OPENENV_SESSIONS_PER_WORKER";

/// Seconds that a step may take, or `never`.
pub(crate) const STEP_TIMEOUT: &str = "OPENENV_STEP_TIMEOUT";

/// Size of the memory that a process may use.
pub(crate) const WORKER_MEMORY: &str = "OPENENV_WORKER_MEMORY";

/// Address of the container engine.
pub(crate) const DOCKER_HOST: &str = "DOCKER_HOST";

/// The time that what is built has, in seconds since 1970.
pub(crate) const SOURCE_DATE_EPOCH: &str = "SOURCE_DATE_EPOCH";
