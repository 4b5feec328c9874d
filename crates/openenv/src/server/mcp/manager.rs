//! MCP sessions: each is a session of the environment, under the same name.

use std::sync::Arc;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::common::server_side_http::{ServerSseMessage, SessionId as McpSessionId};
use rmcp::transport::streamable_http_server::SessionManager;
use rmcp::transport::streamable_http_server::session::local::{
    LocalSessionManager, LocalSessionManagerError, LocalSessionWorker, create_local_session,
};
use rmcp::transport::{StreamableHttpServerConfig, WorkerTransport};

use crate::server::config::Config;
use crate::server::info::Origin;
use crate::server::lifecycle::Lifecycle;
use crate::server::session::{Presence, Session};
use crate::server::sessions::Sessions;

/// How long the last answer of a session may take to leave.
pub(super) const LAST_WORDS: Duration = Duration::from_secs(1);

/// The conversations of an environment's MCP sessions.
///
/// How long a session lives is decided by the environment's own rule; what is
/// here only ends with it.
pub(crate) struct Conversations {
    local: LocalSessionManager,
    /// How each request is served.
    pub(super) config: StreamableHttpServerConfig,
}

impl Conversations {
    pub(crate) fn new(config: &Config, lifecycle: &Lifecycle) -> Self {
        let mut local = LocalSessionManager::default();
        local.session_config.keep_alive = None;
        let config = StreamableHttpServerConfig::default()
            // The address that the server listens on and the origins that it
            // accepts are checked before, for both dialects.
            .disable_allowed_hosts()
            .disable_allowed_origins()
            .with_json_response(true)
            .with_max_request_body_bytes(config.max_message_size)
            .with_cancellation_token(lifecycle.aborting.clone());
        Self { local, config }
    }

    /// Ends the conversation of a session that is over, once the last answer has left.
    pub(crate) async fn end(&self, session: &Session) {
        session.until_nobody_is_present(LAST_WORDS).await;
        let id = McpSessionId::from(session.id.to_string());
        // It fails only if the conversation has ended already.
        let _ = self.local.close_session(&id).await;
    }
}

/// What the protocol needs to know of sessions, for one request.
pub(super) struct Manager {
    sessions: Arc<Sessions>,
    /// The session that the request opens.
    opened: Option<Arc<Session>>,
}

impl Manager {
    pub(super) fn new(sessions: Arc<Sessions>, opened: Option<Arc<Session>>) -> Self {
        Self { sessions, opened }
    }

    fn local(&self) -> &LocalSessionManager {
        &self.sessions.conversations.local
    }

    fn find(&self, id: &McpSessionId) -> Option<Arc<Session>> {
        let session = self.sessions.find(id).ok()?;
        (session.origin == Origin::Mcp).then_some(session)
    }

    /// The session, which is in use from now on.
    fn touch(&self, id: &McpSessionId) -> Result<Arc<Session>, LocalSessionManagerError> {
        let session = self
            .find(id)
            .ok_or_else(|| LocalSessionManagerError::SessionNotFound(id.clone()))?;
        session.touch();
        Ok(session)
    }
}

impl SessionManager for Manager {
    type Error = LocalSessionManagerError;
    type Transport = WorkerTransport<LocalSessionWorker>;

    async fn create_session(&self) -> Result<(McpSessionId, Self::Transport), Self::Error> {
        let Some(session) = &self.opened else {
            let nobody = McpSessionId::from(String::new());
            return Err(LocalSessionManagerError::SessionNotFound(nobody));
        };
        let id = McpSessionId::from(session.id.to_string());
        let config = self.local().session_config.clone();
        let (handle, worker) = create_local_session(id.clone(), config);
        self.local()
            .sessions
            .write()
            .await
            .insert(id.clone(), handle);
        Ok((id, WorkerTransport::spawn(worker)))
    }

    async fn initialize_session(
        &self,
        id: &McpSessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.local().initialize_session(id, message).await
    }

    async fn has_session(&self, id: &McpSessionId) -> Result<bool, Self::Error> {
        Ok(self.find(id).is_some() && self.local().has_session(id).await?)
    }

    async fn close_session(&self, id: &McpSessionId) -> Result<(), Self::Error> {
        self.local().close_session(id).await?;
        if let Some(session) = self.find(id) {
            session.request_close().await;
        }
        Ok(())
    }

    async fn create_stream(
        &self,
        id: &McpSessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let presence = self.touch(id)?.presence();
        let stream = self.local().create_stream(id, message).await?;
        Ok(with(presence, stream))
    }

    async fn accept_message(
        &self,
        id: &McpSessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<(), Self::Error> {
        self.touch(id)?;
        self.local().accept_message(id, message).await
    }

    /// A stream that waits for whatever the server has to say. While it is open
    /// somebody is there, and the session is not idle; when the server stops,
    /// nothing more will be said.
    async fn create_standalone_stream(
        &self,
        id: &McpSessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let presence = self.touch(id)?.presence();
        let stream = self.local().create_standalone_stream(id).await?;
        let stopping = self.sessions.lifecycle.stopping.clone().cancelled_owned();
        Ok(with(presence, stream).take_until(stopping))
    }

    async fn resume(
        &self,
        id: &McpSessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let presence = self.touch(id)?.presence();
        let stream = self.local().resume(id, last_event_id).await?;
        Ok(with(presence, stream))
    }
}

/// The stream, whose reader is present for as long as it reads.
fn with<S>(presence: Presence, stream: S) -> impl Stream<Item = S::Item> + Send + Sync + 'static
where
    S: Stream + Send + Sync + 'static,
{
    stream.inspect(move |_| {
        let _ = &presence;
    })
}
