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
/// A server that is full for a while is waited for with
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
        let requests = (0..self.len()).map(|session| Some(request::reset(&options(session))));
        let results = self.call("reset", requests.collect(), reply::step).await;
        results.into_iter().flatten().collect()
    }

    /// Begins an episode in some of the sessions: those whose last one is over,
    /// say. The results are in the order of `sessions`.
    ///
    /// # Errors
    /// A validation error if there is no such session, or it is named twice.
    /// Nothing is sent then.
    pub async fn reset_only(
        &mut self,
        sessions: &[usize],
        mut options: impl FnMut(usize) -> ResetOptions,
    ) -> Result<Vec<Result<Step<T::ResetObservation>>>> {
        let mut requests: Vec<_> = (0..self.len()).map(|_| None).collect();
        for &session in sessions {
            let request = request::reset(&options(session));
            match requests.get_mut(session) {
                Some(place @ None) => *place = Some(request),
                Some(Some(_)) => {
                    let message = format!("session {session} is named twice");
                    return Err(Error::invalid("sessions", message));
                }
                None => {
                    let last = self.len();
                    let message = format!("there is no session {session}, only {last}, from 0");
                    return Err(Error::invalid("sessions", message));
                }
            }
        }
        let mut results = self.call("reset", requests, reply::step).await;
        Ok(sessions
            .iter()
            .filter_map(|&session| results[session].take())
            .collect())
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
        let requests = actions.iter().map(|action| Some(request::step(action)));
        let results = self.call("step", requests.collect(), reply::step).await;
        Ok(results.into_iter().flatten().collect())
    }

    /// What the episode of every session looks like now.
    pub async fn state(&mut self) -> Vec<Result<EpisodeState<T::State>>> {
        let requests = (0..self.len()).map(|_| Some(Ok(request::STATE.to_owned())));
        let results = self.call("state", requests.collect(), reply::state).await;
        results.into_iter().flatten().collect()
    }

    /// Sends the sessions their requests, those that have one, and reads the replies.
    async fn call<R>(
        &mut self,
        what: &str,
        requests: Vec<Option<Result<String>>>,
        read: impl Fn(&str) -> Result<R>,
    ) -> Vec<Option<Result<R>>> {
        let Some(first) = self.clients.first() else {
            return Vec::new();
        };
        let limit = first.session.endpoint.limits().message_timeout;
        let requests: Vec<Option<Result<Utf8Bytes>>> = requests
            .into_iter()
            .map(|request| request.map(|request| request.map(Into::into)))
            .collect();
        let asks = self.clients.iter_mut().zip(&requests);
        let asks = asks.filter_map(|(client, request)| match request {
            Some(Ok(request)) => Some(client.session.begin(request.clone())),
            _ => None,
        });
        // Without a budget: one for a task that has one socket would stop half-way.
        let together = unconstrained(Together::new(asks.collect(), limit));
        let mut outcomes = together.await.into_iter();

        let read = &read;
        let mut results = Vec::with_capacity(self.clients.len());
        let mut waiting = Vec::new();
        for (client, request) in self.clients.iter_mut().zip(requests) {
            results.push(match request {
                None => None,
                Some(Err(error)) => Some(Err(error)),
                Some(Ok(request)) => {
                    let result = client
                        .session
                        .conclude(what, outcomes.next().flatten(), read);
                    if client.session.waits_for_place(&result) {
                        waiting.push((results.len(), client, request));
                    }
                    Some(result)
                }
            });
        }
        let waited = waiting.into_iter().map(async |(number, client, request)| {
            let result = client.session.wait_for_place(what, request, read).await;
            (number, result)
        });
        for (number, result) in join_all(waited).await {
            results[number] = Some(result);
        }
        results
    }

    /// Opens a **new** session in place of every one whose connection is lost, and
    /// says which those are. They are to be reset.
    pub async fn reconnect(&mut self) -> Vec<(usize, Result<()>)> {
        let lost: Vec<_> = self
            .clients
            .iter_mut()
            .enumerate()
            .filter(|(_, client)| !client.is_connected())
            .map(|(session, client)| async move { (session, client.reconnect().await) })
            .collect();
        stream::iter(lost).buffered(OPENING).collect().await
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
