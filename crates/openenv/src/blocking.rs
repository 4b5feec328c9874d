//! The client for programs without async.
//!
//! The same methods as those of [`EnvClient`](crate::EnvClient),
//! [`EnvPool`](crate::EnvPool) and [`ToolClient`](crate::ToolClient), which return
//! when they are done. They work in any
//! thread, inside of a Tokio runtime too, where they block the thread that they
//! are called on.
//!
//! ```
//! use openenv::{Json, ResetOptions, blocking::EnvClient};
//! use serde_json::json;
//! # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
//! # fn main() -> openenv::Result<()> {
//! # let url = serve();
//!
//! let mut env = EnvClient::<Json>::connect(&url)?;
//! env.reset(ResetOptions::default())?;
//! let step = env.step(&json!({"text": "hello"}))?;
//! assert_eq!(step.observation["text"], "HELLO");
//! env.close()
//! # }
//! ```
//!
//! What else is async in this crate is waited for with [`block_on`].

use std::sync::LazyLock;

use serde::Serialize;
use tokio::runtime::{Builder, Runtime};

use crate::client::{Endpoint, EnvTypes, EpisodeState};
use crate::env::{ResetOptions, Step};
use crate::error::Result;
use crate::provider::Provider;
use crate::tool::{ToolInfo, ToolObservation, ToolOutput};

/// Sockets and timers of all blocking clients. The calls themselves run on the
/// threads of their callers.
static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("openenv-blocking")
        .enable_all()
        .build()
        .expect("a thread for the blocking clients could not be started")
});

/// Waits for a future of this crate, outside or inside of a runtime.
///
/// ```
/// use openenv::{Endpoint, blocking::block_on};
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/shout.rs"));
/// # fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let schemas = block_on(Endpoint::new(&url)?.schemas())?;
/// assert_eq!(schemas.action["required"][0], "text");
/// # Ok(())
/// # }
/// ```
///
/// What a future needs must not depend on the thread that is blocked: a client
/// that was opened with async in a runtime of one thread is driven by that
/// thread, and would wait for ever.
///
/// # Panics
/// If no thread can be started.
pub fn block_on<F: Future>(future: F) -> F::Output {
    let _runtime = RUNTIME.enter();
    // The budget of a task around this would never be renewed: it waits for this call.
    pollster::block_on(tokio::task::coop::unconstrained(future))
}

/// [`EnvClient`](crate::EnvClient) without async.
#[derive(Debug)]
pub struct EnvClient<T>(crate::EnvClient<T>);

impl<T: EnvTypes> EnvClient<T> {
    /// Opens a session on the server at `url`, with the default settings.
    pub fn connect(url: &str) -> Result<Self> {
        Self::connect_to(&Endpoint::new(url)?)
    }

    /// Opens a session.
    pub fn connect_to(endpoint: &Endpoint) -> Result<Self> {
        block_on(endpoint.connect()).map(Self)
    }

    /// Starts a server and opens a session on it. The server ends with the client.
    pub fn from_provider(provider: impl Provider + 'static) -> Result<Self> {
        block_on(crate::EnvClient::from_provider(provider)).map(Self)
    }

    /// Runs an image in a container and opens a session on it. The container ends with the client.
    #[cfg(feature = "docker")]
    pub fn from_image(image: &str) -> Result<Self> {
        block_on(crate::EnvClient::from_image(image)).map(Self)
    }

    /// Attaches to a session that exists on the server.
    pub fn attach(endpoint: &Endpoint, session_id: &str) -> Result<Self> {
        block_on(endpoint.attach(session_id)).map(Self)
    }

    /// Begins an episode.
    pub fn reset(&mut self, options: ResetOptions) -> Result<Step<T::ResetObservation>> {
        block_on(self.0.reset(options))
    }

    /// Takes one step.
    pub fn step(&mut self, action: &T::Action) -> Result<Step<T::Observation>> {
        block_on(self.0.step(action))
    }

    /// What the episode looks like now.
    pub fn state(&mut self) -> Result<EpisodeState<T::State>> {
        block_on(self.0.state())
    }

