//! Every environment variable that `openenv` reads.
//!
//! Each one stands in for the option of the same meaning; an option on the
//! command line wins. The names without a prefix are those that existing
//! OpenEnv images and deployments set already.

/// Host name or address to listen on.
pub(crate) const HOST: &str = "HOST";

/// Port to listen on.
pub(crate) const PORT: &str = "PORT";

/// `simulation` or `production`.
pub(crate) const MODE: &str = "OPENENV_MODE";

/// Address for the routes that control sessions, or `off`.
pub(crate) const CONTROL_LISTEN: &str = "OPENENV_CONTROL_LISTEN";

/// Origins of web pages that may call tools, separated by commas.
pub(crate) const ALLOWED_ORIGINS: &str = "OPENENV_ALLOWED_ORIGINS";

/// Most sessions of each environment at the same time.
pub(crate) const MAX_SESSIONS: &str = "MAX_CONCURRENT_ENVS";

/// Environments to serve, separated by commas.
pub(crate) const ENVIRONMENTS: &str = "OPENENV_ENVIRONMENTS";

/// Seconds until an idle session without a socket ends, or `never`.
pub(crate) const SESSION_TIMEOUT: &str = "OPENENV_SESSION_TIMEOUT";

/// Seconds that a new session waits for a free place.
pub(crate) const QUEUE_TIMEOUT: &str = "OPENENV_QUEUE_TIMEOUT";

/// Seconds that running calls have to end when the server stops.
pub(crate) const DRAIN_TIMEOUT: &str = "OPENENV_DRAIN_TIMEOUT";

/// Seconds between two pings of a WebSocket.
pub(crate) const KEEPALIVE_INTERVAL: &str = "OPENENV_KEEPALIVE_INTERVAL";

/// Seconds to wait for the answer to a ping.
pub(crate) const KEEPALIVE_TIMEOUT: &str = "OPENENV_KEEPALIVE_TIMEOUT";

/// Size of the largest message that is accepted.
pub(crate) const MAX_MESSAGE_SIZE: &str = "OPENENV_MAX_MESSAGE_SIZE";

/// Number of threads that serve connections.
pub(crate) const WORKERS: &str = "OPENENV_WORKERS";

/// Level or filter of the log.
pub(crate) const LOG: &str = "OPENENV_LOG";

/// Filter of the log, if [`LOG`] is not set: what Rust programs share.
pub(crate) const RUST_LOG: &str = "RUST_LOG";

/// `text` or `json`.
pub(crate) const LOG_FORMAT: &str = "OPENENV_LOG_FORMAT";

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
