//! What a server tells about its sessions.

use std::fmt;
use std::net::SocketAddr;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Serialize, Serializer};
use uuid::Uuid;

/// Name of a session. Whoever knows it can attach to the session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionId(Uuid);

impl SessionId {
    pub(crate) fn new() -> Self {
        Self(Uuid::new_v4())
    }

    pub(crate) fn parse(text: &str) -> Option<Self> {
        Uuid::try_parse(text).ok().map(Self)
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for SessionId {
    /// The first eight characters: enough to find a session in the log, not
    /// enough to attach to it.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut text = self.0.to_string();
        text.truncate(8);
        serializer.serialize_str(&text)
    }
}

/// What brought a session into being.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Origin {
    /// A WebSocket, which owns the session: it ends with the socket.
    WebSocket,
    /// `openenv/session/create`: it ends when closed or idle for too long.
    Http,
    /// A client of the Model Context Protocol: it ends when the client says so,
    /// or idle for too long.
    Mcp,
    /// One HTTP request, outside of the capacity.
    Request,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::WebSocket => "websocket",
            Self::Http => "http",
            Self::Mcp => "mcp",
            Self::Request => "request",
        })
    }
}

/// Why a session ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CloseReason {
    /// The client sent `close`.
    ClosedByClient,
    /// The connection ended.
    Disconnected,
    /// The client did not answer pings or took no replies.
    Unresponsive,
    /// The client broke the WebSocket protocol.
    ProtocolError,
    /// Somebody asked for it with `openenv/session/close`.
    Requested,
    /// Nobody used it for too long.
    Idle,
    /// The environment panicked, or a call ran out of time and cannot be stopped.
    Failed,
    /// The request that it was made for is over.
    Abandoned,
    /// The server stops.
    Shutdown,
}

impl fmt::Display for CloseReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ClosedByClient => "closed by the client",
            Self::Disconnected => "disconnected",
            Self::Unresponsive => "client unresponsive",
            Self::ProtocolError => "protocol error",
            Self::Requested => "close requested",
            Self::Idle => "idle for too long",
            Self::Failed => "environment failed",
            Self::Abandoned => "caller is gone",
            Self::Shutdown => "server shutdown",
        })
    }
}

/// One session, as [`Server::sessions`](crate::Server::sessions) shows it.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct SessionInfo {
    /// Its name; serialised, only the first eight characters.
    pub id: SessionId,
    /// Name of its environment.
    pub environment: String,
    /// What brought it into being.
    pub origin: Origin,
    /// Whether a WebSocket is connected to it now.
    pub attached: bool,
    /// Who opened it.
    pub peer: Option<SocketAddr>,
    /// Since when it exists; seconds since 1970 when serialised.
    #[serde(serialize_with = "unix_seconds")]
    pub opened_at: SystemTime,
    /// Time since the last call ended; seconds when serialised.
    #[serde(rename = "idle_seconds", serialize_with = "seconds")]
    pub idle: Duration,
    /// Whether a call is running.
    pub running: bool,
    /// Steps since it was opened.
    pub steps: u64,
    /// Calls of tools since it was opened, as steps and over MCP.
    pub tool_calls: u64,
}

/// How full an environment's server is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Capacity {
    /// Name of the environment.
    pub environment: String,
    /// Sessions that hold a slot.
    pub active: usize,
    /// Slots in all.
    pub maximum: usize,
    /// Slots that are free.
    pub free: usize,
    /// Clients in the waiting room.
    pub waiting: usize,
}

fn unix_seconds<S: Serializer>(time: &SystemTime, serializer: S) -> Result<S::Ok, S::Error> {
    seconds(
        &time.duration_since(UNIX_EPOCH).unwrap_or_default(),
        serializer,
    )
}

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(duration.as_secs_f64())
}
