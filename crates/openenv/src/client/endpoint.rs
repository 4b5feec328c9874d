//! A server to talk to, and how.

use std::fmt;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use backon::{BackoffBuilder, ExponentialBuilder};
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, LOCATION, USER_AGENT};
use reqwest::redirect::Policy;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::Error as WsError;

use super::base_url::BaseUrl;
use super::connection::Connection;
use super::dial::dial;
use super::keepalive::Keepalive;
use super::{EnvClient, EnvPool, EnvTypes};
use crate::error::{Error, Kind, Result};

/// How long `GET /health` may take.
const HEALTH_TIMEOUT: Duration = Duration::from_secs(2);
const SHORTEST_CAPACITY_DELAY: Duration = Duration::from_millis(50);
const LONGEST_CAPACITY_DELAY: Duration = Duration::from_secs(5);

/// A server to talk to, and how: address, headers, limits.
///
/// The URL is that of the server (or of one environment on it, with its path):
/// `http`, `https`, `ws`, `wss` or no scheme at all.
///
/// ```
/// use std::time::Duration;
///
/// use openenv::{Endpoint, Json};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let server = Endpoint::new(&url)?
///     .header("authorization", "Bearer …")?
///     .message_timeout(Some(Duration::from_secs(600)));
/// let schemas = server.schemas().await?;
/// assert_eq!(schemas.action["required"][0], "text");
/// let mut env = server.connect::<Json>().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: BaseUrl,
    headers: HeaderMap,
    limits: Limits,
    http: Arc<OnceLock<reqwest::Client>>,
}

/// The limits of a client.
#[derive(Debug, Clone)]
pub(super) struct Limits {
    connect_timeout: Duration,
    pub(super) message_timeout: Option<Duration>,
    keepalive: Option<Keepalive>,
    pub(super) max_message_size: usize,
    pub(super) capacity_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connect_timeout: Duration::from_secs(10),
            message_timeout: Some(Duration::from_mins(1)),
            keepalive: Some(Keepalive {
                interval: Duration::from_secs(20),
                timeout: Duration::from_secs(20),
            }),
            max_message_size: 100 * 1024 * 1024,
            capacity_timeout: Duration::ZERO,
        }
    }
}

/// What an environment takes and gives, as JSON Schemas.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Schemas {
    /// What a step takes.
    pub action: Value,
    /// What a step gives.
    pub observation: Value,
    /// What the state looks like.
    pub state: Value,
}

impl Endpoint {
    /// The server at `url`, with the default settings.
    ///
    /// # Errors
    /// A configuration error if `url` is none.
    pub fn new(url: &str) -> Result<Self> {
        let mut headers = HeaderMap::new();
        let agent = concat!("openenv-rs/", env!("CARGO_PKG_VERSION"));
        headers.insert(USER_AGENT, HeaderValue::from_static(agent));
        Ok(Self {
            url: BaseUrl::parse(url)?,
            headers,
            limits: Limits::default(),
            http: Arc::default(),
        })
    }

