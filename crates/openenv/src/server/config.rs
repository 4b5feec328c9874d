//! Every limit of a server, in one place.

use std::time::Duration;

use crate::env::Mode;
use crate::server::episodes::Keep;

/// The limits of a server. [`ServerBuilder`](crate::ServerBuilder) sets them.
#[derive(Debug, Clone)]
pub(crate) struct Config {
    pub(crate) mode: Mode,
    /// Whether sessions can be controlled from where tools are called. Default: yes.
    pub(crate) control: bool,
    /// Sessions of one environment. Default: `default_sessions` if it is concurrent, else 1.
    pub(crate) max_sessions: Option<usize>,
    /// Sessions of a concurrent environment. Default: 65,536.
    pub(crate) default_sessions: usize,
    /// Idle time after which a session without a socket ends. Default: 15 minutes.
    pub(crate) session_timeout: Option<Duration>,
    /// How long a new session waits for a slot. Default: not at all.
    pub(crate) queue_timeout: Duration,
    /// How long running calls may go on after shutdown began. Default: 30 seconds.
    pub(crate) drain_timeout: Duration,
    /// How long an environment may take to close. Default: 10 seconds.
    pub(crate) close_timeout: Duration,
    /// Time between two pings to a client, `None` for no pings. Default: 20 seconds.
    pub(crate) keepalive_interval: Option<Duration>,
    /// How long a client may stay silent after a ping. Default: 20 seconds.
    pub(crate) keepalive_timeout: Duration,
    /// How long one reply may take to leave. Default: 2 minutes.
    pub(crate) send_timeout: Duration,
    /// HTTP requests that have an environment at the same time; others wait. Default: 256.
    pub(crate) max_requests: usize,
    /// Environments that are made at the same time; others wait. Default: 64.
    pub(crate) max_factories: usize,
    /// Origins of web pages that may call tools, besides the server's own.
    pub(crate) allowed_origins: Vec<String>,
    /// Bytes of one message or HTTP body. Default: 100 MiB, the limit of the Python client.
    pub(crate) max_message_size: usize,
    /// Frames that a client may send ahead of their replies. Default: 1,024.
    ///
    /// Beyond it, and beyond `max_message_size` bytes, the server stops reading
    /// until the running call is done.
    pub(crate) max_pipelined_frames: usize,
    /// Which episodes are kept to be looked at. Default: an hour, 32 MiB.
    pub(crate) keep: Keep,
    /// Whether there is a page for people. Default: no.
    #[cfg(feature = "web")]
    pub(crate) web: bool,
    /// Origins whose pages may show it in a frame. Default: none.
    #[cfg(feature = "web")]
    pub(crate) embedders: Vec<String>,
}

impl Config {
    /// Which episodes are kept, if there is a page to show them.
    pub(crate) fn kept(&self) -> Option<Keep> {
        #[cfg(feature = "web")]
        let is_shown = self.web;
        #[cfg(not(feature = "web"))]
        let is_shown = false;
        (is_shown && self.keep.bytes > 0).then_some(self.keep)
    }
}

/// Sessions of a concurrent environment that was given no limit.
pub(crate) const DEFAULT_SESSIONS: usize = 65_536;

impl Default for Config {
    fn default() -> Self {
        Self {
            mode: Mode::default(),
            control: true,
            max_sessions: None,
            default_sessions: DEFAULT_SESSIONS,
            session_timeout: Some(Duration::from_mins(15)),
            queue_timeout: Duration::ZERO,
            drain_timeout: Duration::from_secs(30),
            close_timeout: Duration::from_secs(10),
            keepalive_interval: Some(Duration::from_secs(20)),
            keepalive_timeout: Duration::from_secs(20),
            send_timeout: Duration::from_mins(2),
            max_requests: 256,
            max_factories: 64,
            allowed_origins: Vec::new(),
            max_message_size: 100 * 1024 * 1024,
            max_pipelined_frames: 1024,
            keep: Keep {
                time: Some(Duration::from_hours(1)),
                bytes: 32 * 1024 * 1024,
            },
            #[cfg(feature = "web")]
            web: false,
            #[cfg(feature = "web")]
            embedders: Vec::new(),
        }
    }
}