    /// What can be called in the environment.
    pub fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        block_on(self.0.list_tools())
    }

    /// Calls a tool in the episode, without taking a step.
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        block_on(self.0.call_tool(name, arguments))
    }

    /// Takes a step that is a call of a tool.
    pub fn step_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<Step<ToolObservation>> {
        block_on(self.0.step_tool(name, arguments))
    }

    /// Ends the session and waits until the server has closed the environment.
    pub fn close(self) -> Result<()> {
        block_on(self.0.close())
    }

    /// Opens a **new** session, in place of one whose connection is lost.
    pub fn reconnect(&mut self) -> Result<()> {
        block_on(self.0.reconnect())
    }

    /// Whether the connection stands, as far as is known.
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    /// The server that this client talks to.
    pub fn endpoint(&self) -> &Endpoint {
        self.0.endpoint()
    }
}

/// [`EnvPool`](crate::EnvPool) without async.
#[derive(Debug)]
pub struct EnvPool<T>(crate::EnvPool<T>);

impl<T: EnvTypes> EnvPool<T> {
    /// Opens `sessions` sessions on the server at `url`, with the default settings.
    pub fn connect(url: &str, sessions: usize) -> Result<Self> {
        Self::connect_to(&Endpoint::new(url)?, sessions)
    }

    /// Opens `sessions` sessions.
    pub fn connect_to(endpoint: &Endpoint, sessions: usize) -> Result<Self> {
        block_on(endpoint.connect_pool(sessions)).map(Self)
    }

    /// How many sessions there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Begins an episode in every session, with the options made for its number.
    pub fn reset(
        &mut self,
        options: impl FnMut(usize) -> ResetOptions,
    ) -> Vec<Result<Step<T::ResetObservation>>> {
        block_on(self.0.reset(options))
    }

    /// Begins an episode in some of the sessions, in their order.
    ///
    /// # Errors
    /// A validation error if there is no such session, or it is named twice.
    pub fn reset_only(
        &mut self,
        sessions: &[usize],
        options: impl FnMut(usize) -> ResetOptions,
    ) -> Result<Vec<Result<Step<T::ResetObservation>>>> {
        block_on(self.0.reset_only(sessions, options))
    }

    /// Takes one step in every session: the first action is for the first session.
    ///
    /// # Errors
    /// A validation error if there are more or fewer actions than sessions.
    pub fn step(&mut self, actions: &[T::Action]) -> Result<Vec<Result<Step<T::Observation>>>> {
        block_on(self.0.step(actions))
    }

    /// What the episode of every session looks like now.
    pub fn state(&mut self) -> Vec<Result<EpisodeState<T::State>>> {
        block_on(self.0.state())
    }

    /// Opens a **new** session in place of every one whose connection is lost, and
    /// says which those are.
    pub fn reconnect(&mut self) -> Vec<(usize, Result<()>)> {
        block_on(self.0.reconnect())
    }

    /// Ends every session and waits until the server has closed them.
    pub fn close(self) -> Result<()> {
        block_on(self.0.close())
    }
}

/// [`ToolClient`](crate::ToolClient) without async.
#[derive(Debug)]
pub struct ToolClient(crate::ToolClient);

impl ToolClient {
    /// Opens a session for tools on the server at `url`, with the default settings.
    pub fn connect(url: &str) -> Result<Self> {
        Self::connect_to(&Endpoint::new(url)?)
    }

    /// Opens a session for tools.
    pub fn connect_to(endpoint: &Endpoint) -> Result<Self> {
        block_on(endpoint.connect_tools()).map(Self)
    }

    /// Opens a session for tools in the Model Context Protocol.
    #[cfg(feature = "mcp")]
    pub fn connect_mcp(endpoint: &Endpoint) -> Result<Self> {
        block_on(endpoint.connect_mcp()).map(Self)
    }

    /// The tools that can be called.
    pub fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        block_on(self.0.list_tools())
    }

    /// Calls a tool.
    pub fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        block_on(self.0.call_tool(name, arguments))
    }

    /// Ends the session and waits until the server has done so.
    pub fn close(self) -> Result<()> {
        block_on(self.0.close())
    }

    /// Whether the connection stands, as far as is known.
    pub fn is_connected(&self) -> bool {
        self.0.is_connected()
    }

    /// The server that this client talks to.
    pub fn endpoint(&self) -> &Endpoint {
        self.0.endpoint()
    }
}
