//! A session on a socket: its calls, their limit, and whether the server let it in.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use serde::Serialize;
use tokio::time::{Sleep, sleep, timeout};
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::clock::after;
use super::connection::{Ask, Connection, Outcome};
use super::{CLOSE_TIMEOUT, Endpoint, reply, request, rpc};
use crate::error::{Error, Kind, Result};
use crate::tool::{CallTool, ToolInfo, ToolOutput};

/// One session on a server, whatever is asked of it.
pub(super) struct Session {
    pub(super) endpoint: Endpoint,
    pub(super) dialect: Dialect,
    /// The session that this client is attached to, if it does not own one.
    id: Option<String>,
    connection: Connection,
    /// One for all calls: to put off a timer costs less than to make one.
    timer: Pin<Box<Sleep>>,
    admission: Admission,
}

/// What is spoken on the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// Requests of the environment protocol.
    Environment,
    /// JSON-RPC, for tools and nothing else.
    Rpc,
}

impl Dialect {
    fn route(self) -> &'static str {
        match self {
            Self::Environment => "/ws",
            Self::Rpc => "/mcp",
        }
    }

    fn goodbye(self) -> Message {
        match self {
            Self::Environment => Message::text(request::CLOSE),
            // There is no request for it.
            Self::Rpc => Message::Close(None),
        }
    }

    /// The error that a text is about, if it is about one.
    fn error(self, text: &str) -> Option<Error> {
        match self {
            Self::Environment => reply::error(text),
            Self::Rpc => rpc::error(text),
        }
    }
}

/// What is known about whether the server has let a session in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Admission {
    /// Nothing yet: a server tells only when it refuses.
    Unknown,
    Granted,
    /// The server was full. There is nothing to lose by asking again.
    Refused,
}

impl Session {
    pub(super) async fn open(
        endpoint: Endpoint,
        dialect: Dialect,
        id: Option<String>,
    ) -> Result<Self> {
        Ok(Self {
            connection: endpoint.open(dialect.route(), id.as_deref()).await?,
            endpoint,
            dialect,
            id,
            timer: Box::pin(sleep(Duration::ZERO)),
            admission: Admission::Unknown,
        })
    }

    /// Opens a new session in place of this one.
    pub(super) async fn reconnect(&mut self) -> Result<()> {
        if self.connection.is_open() {
            // Its place may be the only one. A server that does not answer is no
            // reason to stay with it.
            let _ = self.close().await;
        }
        let route = self.dialect.route();
        self.connection = self.endpoint.open(route, self.id.as_deref()).await?;
        // The old one belongs to the runtime it was made in.
        self.timer = Box::pin(sleep(Duration::ZERO));
        self.admission = Admission::Unknown;
        Ok(())
    }

    /// Says goodbye and waits until the server has closed.
    pub(super) async fn close(&mut self) -> Result<()> {
        let closed = self.connection.close(self.dialect.goodbye());
        timeout(CLOSE_TIMEOUT, closed).await.map_err(|_| {
            self.connection.lose("this client closed it");
            not_closed()
        })
    }

    /// Whether the connection stands, as far as is known.
    pub(super) fn is_connected(&self) -> bool {
        // One that was refused is about to be closed.
        self.connection.is_open() && self.admission != Admission::Refused
    }

