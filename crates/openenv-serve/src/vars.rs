//! Every environment variable that a server reads.
//!
//! Each one stands in for the option of the same meaning; an option on the
//! command line wins. The names without a prefix are those that existing
//! OpenEnv images and deployments set already.

/// Host name or address to listen on.
pub const HOST: &str = "HOST";

/// Port to listen on.
pub const PORT: &str = "PORT";

/// `simulation` or `production`.
pub const MODE: &str = "OPENENV_MODE";

/// Address for the routes that control sessions, or `off`.
pub const CONTROL_LISTEN: &str = "OPENENV_CONTROL_LISTEN";

/// Origins of web pages that may call tools, separated by commas.
pub const ALLOWED_ORIGINS: &str = "OPENENV_ALLOWED_ORIGINS";

/// `auto`, `simulation`, `on` or `off`: whether there is a page at `/web`.
pub const WEB: &str = "OPENENV_WEB";

/// Whether there is a page at `/web`, if [`WEB`] does not say: what existing images set.
pub const ENABLE_WEB_INTERFACE: &str = "ENABLE_WEB_INTERFACE";

/// Name of the Hugging Face Space that the server runs in: its site shows the page in a frame.
pub const SPACE_ID: &str = "SPACE_ID";

/// Seconds that an episode stays on the page after its end, or `never`.
pub const KEEP_TIME: &str = "OPENENV_KEEP_TIME";

/// Size of the episodes that stay on the page.
pub const KEEP_SIZE: &str = "OPENENV_KEEP_SIZE";

/// Most sessions of each environment at the same time.
pub const MAX_SESSIONS: &str = "MAX_CONCURRENT_ENVS";

/// Seconds until an idle session without a socket ends, or `never`.
pub const SESSION_TIMEOUT: &str = "OPENENV_SESSION_TIMEOUT";

/// Seconds that a new session waits for a free place.
pub const QUEUE_TIMEOUT: &str = "OPENENV_QUEUE_TIMEOUT";

/// Seconds that running calls have to end when the server stops.
pub const DRAIN_TIMEOUT: &str = "OPENENV_DRAIN_TIMEOUT";

/// Seconds between two pings of a WebSocket.
pub const KEEPALIVE_INTERVAL: &str = "OPENENV_KEEPALIVE_INTERVAL";

/// Seconds to wait for the answer to a ping.
pub const KEEPALIVE_TIMEOUT: &str = "OPENENV_KEEPALIVE_TIMEOUT";

/// Size of the largest message that is accepted.
pub const MAX_MESSAGE_SIZE: &str = "OPENENV_MAX_MESSAGE_SIZE";

/// Number of threads that serve connections.
pub const WORKERS: &str = "OPENENV_WORKERS";

/// Whether not to say where things are: whoever started the server does.
pub const NO_BANNER: &str = "OPENENV_NO_BANNER";

/// Level or filter of the log.
pub const LOG: &str = "OPENENV_LOG";

/// Filter of the log, if [`LOG`] is not set: what Rust programs share.
pub const RUST_LOG: &str = "RUST_LOG";

/// `text` or `json`.
pub const LOG_FORMAT: &str = "OPENENV_LOG_FORMAT";
