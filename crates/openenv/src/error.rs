//! The one error type, and the one table that maps it onto the wire.

use std::fmt;

use serde_json::{Map, Value, json};

use crate::tool::ToolFailure;

mod violation;

pub use violation::{Location, Violation};

/// A specialised `Result` with [`Error`] as its default error.
pub type Result<T, E = Error> = std::result::Result<T, E>;

type Source = Box<dyn std::error::Error + Send + Sync>;

/// Anything that can go wrong in an environment, a session or a server.
///
/// Environments make one with [`Error::new`], or from another error with `?`
/// (I/O, JSON, text, boxed errors) or [`Error::from_source`] (any other); the
/// server turns it into the reply that its caller's protocol asks for.
///
/// ```
/// use openenv::Error;
///
/// let error = Error::new("the board is full");
/// assert_eq!(error.to_string(), "the board is full");
/// assert!(!error.is_capacity());
/// ```
pub struct Error {
    inner: Box<Inner>,
}

struct Inner {
    kind: Kind,
    message: String,
    source: Option<Source>,
}

/// What went wrong, as far as a caller can act on it.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(
    not(all(feature = "client", feature = "server")),
    expect(dead_code, reason = "what only a server or only a client comes across")
)]
pub(crate) enum Kind {
    /// The environment reported a failure.
    Execution,
    /// The environment panicked: its session is over.
    Panic,
    /// A call took longer than it may.
    Timeout,
    /// A tool call came to nothing.
    Tool(ToolFailure),
    /// Input that does not fit its schema.
    Validation(Vec<Violation>),
    /// Text that is not JSON.
    InvalidJson,
    /// A body with more bytes than allowed.
    TooLarge,
    /// A message whose `type` nobody knows.
    UnknownType,
    /// Every slot is taken.
    Capacity { active: usize, maximum: usize },
    /// The environment could not be created.
    Factory { name: String },
    /// The session does not exist, is taken or is over.
    Session,
    /// The environment does not offer what was asked for.
    Unsupported,
    /// A task index outside its split.
    TaskIndex,
    /// A name that nothing answers to.
    NotFound,
    /// A server or client that cannot work as configured.
    Configuration,
    /// The server cannot be reached, or no longer.
    Connection,
    /// An answer that makes no sense to the client.
    Answer,
    /// An error of the server under a code that only the server knows.
    Remote { code: String },
}

impl Error {
    /// A failure inside an environment, in its own words.
    pub fn new(message: impl Into<String>) -> Self {
        Self::of(Kind::Execution, message)
    }

    /// A failure inside an environment, with the error that caused it.
    ///
    /// The text of `source` becomes the message.
    pub fn from_source(source: impl Into<Source>) -> Self {
        let source = source.into();
        let mut error = Self::new(source.to_string());
        error.inner.source = Some(source);
        error
    }

    /// An argument that makes no sense to the environment, in its own words.
    ///
    /// `argument` may be a path, as `items.1.name`. The caller learns of it as of
    /// any value that does not fit: validation error, HTTP 422.
    ///
    /// ```
    /// use openenv::Error;
    ///
    /// let error = Error::invalid("split", "there is no split `dev`");
    /// assert!(error.is_validation());
    /// assert_eq!(error.violations()[0].to_string(), "split: there is no split `dev`");
    /// ```
    pub fn invalid(argument: &str, message: impl Into<String>) -> Self {
        Self::validation(vec![Violation {
            kind: "value_error".into(),
            location: argument
                .split('.')
                .map(|step| match step.parse() {
                    Ok(index) => Location::Index(index),
                    Err(_) => Location::Field(step.to_owned()),
                })
                .collect(),
            message: message.into(),
            input: Value::Null,
            context: Map::new(),
            url: None,
        }])
    }

    /// The environment does not offer `what` (HTTP 501).
    pub fn unsupported(what: impl fmt::Display) -> Self {
        Self::of(
            Kind::Unsupported,
            format!("{what} is not supported for this environment"),
        )
    }

