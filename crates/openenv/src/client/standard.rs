//! Tools in the Model Context Protocol, through its SDK.

use std::fmt;

use rmcp::ServiceExt;
use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, ErrorData, Implementation,
    ProtocolVersion,
};
use rmcp::service::{ClientInitializeError, RoleClient, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::{
    StreamableHttpClientTransportConfig, StreamableHttpError,
};
use serde::Serialize;
use serde_json::value::to_raw_value;
use tokio::time::{sleep, timeout};

use super::endpoint::root_cause;
use super::rpc::RpcError;
use super::session::not_closed;
use super::{CLOSE_TIMEOUT, Endpoint};
use crate::error::{Error, Kind, Result};
use crate::tool::{CallTool, ToolInfo, ToolOutput};

type HttpError = StreamableHttpError<reqwest::Error>;

/// A session of the protocol.
pub(super) struct Conversation {
    endpoint: Endpoint,
    service: RunningService<RoleClient, ClientConfig>,
}

impl Conversation {
    /// Opens a session; a full server is waited for as long as it may be.
    pub(super) async fn open(endpoint: Endpoint) -> Result<Self> {
        let mut delays = None;
        loop {
            // Boxed: it is ten times as large as the calls.
            let greeting = Box::pin(greet(&endpoint));
            let error = match limited(&endpoint, "initialize", greeting).await {
                Ok(Ok(service)) => return Ok(Self { endpoint, service }),
                Ok(Err(error)) | Err(error) => error,
            };
            if !error.is_capacity() || endpoint.limits().capacity_timeout.is_zero() {
                return Err(error);
            }
            let delays = delays.get_or_insert_with(|| endpoint.capacity_delays());
            match delays.next() {
                Some(delay) => sleep(delay).await,
                None => return Err(error),
            }
        }
    }

    pub(super) async fn list_tools(&mut self) -> Result<Vec<ToolInfo>> {
        let listing = self.service.list_all_tools();
        let tools = limited(&self.endpoint, "tools/list", listing)
            .await?
            .map_err(|error| self.failed(&error))?;
        let tools = tools.into_iter().map(|tool| ToolInfo {
            name: tool.name.into_owned(),
            title: tool.title,
            description: tool.description.unwrap_or_default().into_owned(),
            input_schema: (*tool.input_schema).clone().into(),
            output_schema: tool.output_schema.map(|schema| (*schema).clone().into()),
        });
        Ok(tools.collect())
    }

    pub(super) async fn call_tool(
        &mut self,
        name: &str,
        arguments: &(impl Serialize + Sync + ?Sized),
    ) -> Result<ToolOutput> {
        let call = CallTool::new(name, arguments)?;
        let arguments = serde_json::from_str(call.arguments.get())?;
        let call = CallToolRequestParams::new(call.tool_name).with_arguments(arguments);
        // Dropped, it tells the server that nobody waits any more.
        let calling = self.service.call_tool(call);
        let result = limited(&self.endpoint, "tools/call", calling)
            .await?
            .map_err(|error| self.failed(&error).of_call())?;
        ToolOutput::received(&to_raw_value(&result)?)
    }

    pub(super) async fn close(mut self) -> Result<()> {
        // It fails only if its task has panicked, which is an end as well.
        match self.service.close_with_timeout(CLOSE_TIMEOUT).await {
            Ok(None) => Err(not_closed()),
            Ok(Some(_)) | Err(_) => Ok(()),
        }
    }

    pub(super) fn is_open(&self) -> bool {
        !self.service.is_closed() && !self.service.is_transport_closed()
    }

    pub(super) fn endpoint(&self) -> &Endpoint {
        &self.endpoint
    }

    fn failed(&self, error: &ServiceError) -> Error {
        let lost = |why: &dyn fmt::Display| {
            let message = format!("the connection to {} is lost: {why}", self.endpoint);
            Error::of(Kind::Connection, message)
        };
        match error {
            ServiceError::McpError(error) => protocol_error(error),
            ServiceError::TransportSend(error) => match error.error.downcast_ref::<HttpError>() {
                Some(HttpError::SessionExpired) => {
                    Error::of(Kind::Session, "the server has ended the session")
                }
                _ => lost(&root_cause(&*error.error)),
            },
            ServiceError::TransportClosed => lost(&"it was closed"),
            other => Error::of(Kind::Answer, other.to_string()),
        }
    }
}

impl fmt::Debug for Conversation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Conversation")
            .field("endpoint", &self.endpoint)
            .field("is_open", &self.is_open())
            .finish_non_exhaustive()
    }
}

/// Begins a session of the protocol.
async fn greet(endpoint: &Endpoint) -> Result<RunningService<RoleClient, ClientConfig>> {
    let url = endpoint.url().http("/mcp");
    let config = StreamableHttpClientTransportConfig::with_uri(url.as_str())
        .max_sse_event_size(endpoint.limits().max_message_size)
        // A new session is not the old one: nobody gets one unasked.
        .reinit_on_expired_session(false);
    let http = endpoint.http_for_conversation()?;
    let transport = StreamableHttpClientTransport::with_client(http, config);
    let name = Implementation::new("openenv-rs", env!("CARGO_PKG_VERSION"));
    let client = ClientConfig::new(ClientCapabilities::default(), name)
        // Later ones have no sessions.
        .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE);
    client.serve(transport).await.map_err(|error| match error {
        ClientInitializeError::JsonRpcError(error) => protocol_error(&error),
        ClientInitializeError::TransportError { error, .. } => {
            endpoint.unreachable(&root_cause(&*error.error))
        }
        other => endpoint.unreachable(&other),
    })
}

/// What becomes of it, within the time that a call may take.
async fn limited<T>(endpoint: &Endpoint, what: &str, call: impl Future<Output = T>) -> Result<T> {
    match endpoint.limits().message_timeout {
        None => Ok(call.await),
        Some(limit) => timeout(limit, call).await.map_err(|_| {
            let message = format!("no reply to `{what}` within {limit:?}");
            Error::of(Kind::Timeout, message)
        }),
    }
}

fn protocol_error(error: &ErrorData) -> Error {
    let error = RpcError {
        code: error.code.0.into(),
        message: error.message.clone().into_owned(),
        data: error.data.clone().unwrap_or_default(),
    };
    error.into()
}