    /// Sends a header with every request, as for a token.
    ///
    /// # Errors
    /// A configuration error if name or value cannot stand in a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self> {
        let refused = |part: &str| {
            Error::configuration(format!("the {part} of the header `{name}` cannot be sent"))
        };
        let header = HeaderName::try_from(name).map_err(|_| refused("name"))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| refused("value"))?;
        // It may be a secret: not to be seen in logs.
        value.set_sensitive(true);
        self.headers.insert(header, value);
        // One that was made before does not send it.
        self.http = Arc::default();
        Ok(self)
    }

    /// How long connecting may take. Default: 10 seconds.
    #[must_use]
    pub fn connect_timeout(mut self, limit: Duration) -> Self {
        self.limits.connect_timeout = limit;
        self.http = Arc::default();
        self
    }

    /// How long a call may take. Default: a minute; `None` for no limit.
    #[must_use]
    pub fn message_timeout(mut self, limit: Option<Duration>) -> Self {
        self.limits.message_timeout = limit;
        self
    }

    /// After how long a silence the server is pinged, and how long it then has to
    /// show a sign of life. Default: 20 seconds each; an `interval` of `None`
    /// sends no pings.
    #[must_use]
    pub fn keepalive(mut self, interval: Option<Duration>, timeout: Duration) -> Self {
        self.limits.keepalive = interval.map(|interval| Keepalive { interval, timeout });
        self
    }

    /// Bytes that a reply may have. Default: 100 MiB.
    #[must_use]
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.limits.max_message_size = bytes;
        self
    }

    /// How long a full server is waited for, with growing pauses, before its
    /// refusal is reported. Default: zero, it is reported at once.
    #[must_use]
    pub fn capacity_timeout(mut self, limit: Duration) -> Self {
        self.limits.capacity_timeout = limit;
        self
    }

    /// Opens a session.
    pub async fn connect<T: EnvTypes>(&self) -> Result<EnvClient<T>> {
        EnvClient::open(self.clone(), None).await
    }

    /// Attaches to a session that exists on the server, as one that was created
    /// over MCP. It goes on when the client leaves.
    ///
    /// # Errors
    /// A connection error; if there is no such session, the first call says so.
    pub async fn attach<T: EnvTypes>(&self, session_id: &str) -> Result<EnvClient<T>> {
        EnvClient::open(self.clone(), Some(session_id.to_owned())).await
    }

    /// Opens `sessions` sessions to be driven together.
    pub async fn connect_pool<T: EnvTypes>(&self, sessions: usize) -> Result<EnvPool<T>> {
        EnvPool::open(self, sessions).await
    }

    /// Checks that the server answers and is healthy.
    pub async fn health(&self) -> Result<()> {
        let checked = timeout(HEALTH_TIMEOUT, self.get::<Value>("/health")).await;
        let health = checked.unwrap_or_else(|_| {
            let limit = format!("{self} did not answer within {HEALTH_TIMEOUT:?}");
            Err(Error::of(Kind::Connection, limit))
        })?;
        match health["status"].as_str() {
            Some("healthy") => Ok(()),
            _ => Err(Error::of(
                Kind::Connection,
                format!("{self} is not healthy: {health}"),
            )),
        }
    }

    /// What the environment takes and gives.
    pub async fn schemas(&self) -> Result<Schemas> {
        self.get("/schema").await
    }

    /// What the environment says about itself.
    pub async fn metadata(&self) -> Result<Value> {
        self.get("/metadata").await
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The pauses between attempts to get into a full server.
    pub(super) fn capacity_delays(&self) -> impl Iterator<Item = Duration> + Send + use<> {
        ExponentialBuilder::new()
            .with_jitter()
            .with_min_delay(SHORTEST_CAPACITY_DELAY)
            .with_max_delay(LONGEST_CAPACITY_DELAY)
            .without_max_times()
            .with_total_delay(Some(self.limits.capacity_timeout))
            .build()
    }

    pub(super) async fn open(&self, route: &str, session_id: Option<&str>) -> Result<Connection> {
        let limit = self.limits.connect_timeout;
        match timeout(limit, self.try_open(route, session_id)).await {
            Ok(opened) => opened,
            Err(_) => Err(self.unreachable(&format_args!("no answer within {limit:?}"))),
        }
    }

    async fn try_open(&self, route: &str, session_id: Option<&str>) -> Result<Connection> {
        let url = self.url.websocket(route, session_id);
        let dialled = dial(&url, &self.headers, self.limits.max_message_size).await;
        let (stream, traffic) = dialled.map_err(|error| match &error {
            WsError::Http(answer) => self.unreachable(&format_args!(
                "it answered {}{} instead of opening a WebSocket",
                answer.status(),
                moved_to(answer.headers())
            )),
            WsError::Io(why) => self.unreachable(why),
            _ => self.unreachable(&error),
        })?;
        Ok(Connection::new(stream, traffic, self.limits.keepalive))
    }

    pub(crate) async fn get<R: DeserializeOwned>(&self, route: &str) -> Result<R> {
        let body = match self.limits.message_timeout {
            None => self.get_body(route).await?,
            Some(limit) => timeout(limit, self.get_body(route)).await.map_err(|_| {
                Error::of(
                    Kind::Timeout,
                    format!("{self} did not answer a request for {route} within {limit:?}"),
                )
            })??,
        };
        serde_json::from_slice(&body).map_err(|error| {
            Error::of(
                Kind::Answer,
                format!("what {self} answers at {route} could not be read: {error}"),
            )
            .because(error)
        })
    }

    async fn get_body(&self, route: &str) -> Result<Vec<u8>> {
        let failed = |error: reqwest::Error| {
            let why = root_cause(&error);
            Error::of(
                Kind::Connection,
                format!("could not get {route} from {self}: {why}"),
            )
        };
        let request = self.http()?.get(self.url.http(route));
        let mut answer = request.send().await.map_err(failed)?;
        if !answer.status().is_success() {
            let (status, moved) = (answer.status(), moved_to(answer.headers()));
            return Err(Error::of(
                Kind::Answer,
                format!("{self} answered {status}{moved} to a request for {route}"),
            ));
        }
        let mut body = Vec::new();
        while let Some(chunk) = answer.chunk().await.map_err(failed)? {
            body.extend_from_slice(&chunk);
            let limit = self.limits.max_message_size;
            if body.len() > limit {
                let message = format!("what {self} answers at {route} is over {limit} bytes");
                return Err(Error::of(Kind::Answer, message));
            }
        }
        Ok(body)
    }

    /// Made when first needed: a program that only steps does without.
    fn http(&self) -> Result<&reqwest::Client> {
        if let Some(client) = self.http.get() {
            return Ok(client);
        }
        // A connection that is kept is driven by the runtime that opened it, which
        // may be blocked or gone.
        let client = build(self.http_builder()?.pool_max_idle_per_host(0))?;
        Ok(self.http.get_or_init(|| client))
    }

    /// A client for one conversation, which keeps its connections: all of them
    /// belong to the runtime of the conversation.
    #[cfg(feature = "mcp")]
    pub(super) fn http_for_conversation(&self) -> Result<reqwest::Client> {
        build(self.http_builder()?)
    }

    fn http_builder(&self) -> Result<reqwest::ClientBuilder> {
        let builder = reqwest::Client::builder()
            .default_headers(self.headers.clone())
            .connect_timeout(self.limits.connect_timeout)
            // The WebSocket does not go through one either.
            .no_proxy()
            // Nor does it follow a redirect, which would take all headers elsewhere.
            .redirect(Policy::none());
        #[cfg(feature = "tls")]
        let builder = match super::tls::config() {
            Ok(config) => builder.tls_backend_preconfigured(config.as_ref().clone()),
            Err(error) => {
                let message = format!("could not prepare TLS: {error}");
                return Err(Error::configuration(message).because(error));
            }
        };
        Ok(builder)
    }

    #[cfg(feature = "mcp")]
    pub(super) fn url(&self) -> &BaseUrl {
        &self.url
    }

    pub(super) fn unreachable(&self, why: &dyn fmt::Display) -> Error {
        Error::of(
            Kind::Connection,
            format!("could not connect to {self}: {why}"),
        )
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}

fn build(builder: reqwest::ClientBuilder) -> Result<reqwest::Client> {
    builder
        .build()
        .map_err(|error| Error::configuration(error.to_string()).because(error))
}

/// Where an answer sends its reader, as part of a sentence.
fn moved_to(headers: &HeaderMap) -> String {
    match headers.get(LOCATION).map(HeaderValue::to_str) {
        Some(Ok(location)) => format!(" (moved to {location})"),
        _ => String::new(),
    }
}

/// Reqwest says what failed; people want to know why.
pub(crate) fn root_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => root_cause(source),
        None => error.to_string(),
    }
}
