//! Driving an environment from outside: [`EnvClient`].

use std::fmt;
use std::future::poll_fn;
use std::marker::PhantomData;
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Sleep, sleep, timeout};
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::env::{ResetOptions, Step};
use crate::error::{Error, Kind, Result};

mod base_url;
mod clock;
mod connection;
mod dial;
mod endpoint;
mod keepalive;
mod pool;
mod reply;
mod request;
mod socket;
#[cfg(feature = "tls")]
mod tls;
mod together;
mod traffic;
mod types;

pub use endpoint::{Endpoint, Schemas};
pub use pool::EnvPool;
pub use reply::EpisodeState;
pub use types::{EnvTypes, Json};

use clock::after;
use connection::{Connection, Outcome};

/// How long a server has to close a session that says goodbye.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(10);

/// A session with an environment on a server, ours or any other that speaks the
/// protocol.
///
/// `T` says which types travel: those of an [`Environment`](crate::Environment),
/// declared ones ([`EnvTypes`]), or [`Json`].
///
/// ```
/// use openenv::{EnvClient, ResetOptions};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let mut env = EnvClient::<Shout>::connect(&url).await?;
/// env.reset(ResetOptions::default().with_seed(7)).await?;
/// let step = env.step(&Message { text: "hello".to_owned() }).await?;
/// assert_eq!(step.observation.text, "HELLO");
/// env.close().await
/// # }
/// ```
///
/// Headers, limits and how to attach to a session are settings of the
/// [`Endpoint`].
///
/// # Giving up on a call
///
/// A call that takes longer than
/// [`message_timeout`](Endpoint::message_timeout), or whose future is dropped,
/// leaves the session as it is. The server may still carry it out; its reply is
/// let pass, and the next call gets its own.
///
/// # Losing the connection
///
/// The server ends a session with its connection, so nothing is repeated behind
/// the caller's back: every call fails with
/// [`is_connection`](Error::is_connection) until [`reconnect`](Self::reconnect).
/// Dropping a client ends its session; [`close`](Self::close) also waits until
/// that is done.
pub struct EnvClient<T> {
    endpoint: Endpoint,
    /// The session that this client is attached to, if it does not own one.
    session_id: Option<String>,
    connection: Connection,
    /// One for all calls: to put off a timer costs less than to make one.
    timer: Pin<Box<Sleep>>,
    admission: Admission,
    types: PhantomData<fn() -> T>,
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

impl<T: EnvTypes> EnvClient<T> {
    /// Opens a session on the server at `url`, with the default settings.
    ///
    /// # Errors
    /// A connection error if there is no server. One that is full says so in the
    /// first call.
    pub async fn connect(url: &str) -> Result<Self> {
        Endpoint::new(url)?.connect().await
    }

    async fn open(endpoint: Endpoint, session_id: Option<String>) -> Result<Self> {
        Ok(Self {
            connection: endpoint.open(session_id.as_deref()).await?,
            endpoint,
            session_id,
            timer: Box::pin(sleep(Duration::ZERO)),
            admission: Admission::Unknown,
            types: PhantomData,
        })
    }

    /// Begins an episode.
    pub async fn reset(&mut self, options: ResetOptions) -> Result<Step<T::ResetObservation>> {
        self.call("reset", request::reset(&options)?, reply::step)
            .await
    }

    /// Takes one step.
    pub async fn step(&mut self, action: &T::Action) -> Result<Step<T::Observation>> {
        self.call("step", request::step(action)?, reply::step).await
    }

    /// What the episode looks like now.
    pub async fn state(&mut self) -> Result<EpisodeState<T::State>> {
        self.call("state", request::STATE.to_owned(), reply::state)
            .await
    }

    /// Ends the session and waits until the server has closed the environment.
    ///
    /// A session that this client is only attached to goes on.
    ///
    /// # Errors
    /// A timeout if the server takes longer than 10 seconds.
    pub async fn close(mut self) -> Result<()> {
        self.say_goodbye().await
    }

    /// Opens a **new** session, in place of one whose connection is lost or which
    /// is given up hereby.
    ///
    /// Nothing of the old one is in it: begin with [`reset`](Self::reset). A
    /// client that was attached to a session attaches to the same one again.
    pub async fn reconnect(&mut self) -> Result<()> {
        if self.connection.is_open() {
            // Its place may be the only one. A server that does not answer is no
            // reason to stay with it.
            let _ = self.say_goodbye().await;
        }
        self.connection = self.endpoint.open(self.session_id.as_deref()).await?;
        // The old one belongs to the runtime it was made in.
        self.timer = Box::pin(sleep(Duration::ZERO));
        self.admission = Admission::Unknown;
        Ok(())
    }

    async fn say_goodbye(&mut self) -> Result<()> {
        let closed = self.connection.close(request::CLOSE);
        timeout(CLOSE_TIMEOUT, closed).await.map_err(|_| {
            self.connection.lose("this client closed it");
            Error::of(
                Kind::Timeout,
                format!("the server did not close the session within {CLOSE_TIMEOUT:?}"),
            )
        })
    }

    /// Whether the connection stands, as far as is known.
    pub fn is_connected(&self) -> bool {
        // One that was refused is about to be closed.
        self.connection.is_open() && self.admission != Admission::Refused
    }

    /// The server that this client talks to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    async fn call<R>(
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
    fn waits_for_place<R>(&self, outcome: &Result<R>) -> bool {
        let turned_away = |error: &Error| error.is_capacity() || error.is_connection();
        self.admission == Admission::Refused
            && outcome.as_ref().is_err_and(turned_away)
            && !self.endpoint.limits().capacity_timeout.is_zero()
    }

    /// Asks again until the server has a place, or it takes too long.
    async fn wait_for_place<R>(
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
    fn conclude<R>(
        &mut self,
        what: &str,
        outcome: Option<Outcome>,
        read: impl Fn(&str) -> Result<R>,
    ) -> Result<R> {
        let concluded = match outcome {
            Some(Outcome::Reply(text)) => read(&text),
            Some(Outcome::Unasked(text)) => Err(reply::error(&text).unwrap_or_else(|| {
                let start: String = text.chars().take(200).collect();
                let loss = format!("the server sent what nobody had asked for: {start}");
                self.connection.lose(&loss);
                self.lost(&loss)
            })),
            Some(Outcome::LastWords { text, loss }) => Err(reply::error(&text)
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
        let rest = match (&self.session_id, self.admission) {
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

impl<T> fmt::Debug for EnvClient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvClient")
            .field("endpoint", &self.endpoint)
            .field("session_id", &self.session_id)
            .field("admission", &self.admission)
            .field("is_open", &self.connection.is_open())
            .finish_non_exhaustive()
    }
}