    /// A task index that is outside its split (HTTP 400).
    pub fn task_index() -> Self {
        Self::of(Kind::TaskIndex, "Invalid task index")
    }

    /// A name, split or id that nothing answers to (HTTP 404).
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::of(Kind::NotFound, message)
    }

    /// A server or client that cannot work as it is configured.
    pub fn configuration(message: impl Into<String>) -> Self {
        Self::of(Kind::Configuration, message)
    }

    pub(crate) fn of(kind: Kind, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.is_empty() {
            // An empty text tells a trainer nothing about what to look for.
            "failed without a message".clone_into(&mut message);
        }
        Self {
            inner: Box::new(Inner {
                kind,
                message,
                source: None,
            }),
        }
    }

    /// Input that does not fit; every violation is listed.
    pub(crate) fn validation(violations: Vec<Violation>) -> Self {
        Self::of(Kind::Validation(violations), "Invalid message")
    }

    #[cfg_attr(
        not(feature = "server"),
        expect(dead_code, reason = "what only a server comes across")
    )]
    pub(crate) fn kind(&self) -> &Kind {
        &self.inner.kind
    }

    /// Whether every slot of the server was taken.
    pub fn is_capacity(&self) -> bool {
        matches!(self.inner.kind, Kind::Capacity { .. })
    }

    /// Whether the input did not fit its schema.
    pub fn is_validation(&self) -> bool {
        matches!(self.inner.kind, Kind::Validation(_))
    }

    /// Whether a call took longer than it may.
    pub fn is_timeout(&self) -> bool {
        matches!(
            self.inner.kind,
            Kind::Timeout | Kind::Tool(ToolFailure::Timeout)
        )
    }

    /// How a tool call failed, if that is what happened.
    pub fn tool_failure(&self) -> Option<ToolFailure> {
        match self.inner.kind {
            Kind::Tool(failure) => Some(failure),
            _ => None,
        }
    }

    /// Whether the environment panicked, which ends its session.
    pub fn is_panic(&self) -> bool {
        matches!(self.inner.kind, Kind::Panic)
    }

    /// Whether the environment does not offer what was asked for.
    pub fn is_unsupported(&self) -> bool {
        matches!(self.inner.kind, Kind::Unsupported)
    }

    /// Whether the session does not exist, is taken or is over.
    pub fn is_session(&self) -> bool {
        matches!(self.inner.kind, Kind::Session)
    }

    /// Whether the server could not create the environment.
    pub fn is_factory(&self) -> bool {
        matches!(self.inner.kind, Kind::Factory { .. })
    }

    /// Whether there is no session any more, or never was: nothing more can be
    /// asked of it.
    pub fn ends_session(&self) -> bool {
        self.is_connection() || self.is_capacity() || self.is_factory() || self.is_session()
    }

    /// Whether the environment reported a failure.
    pub fn is_execution(&self) -> bool {
        matches!(self.inner.kind, Kind::Execution)
    }

    /// Whether the server cannot be reached, or no longer.
    ///
    /// What a client had in a session of its own is gone then.
    pub fn is_connection(&self) -> bool {
        matches!(self.inner.kind, Kind::Connection)
    }

    /// What does not fit, field by field; empty unless [`is_validation`](Self::is_validation).
    pub fn violations(&self) -> &[Violation] {
        match &self.inner.kind {
            Kind::Validation(violations) => violations,
            _ => &[],
        }
    }

    /// The message alone, as it travels, without the [`violations`](Self::violations)
    /// that are beside it.
    pub fn message(&self) -> &str {
        &self.inner.message
    }

    /// Code of the error frame on a WebSocket.
    ///
    /// A client that cannot reach its server says `CONNECTION_ERROR`, and
    /// `INVALID_ANSWER` to what it cannot make sense of.
    pub fn code(&self) -> &str {
        match &self.inner.kind {
            Kind::Execution
            | Kind::Panic
            | Kind::Timeout
            | Kind::Tool(_)
            | Kind::Unsupported
            | Kind::TaskIndex
            | Kind::NotFound
            | Kind::Configuration => "EXECUTION_ERROR",
            Kind::Validation(_) => "VALIDATION_ERROR",
            Kind::InvalidJson | Kind::TooLarge => "INVALID_JSON",
            Kind::UnknownType => "UNKNOWN_TYPE",
            Kind::Capacity { .. } => "CAPACITY_REACHED",
            Kind::Factory { .. } => "FACTORY_ERROR",
            Kind::Session => "SESSION_ERROR",
            Kind::Connection => "CONNECTION_ERROR",
            Kind::Answer => "INVALID_ANSWER",
            Kind::Remote { code } => code,
        }
    }

    /// Status of the HTTP answer.
    pub fn status(&self) -> u16 {
        match self.inner.kind {
            Kind::TaskIndex => 400,
            Kind::NotFound => 404,
            Kind::TooLarge => 413,
            Kind::Validation(_) | Kind::InvalidJson | Kind::UnknownType => 422,
            Kind::Unsupported => 501,
            Kind::Connection | Kind::Answer | Kind::Remote { .. } => 502,
            Kind::Capacity { .. } => 503,
            Kind::Timeout | Kind::Tool(ToolFailure::Timeout) => 504,
            Kind::Execution
            | Kind::Panic
            | Kind::Tool(_)
            | Kind::Factory { .. }
            | Kind::Session
            | Kind::Configuration => 500,
        }
    }

    /// Code of the JSON-RPC error.
    pub fn rpc_code(&self) -> i64 {
        match self.inner.kind {
            Kind::Capacity { .. } | Kind::Factory { .. } => -32000,
            Kind::InvalidJson | Kind::TooLarge => -32700,
            Kind::UnknownType => -32601,
            Kind::Validation(_) | Kind::Session | Kind::NotFound | Kind::TaskIndex => -32602,
            Kind::Execution
            | Kind::Panic
            | Kind::Timeout
            | Kind::Tool(_)
            | Kind::Unsupported
            | Kind::Configuration
            | Kind::Connection
            | Kind::Answer
            | Kind::Remote { .. } => -32603,
        }
    }

    /// The same error, with what caused it.
    pub(crate) fn because(mut self, source: impl Into<Source>) -> Self {
        self.inner.source = Some(source.into());
        self
    }

    /// The machine-readable rest of the error, besides message and code.
    #[cfg_attr(
        not(feature = "server"),
        expect(dead_code, reason = "what only a server comes across")
    )]
    pub(crate) fn details(&self) -> Map<String, Value> {
        let details = match &self.inner.kind {
            Kind::Validation(violations) => json!({ "errors": violations }),
            Kind::Capacity { active, maximum } => {
                json!({ "active_sessions": active, "max_sessions": maximum })
            }
            Kind::Factory { name } => json!({ "factory_name": name }),
            _ => return Map::new(),
        };
        match details {
            Value::Object(details) => details,
            _ => Map::new(),
        }
    }
}

/// For people as well: this is what a `main` that returns the error prints.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        for violation in self.violations() {
            write!(f, "\n  {violation}")?;
        }
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            // The message of an error made from its source says the same.
            if error.to_string() != self.inner.message {
                write!(f, "\n  caused by: {error}")?;
            }
            cause = error.source();
        }
        Ok(())
    }
}

/// The message, and on the same line all that does not fit.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.inner.message)?;
        let mut separator = ": ";
        for violation in self.violations() {
            write!(f, "{separator}{violation}")?;
            separator = "; ";
        }
        Ok(())
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.inner
            .source
            .as_ref()
            .map(|source| &**source as &(dyn std::error::Error + 'static))
    }
}

impl From<&str> for Error {
    fn from(message: &str) -> Self {
        Self::new(message)
    }
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::new(message)
    }
}

impl From<std::io::Error> for Error {
    fn from(source: std::io::Error) -> Self {
        Self::from_source(source)
    }
}

impl From<serde_json::Error> for Error {
    fn from(source: serde_json::Error) -> Self {
        Self::from_source(source)
    }
}

impl From<Source> for Error {
    fn from(source: Source) -> Self {
        Self::from_source(source)
    }
}
