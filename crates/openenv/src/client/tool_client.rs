//! Tools for agents: [`ToolClient`].

use std::fmt;

use serde::Serialize;

use super::Endpoint;
use super::session::{Dialect, Session};
#[cfg(feature = "mcp")]
use super::standard::Conversation;
use crate::error::Result;
use crate::tool::{ToolInfo, ToolOutput};

/// A session with the tools of an environment, for agents that do nothing else.
///
/// It is opened with [`Endpoint::connect_tools`], or with `Endpoint::connect_mcp`
/// on any server that speaks the Model Context Protocol.
///
/// ```
/// use openenv::{Endpoint, ToolFailure};
/// use serde_json::json;
/// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/dice.rs"));
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> openenv::Result<()> {
/// # let url = serve();
///
/// let mut tools = Endpoint::new(&url)?.connect_tools().await?;
/// for tool in tools.list_tools().await? {
///     println!("{}: {}", tool.name, tool.description);
/// }
/// let output = tools.call_tool("roll", &json!({"sides": 6})).await?;
/// assert!(output.read::<u32>()? <= 6);
///
/// let error = tools.call_tool("roll", &json!({"sides": 0})).await.unwrap_err();
/// assert_eq!(error.tool_failure(), Some(ToolFailure::InvalidArguments));
/// tools.close().await
/// # }
/// ```
///
/// The session ends with the client; [`close`](Self::close) also waits until that
/// is done. A trainer's tool calls belong to an episode: those are made with
/// [`EnvClient::call_tool`](crate::EnvClient::call_tool) and
/// [`EnvClient::step_tool`](crate::EnvClient::step_tool).
pub struct ToolClient(Inner);

enum Inner {
    Plain(Session),
    #[cfg(feature = "mcp")]
    Standard(Conversation),
}

impl Endpoint {
    /// Opens a session for tools, on a WebSocket at `/mcp`.
    ///
    /// # Errors
    /// A connection error if there is no server. One that is full says so in the
    /// first call.
    pub async fn connect_tools(&self) -> Result<ToolClient> {
        let session = Session::open(self.clone(), Dialect::Rpc, None).await?;
        Ok(ToolClient(Inner::Plain(session)))
    }

    /// Opens a session for tools in the Model Context Protocol, over HTTP at `/mcp`.
    ///
    /// For servers that do not speak the dialect of
    /// [`connect_tools`](Self::connect_tools), which costs less for each call. The
    /// server may end the session when it is not used for long.
    ///
    /// ```
    /// use openenv::Endpoint;
    /// use serde_json::json;
    /// # include!(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/doc/dice.rs"));
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> openenv::Result<()> {
    /// # let url = serve();
    ///
    /// let mut tools = Endpoint::new(&url)?.connect_mcp().await?;
    /// let output = tools.call_tool("roll", &json!({"sides": 6})).await?;
    /// assert!(output.read::<u32>()? <= 6);
    /// tools.close().await
    /// # }
    /// ```
    ///
    /// # Errors
    /// A connection error if there is no such server, a capacity error if it is full.
    #[cfg(feature = "mcp")]
    pub async fn connect_mcp(&self) -> Result<ToolClient> {
        let conversation = Conversation::open(self.clone()).await?;
        Ok(ToolClient(Inner::Standard(conversation)))
    }
}

impl ToolClient {
    /// The tools that can be called.
    ///
    /// # Errors
    /// [`is_unsupported`](crate::Error::is_unsupported) if the environment has none.
    pub async fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        match &mut self.0 {
            Inner::Plain(session) => session.list_tools().await,
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => conversation.list_tools().await,
        }
    }

    /// Calls a tool. `arguments` is an object, or `()` for none.
    ///
    /// A call that takes longer than
    /// [`message_timeout`](Endpoint::message_timeout), or whose future is dropped,
    /// leaves the session as it is; the server may still carry it out.
    ///
    /// # Errors
    /// If the call fails, [`tool_failure`](crate::Error::tool_failure) says how.
    pub async fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        match &mut self.0 {
            Inner::Plain(session) => session.call_tool(name, arguments).await,
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => conversation.call_tool(name, arguments).await,
        }
    }

    /// Ends the session and waits until the server has done so.
    ///
    /// # Errors
    /// A timeout if the server takes longer than 10 seconds.
    pub async fn close(self) -> Result<()> {
        match self.0 {
            Inner::Plain(mut session) => session.close().await,
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => conversation.close().await,
        }
    }

    /// Whether the connection stands, as far as is known.
    pub fn is_connected(&self) -> bool {
        match &self.0 {
            Inner::Plain(session) => session.is_connected(),
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => conversation.is_open(),
        }
    }

    /// The server that this client talks to.
    pub fn endpoint(&self) -> &Endpoint {
        match &self.0 {
            Inner::Plain(session) => &session.endpoint,
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => conversation.endpoint(),
        }
    }
}

impl fmt::Debug for ToolClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut tuple = f.debug_tuple("ToolClient");
        match &self.0 {
            Inner::Plain(session) => tuple.field(session),
            #[cfg(feature = "mcp")]
            Inner::Standard(conversation) => tuple.field(conversation),
        };
        tuple.finish()
    }
}
