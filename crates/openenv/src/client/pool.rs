//! Many sessions, driven together.

use std::fmt;

use futures_util::future::join_all;
use futures_util::stream::{self, StreamExt, TryStreamExt};

use tokio::task::coop::unconstrained;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use super::together::Together;
use super::{Endpoint, EnvClient, EnvTypes, EpisodeState, reply, request};
use crate::env::{ResetOptions, Step};
use crate::error::{Error, Result};

/// How many sessions are opened at the same time.
const OPENING: usize = 64;

/// Sessions that are driven together, for training on many episodes at once.
///
/// Requests go out together, results come back in the order of the sessions. A
/// session that fails says so in its own place; the others go on.
///
/// ```
/// use openenv::{EnvPool, Json, ResetOptions};
/// use serde_json::json;
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let mut pool = EnvPool::<Json>::connect(&url, 64).await?;
/// pool.reset(|session| ResetOptions::default().with_seed(session as u64)).await;
/// let actions = vec![json!({"text": "hello"}); pool.len()];
/// for (session, outcome) in pool.step(&actions).await?.into_iter().enumerate() {
///     match outcome {
///         Ok(step) => println!("{session}: {:?}", step.reward),
///         Err(error) => println!("{session} failed: {error}"),
///     }
/// }
/// # Ok(())
/// # }
/// ```
///
/// A server with fewer places than the pool has sessions is waited for with
/// [`Endpoint::capacity_timeout`].
pub struct EnvPool<T> {
    clients: Vec<EnvClient<T>>,
}

impl<T: EnvTypes> EnvPool<T> {
    /// Opens `sessions` sessions on the server at `url`, with the default settings.
    pub async fn connect(url: &str, sessions: usize) -> Result<Self> {
        Endpoint::new(url)?.connect_pool(sessions).await
    }

    pub(super) async fn open(endpoint: &Endpoint, sessions: usize) -> Result<Self> {
        let clients = stream::iter(0..sessions)
            .map(|_| endpoint.connect())
            .buffered(OPENING)
            .try_collect()
            .await?;
        Ok(Self { clients })
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.clients.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.clients.is_empty()
    }

    /// The sessions, in order.
    pub fn sessions(&self) -> &[EnvClient<T>] {
        &self.clients
    }

    /// The sessions, to drive one by itself: to reset the one whose episode is
    /// over, say.
    pub fn sessions_mut(&mut self) -> &mut [EnvClient<T>] {
        &mut self.clients
    }

    /// Begins an episode in every session, with the options made for its number.
    pub async fn reset(
        &mut self,
        mut options: impl FnMut(usize) -> ResetOptions,
    ) -> Vec<Result<Step<T::ResetObservation>>> {
        let requests = (0..self.len()).map(|session| request::reset(&options(session)));
        self.call("reset", requests.collect(), reply::step).await
    }

    /// Takes one step in every session: the first action is for the first session.
    ///
    /// # Errors
    /// A validation error if there are more or fewer actions than sessions.
    /// Nothing is sent then.
    pub async fn step(
        &mut self,
        actions: &[T::Action],
    ) -> Result<Vec<Result<Step<T::Observation>>>> {
        if actions.len() != self.len() {
            let (actions, sessions) = (actions.len(), self.len());
            return Err(Error::invalid(
                "actions",
                format!("there are {actions} actions for {sessions} sessions"),
            ));
        }
        let requests = actions.iter().map(request::step).collect();
        Ok(self.call("step", requests, reply::step).await)
    }

    /// What the episode of every session looks like now.
    pub async fn state(&mut self) -> Vec<Result<EpisodeState<T::State>>> {
        let requests = (0..self.len()).map(|_| Ok(request::STATE.to_owned()));
        self.call("state", requests.collect(), reply::state).await
    }

    /// Sends every session its request, and reads the replies.
    async fn call<R>(
        &mut self,
        what: &str,
        requests: Vec<Result<String>>,
        read: impl Fn(&str) -> Result<R>,
    ) -> Vec<Result<R>> {
        let Some(first) = self.clients.first() else {
            return Vec::new();
        };
        let limit = first.endpoint.limits().message_timeout;
        let requests: Vec<Result<Utf8Bytes>> = requests
            .into_iter()
            .map(|request| request.map(Into::into))
            .collect();
        let asks = self.clients.iter_mut().zip(&requests);
        let asks = asks.filter_map(|(client, request)| {
            let request = request.as_ref().ok()?.clone();
            Some(client.connection.ask(request))
        });
        // Without a budget: one for a task that has one socket would stop half-way.
        let together = unconstrained(Together::new(asks.collect(), limit));
        let mut outcomes = together.await.into_iter();

        let read = &read;
        let mut results = Vec::with_capacity(self.clients.len());
        let mut waiting = Vec::new();
        for (client, request) in self.clients.iter_mut().zip(requests) {
            // Those that could not be sent have no outcome.
            let (request, result) = match request {
                Ok(request) => {
                    let outcome = outcomes.next().flatten();
                    (request, client.conclude(what, outcome, read))
                }
                Err(error) => (Utf8Bytes::default(), Err(error)),
            };
            if client.waits_for_place(&result) {
                waiting.push((results.len(), client, request));
            }
            results.push(result);
        }
        let waited = waiting.into_iter().map(async |(number, client, request)| {
            let result = client.wait_for_place(what, request, read).await;
            (number, result)
        });
        for (number, result) in join_all(waited).await {
            results[number] = result;
        }
        results
    }

    /// Opens a **new** session in place of every one whose connection is lost, and
    /// says which those are. They are to be reset.
    pub async fn reconnect(&mut self) -> Vec<(usize, Result<()>)> {
        let lost = self
            .clients
            .iter_mut()
            .enumerate()
            .filter(|(_, client)| !client.is_connected())
            .map(|(session, client)| async move { (session, client.reconnect().await) });
        join_all(lost).await
    }

    /// Ends every session and waits until the server has closed them.
    ///
    /// # Errors
    /// The first error, after all have been closed.
    pub async fn close(self) -> Result<()> {
        let closed = self.clients.into_iter().map(EnvClient::close);
        join_all(closed).await.into_iter().collect()
    }
}

impl<T> fmt::Debug for EnvPool<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnvPool")
            .field("sessions", &self.clients.len())
            .finish_non_exhaustive()
    }
}