    pub(super) async fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        self.ask_rpc("tools/list", rpc::LIST.to_owned(), rpc::listed)
            .await
    }

    pub(super) async fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        let call = CallTool::new(name, arguments)?;
        self.ask_rpc("tools/call", rpc::call(&call), rpc::called)
            .await
    }

    async fn ask_rpc<R>(
        &mut self,
        method: &str,
        request: String,
        read: fn(&str) -> Result<R>,
    ) -> Result<R> {
        match self.dialect {
            Dialect::Rpc => self.call(method, request, read).await,
            Dialect::Environment => {
                let frame = request::mcp(&request);
                let read = |text: &str| reply::mcp(text).and_then(read);
                self.call(method, frame, read).await
            }
        }
    }

    /// A request on its way, for callers that wait for several.
    pub(super) fn begin(&mut self, request: Utf8Bytes) -> Ask<'_> {
        self.connection.ask(request)
    }

    /// Asks, and waits for a place if the server is full and may be waited for.
    pub(super) async fn call<R>(
        &mut self,
        what: &str,
        request: String,
        read: impl Fn(&str) -> Result<R>,
    ) -> Result<R> {
        if self.admission == Admission::Granted {
            return self.ask(what, request.into(), read).await;
        }
        let request = Utf8Bytes::from(request);
        let outcome = self.ask(what, request.clone(), &read).await;
        if self.waits_for_place(&outcome) {
            self.wait_for_place(what, request, read).await
        } else {
            outcome
        }
    }

    /// Whether the server is full and may be waited for.
    pub(super) fn waits_for_place<R>(&self, outcome: &Result<R>) -> bool {
        let turned_away = |error: &Error| error.is_capacity() || error.is_connection();
        self.admission == Admission::Refused
            && outcome.as_ref().is_err_and(turned_away)
            && !self.endpoint.limits().capacity_timeout.is_zero()
    }

    /// Asks again until the server has a place, or it takes too long.
    pub(super) async fn wait_for_place<R>(
        &mut self,
        what: &str,
        request: Utf8Bytes,
        read: impl Fn(&str) -> Result<R>,
    ) -> Result<R> {
        let mut delays = self.endpoint.capacity_delays();
        let mut delay = delays.next().unwrap_or_default();
        loop {
            sleep(delay).await;
            self.reconnect().await?;
            let outcome = self.ask(what, request.clone(), &read).await;
            delay = match delays.next() {
                Some(delay) if self.waits_for_place(&outcome) => delay,
                _ => return outcome,
            };
        }
    }

    async fn ask<R>(
        &mut self,
        what: &str,
        request: Utf8Bytes,
        read: impl Fn(&str) -> Result<R>,
    ) -> Result<R> {
        let mut asked = self.connection.ask(request);
        let outcome = match self.endpoint.limits().message_timeout {
            None => Some((&mut asked).await),
            Some(limit) => {
                let timer = &mut self.timer;
                timer.as_mut().reset(after(limit));
                poll_fn(|context| match Pin::new(&mut asked).poll(context) {
                    Poll::Ready(outcome) => Poll::Ready(Some(outcome)),
                    Poll::Pending => timer.as_mut().poll(context).map(|()| None),
                })
                .await
            }
        };
        drop(asked);
        self.conclude(what, outcome, read)
    }

    /// What an outcome means to the caller; none in time is one too.
    pub(super) fn conclude<R>(
        &mut self,
        what: &str,
        outcome: Option<Outcome>,
        read: impl Fn(&str) -> Result<R>,
    ) -> Result<R> {
        let concluded = match outcome {
            Some(Outcome::Reply(text)) => read(&text),
            Some(Outcome::Unasked(text)) => Err(self.dialect.error(&text).unwrap_or_else(|| {
                let start: String = text.chars().take(200).collect();
                let loss = format!("the server sent what nobody had asked for: {start}");
                self.connection.lose(&loss);
                self.lost(&loss)
            })),
            Some(Outcome::LastWords { text, loss }) => Err(self
                .dialect
                .error(&text)
                .filter(Error::ends_session)
                .unwrap_or_else(|| self.lost(&loss))),
            Some(Outcome::Lost(loss)) => Err(self.lost(&loss)),
            None => Err(self.late(what)),
        };
        self.admission = match &concluded {
            Err(error) if error.is_capacity() => Admission::Refused,
            // No word from the server itself.
            Err(error) if error.is_connection() || error.is_timeout() => self.admission,
            _ => Admission::Granted,
        };
        concluded
    }

    fn lost(&self, loss: &str) -> Error {
        let rest = match (&self.id, self.admission) {
            (None, Admission::Refused) => "it was refused before",
            (None, _) => "its session is gone with it",
            (Some(_), _) => "its session may go on",
        };
        Error::of(
            Kind::Connection,
            format!(
                "the connection to {} is lost: {loss}; {rest}",
                self.endpoint
            ),
        )
    }

    fn late(&self, what: &str) -> Error {
        let limit = self.endpoint.limits().message_timeout.unwrap_or_default();
        Error::of(
            Kind::Timeout,
            format!("no reply to `{what}` within {limit:?}; the server may still carry it out"),
        )
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("endpoint", &self.endpoint)
            .field("dialect", &self.dialect)
            .field("id", &self.id)
            .field("admission", &self.admission)
            .field("is_open", &self.connection.is_open())
            .finish_non_exhaustive()
    }
}

pub(super) fn not_closed() -> Error {
    Error::of(
        Kind::Timeout,
        format!("the server did not close the session within {CLOSE_TIMEOUT:?}"),
    )
}
