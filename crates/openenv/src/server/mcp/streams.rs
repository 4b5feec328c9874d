//! The Model Context Protocol over a pair of streams, as standard input and output.

use std::sync::Arc;

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use tokio::io::{AsyncRead, AsyncWrite};

use super::handler::Handler;
use super::manager::LAST_WORDS;
use crate::error::{Error, Kind, Result};
use crate::server::Server;
use crate::server::info::{CloseReason, Origin};

impl Server {
    /// Serves the tools of the first environment to one MCP client, until the
    /// client closes its stream or `shutdown` is ready.
    ///
    /// The client has one session for as long as it stays, or until the
    /// environment fails.
    ///
    /// ```no_run
    /// # async fn run(server: openenv::Server) -> openenv::Result<()> {
    /// let (input, output) = (tokio::io::stdin(), tokio::io::stdout());
    /// server.serve_mcp(input, output, openenv::shutdown_signal()).await
    /// # }
    /// ```
    ///
    /// # Errors
    /// If the environment cannot be made or panics, or the client does not speak
    /// the protocol.
    pub async fn serve_mcp(
        self,
        input: impl AsyncRead + Send + Unpin + 'static,
        output: impl AsyncWrite + Send + Unpin + 'static,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let sessions = self
            .served
            .first()
            .ok_or_else(|| Error::configuration("a server needs at least one environment"))?;
        if sessions.blueprint.tools().is_empty() {
            return Err(Error::configuration(format!(
                "environment `{}` has no tools to serve",
                sessions.name
            )));
        }
        let session = sessions.open(Origin::Mcp, None).await?;
        // A client is there for as long as its stream is, whether it speaks or not.
        let _presence = Arc::clone(&session).presence();
        let handler = Handler::new(Arc::clone(sessions), Some(Arc::clone(&session)));
        let over = handler.over();
        let serving = async {
            let service = match handler.serve((input, output)).await {
                Ok(service) => service,
                // A client that leaves without a word is nobody's fault.
                Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
                Err(error) => {
                    let message = format!("the client does not speak MCP: {error}");
                    return Err(Error::of(Kind::Connection, message));
                }
            };
            service
                .waiting()
                .await
                .map_err(|error| Error::of(Kind::Connection, error.to_string()))?;
            Ok(())
        };
        let ended = async {
            over.cancelled().await;
            // The answer that tells why is still on its way.
            tokio::time::sleep(LAST_WORDS).await;
        };
        let served = tokio::select! {
            served = serving => served,
            // Clients start a server anew that has ended; one that refuses
            // every call would stay as it is.
            () = ended => Err(Error::of(Kind::Session, "the environment failed; its session is over")),
            () = shutdown => Ok(()),
        };
        session.close(CloseReason::Disconnected).await;
        self.shut_down().await;
        served
    }
}
