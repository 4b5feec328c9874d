//! Driving an environment from outside: [`EnvClient`].

use std::fmt;
use std::marker::PhantomData;
use std::time::Duration;

use serde::Serialize;

use crate::env::{ResetOptions, Step};
use crate::error::Result;
use crate::provider::Provider;
use crate::tool::{CallTool, ToolInfo, ToolObservation, ToolOutput};

mod base_url;
mod clock;
mod connection;
mod dial;
mod endpoint;
mod keepalive;
mod own_server;
mod pool;
mod reply;
mod request;
mod rpc;
mod session;
mod socket;
#[cfg(feature = "mcp")]
mod standard;
#[cfg(feature = "tls")]
mod tls;
mod together;
mod tool_client;
mod traffic;
mod types;

#[cfg(feature = "docker")]
pub(crate) use endpoint::root_cause;
pub use endpoint::{Endpoint, Schemas};
pub use pool::EnvPool;
pub use reply::EpisodeState;
pub use tool_client::ToolClient;
pub use types::{EnvTypes, Json};

use own_server::OwnServer;
use session::{Dialect, Session};

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
/// [`is_connection`](crate::Error::is_connection) until [`reconnect`](Self::reconnect).
/// Dropping a client ends its session; [`close`](Self::close) also waits until
/// that is done.
pub struct EnvClient<T> {
    session: Session,
    /// Dropped after the session that is on it.
    server: Option<OwnServer>,
    types: PhantomData<fn() -> T>,
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
            session: Session::open(endpoint, Dialect::Environment, session_id).await?,
            server: None,
            types: PhantomData,
        })
    }

    /// Starts a server and opens a session on it. The server ends with the client.
    ///
    /// ```no_run
    /// # async fn example() -> openenv::Result<()> {
    /// use openenv::provider::Process;
    /// use openenv::{EnvClient, Json, ResetOptions};
    ///
    /// let server = Process::new("openenv").args(["serve", "echo", "--port", "{port}"]);
    /// let mut env = EnvClient::<Json>::from_provider(server).await?;
    /// env.reset(ResetOptions::default()).await?;
    /// env.close().await
    /// # }
    /// ```
    ///
    /// [`close`](Self::close) stops the server; to drop the client drops the provider, which
    /// leaves nothing running either.
    pub async fn from_provider(provider: impl Provider + 'static) -> Result<Self> {
        let (server, endpoint) = OwnServer::start(provider).await?;
        match endpoint.connect().await {
            Ok(client) => Ok(Self {
                server: Some(server),
                ..client
            }),
            Err(error) => {
                // Whether it could be stopped is the smaller trouble.
                let _ = server.stop().await;
                Err(error)
            }
        }
    }

    /// Runs an image in a container and opens a session on it. The container ends with the client.
    ///
    /// Variables, limits and all else are settings of [`Docker`](crate::provider::Docker), which
    /// [`from_provider`](Self::from_provider) takes.
    ///
    /// ```no_run
    /// # async fn example() -> openenv::Result<()> {
    /// use openenv::{EnvClient, Json, ResetOptions};
    ///
    /// let mut env = EnvClient::<Json>::from_image("my-env:latest").await?;
    /// env.reset(ResetOptions::default()).await?;
    /// env.close().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the engine has no such image, or there is no engine.
    #[cfg(feature = "docker")]
    pub async fn from_image(image: &str) -> Result<Self> {
        Self::from_provider(crate::provider::Docker::image(image)).await
    }

    /// Begins an episode.
    pub async fn reset(&mut self, options: ResetOptions) -> Result<Step<T::ResetObservation>> {
        self.session
            .call("reset", request::reset(&options)?, reply::step)
            .await
    }

    /// Takes one step.
    pub async fn step(&mut self, action: &T::Action) -> Result<Step<T::Observation>> {
        self.session
            .call("step", request::step(action)?, reply::step)
            .await
    }

    /// What the episode looks like now.
    pub async fn state(&mut self) -> Result<EpisodeState<T::State>> {
        self.session
            .call("state", request::STATE.to_owned(), reply::state)
            .await
    }

    /// What can be called in the environment.
    ///
    /// # Errors
    /// [`is_unsupported`](crate::Error::is_unsupported) if it has no tools.
    pub async fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        self.session.list_tools().await
    }

    /// Calls a tool in the episode, without taking a step: there is no reward, and
    /// nothing is counted. `arguments` is an object, or `()` for none.
    ///
    /// # Errors
    /// If the call fails, [`tool_failure`](crate::Error::tool_failure) says how.
    pub async fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        self.session.call_tool(name, arguments).await
    }

    /// Takes a step that is a call of a tool, with reward and ending as of any step.
    ///
    /// A call that fails is a step too:
    /// [`ToolObservation::output`](crate::ToolObservation::output) says how.
    pub async fn step_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<Step<ToolObservation>> {
        let action = CallTool::new(name, arguments)?;
        self.session
            .call("step", request::step(&action)?, reply::step)
            .await
    }

    /// Ends the session and waits until the server has closed the environment. A
    /// server that was started for this client is stopped.
    ///
    /// A session that this client is only attached to goes on.
    ///
    /// # Errors
    /// A timeout if the server takes longer than 10 seconds.
    pub async fn close(mut self) -> Result<()> {
        let closed = self.session.close().await;
        match self.server {
            Some(server) => closed.and(server.stop().await),
            None => closed,
        }
    }

    /// Opens a **new** session, in place of one whose connection is lost or which
    /// is given up hereby.
    ///
    /// Nothing of the old one is in it: begin with [`reset`](Self::reset). A
    /// client that was attached to a session attaches to the same one again.
    pub async fn reconnect(&mut self) -> Result<()> {
        self.session.reconnect().await
    }

    /// Whether the connection stands, as far as is known.
    pub fn is_connected(&self) -> bool {
        self.session.is_connected()
    }

    /// The server that this client talks to.
    pub fn endpoint(&self) -> &Endpoint {
        &self.session.endpoint
    }
}

impl<T> fmt::Debug for EnvClient<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("EnvClient").field(&self.session).finish()
    }
}
