//! What is meant: every option resolved, nothing left to check.

use std::time::Duration;

use openenv::Mode;

use crate::args::ServerArgs;
use crate::value::ControlListen;

mod log;

pub use log::LogConfig;

/// How a server serves.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Default: 127.0.0.1.
    pub host: String,
    /// 0 for any free port. Default: 8000.
    pub port: u16,
    /// Default: simulation.
    pub mode: Mode,
    /// Default: with the other routes.
    pub control: Option<ControlListen>,
    /// Default: none but the server's own.
    pub allowed_origins: Vec<String>,
    /// Of each environment. Default: what the library allows.
    pub max_sessions: Option<usize>,
    /// `None` for never. Default: 15 minutes.
    pub session_timeout: Option<Duration>,
    /// Default: zero, a full server refuses.
    pub queue_timeout: Duration,
    /// Default: 30 seconds.
    pub drain_timeout: Duration,
    /// Default: 20 seconds.
    pub keepalive_interval: Option<Duration>,
    /// Default: 20 seconds.
    pub keepalive_timeout: Duration,
    /// In bytes. Default: 100 MiB.
    pub max_message_size: usize,
    /// Default: one for each processor.
    pub workers: Option<usize>,
    /// Whether to ask a running server how it is instead. Default: no.
    pub health_check: bool,
    /// Whether standard input is the socket to serve on. Default: no.
    pub listen_stdin: bool,
    /// Whether to say where things are. Default: yes.
    pub banner: bool,
}

impl ServerConfig {
    /// `banner` says whether a person reads what is said.
    pub fn new(args: ServerArgs, banner: bool) -> Self {
        Self {
            host: args.host,
            port: args.port,
            mode: args.mode,
            control: args.control_listen,
            allowed_origins: args.allow_origin,
            max_sessions: args.max_sessions,
            session_timeout: args.session_timeout.0,
            queue_timeout: args.queue_timeout.0,
            drain_timeout: args.drain_timeout.0,
            keepalive_interval: args.keepalive_interval.0,
            keepalive_timeout: args.keepalive_timeout.0,
            max_message_size: args.max_message_size.0,
            workers: args.workers,
            health_check: args.health_check,
            listen_stdin: args.listen_stdin,
            banner,
        }
    }
}
