//! An environment as an MCP server: what is asked of it, whatever the transport.

use std::sync::Arc;

use rmcp::model::{
    AudioContent, CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock,
    DiscoverResult, ErrorCode, ImageContent, Implementation, JsonObject, ListToolsResult,
    MetaObject, PaginatedRequestParams, ProgressNotificationParam, ProgressToken, ProtocolVersion,
    ServerCapabilities, ServerConfig, TextContent, Tool, ToolAnnotations,
};
use rmcp::service::{NotificationContext, Peer, RequestContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use crate::error::{Error, Result};
use crate::json::{Document, Input};
use crate::server::info::CloseReason;
use crate::server::lifecycle::shutting_down;
use crate::server::session::Session;
use crate::server::sessions::Sessions;
use crate::server::stateless::for_request;
use crate::tool::compiled::Listing;
use crate::tool::{Content, Progress, ProgressUpdate, Structured, ToolFailure, ToolOutput};
use crate::wire::jsonrpc::RpcError;

/// Tools that are listed at once; clients ask for more with a cursor.
const PAGE: usize = 100;

/// The tools of one environment, to one client.
#[derive(Clone)]
pub(crate) struct Handler {
    sessions: Arc<Sessions>,
    /// Where the tools run; without one, each call has an environment of its own.
    session: Option<Arc<Session>>,
    /// Told when the session can serve no further call.
    over: CancellationToken,
}

impl Handler {
    pub(super) fn new(sessions: Arc<Sessions>, session: Option<Arc<Session>>) -> Self {
        Self {
            sessions,
            session,
            over: CancellationToken::new(),
        }
    }

    /// Is cancelled by a call that took the session with it.
    pub(super) fn over(&self) -> CancellationToken {
        self.over.clone()
    }

    async fn call(
        &self,
        name: &str,
        arguments: JsonObject,
        progress: Progress,
    ) -> Result<ToolOutput> {
        let arguments = Input::Lenient(Document {
            value: Value::Object(arguments),
            non_finite: Vec::new(),
        });
        let Some(session) = &self.session else {
            return for_request(&self.sessions, async |session| {
                session.call_tool(name, arguments, progress).await
            })
            .await;
        };
        let called = tokio::select! {
            biased;
            called = session.call_tool(name, arguments, progress) => called,
            () = self.sessions.lifecycle.aborting.cancelled() => Err(shutting_down()),
        };
        session.close_if_over(CloseReason::Failed);
        if session.is_over() {
            self.over.cancel();
        }
        called
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let about = self.sessions.blueprint.metadata();
        let version = about.version.as_deref().unwrap_or("0.0.0");
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new(about.name.clone(), version))
            .with_instructions(about.description.clone())
    }

    /// Without a session, what one call does is lost to the next: clients that
    /// can choose are told of the versions with sessions only, unless the tools
    /// need none. Who asks for the version without them is served nevertheless.
    async fn discover(&self, _: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        let mut versions = self.supported_protocol_versions().into_owned();
        if self.session.is_none() && !self.sessions.blueprint.tools().are_stateless() {
            versions.retain(|version| *version < ProtocolVersion::V_2026_07_28);
        }
        Ok(DiscoverResult::from_server_info(versions, self.get_info()))
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let begin = match request.and_then(|request| request.cursor) {
            None => 0,
            Some(cursor) => cursor.parse().map_err(|_| {
                ErrorData::invalid_params(format!("Unknown cursor: '{cursor}'"), None)
            })?,
        };
        let own = match &self.session {
            Some(session) => session.list_tools().await.map_err(protocol_error)?,
            None => None,
        };
        let tools = self.sessions.blueprint.tools();
        let mode = self.sessions.config.mode;
        let (page, more) = match &own {
            Some(own) => page(own.iter(), begin),
            None => page(tools.visible(mode), begin),
        };
        let mut listed = ListToolsResult::with_all_items(page);
        listed.next_cursor = more.then(|| (begin + PAGE).to_string());
        Ok(listed)
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let tools = self.sessions.blueprint.tools();
        let (_, listing) = tools.find(name, self.sessions.config.mode).ok()?;
        Some(tool(listing))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let reports = Reports::new(context.meta.get_progress_token(), &context.peer);
        let (progress, reports) = reports.split();
        let arguments = request.arguments.unwrap_or_default();
        // The SDK spawns a task for each request and copies it around while doing
        // so, a dozen times: what is in a box stays where it is.
        let calling = Box::pin(self.call(&request.name, arguments, progress));
        let called = tokio::select! {
            biased;
            called = reports.forward_during(calling) => called,
            // Nobody waits for the answer: the call ends where it is.
            () = context.ct.cancelled() => {
                return Err(ErrorData::new(ErrorCode::INTERNAL_ERROR, "the call was cancelled", None));
            }
        };
        match called {
            Ok(output) => Ok(success(output)?.into()),
            Err(error) => failure(error).map(Into::into),
        }
    }

    async fn on_initialized(&self, _: NotificationContext<RoleServer>) {}
}

/// Reports of a running call, on their way to the client.
struct Reports<'a> {
    token: Option<ProgressToken>,
    peer: &'a Peer<RoleServer>,
    queue: Option<mpsc::UnboundedReceiver<ProgressUpdate>>,
}

impl<'a> Reports<'a> {
    fn new(token: Option<ProgressToken>, peer: &'a Peer<RoleServer>) -> Self {
        Self {
            token,
            peer,
            queue: None,
        }
    }

    /// The end for the tool, and the end that sends; silent if nobody asked.
    fn split(mut self) -> (Progress, Self) {
        if self.token.is_none() {
            return (Progress::default(), self);
        }
        let (sender, queue) = mpsc::unbounded_channel();
        self.queue = Some(queue);
        let progress = Progress::to(move |update| {
            let _ = sender.send(update);
        });
        (progress, self)
    }

    /// Sends reports as they come in; all of them are sent before the answer.
    ///
    /// A client that reads slowly makes sending wait, but not the call: its limit
    /// holds, and the session can be closed.
    async fn forward_during<T>(mut self, calling: impl Future<Output = T>) -> T {
        let Some(mut queue) = self.queue.take() else {
            return calling.await;
        };
        let over = CancellationToken::new();
        let calling = async {
            let output = calling.await;
            over.cancel();
            output
        };
        let forwarding = async {
            // Who keeps its `Progress` longer than its call is not heard.
            while let Some(Some(update)) = over.run_until_cancelled(queue.recv()).await {
                self.send(update).await;
            }
            while let Ok(update) = queue.try_recv() {
                self.send(update).await;
            }
        };
        let (output, ()) = tokio::join!(calling, forwarding);
        output
    }

    async fn send(&self, update: ProgressUpdate) {
        let Some(token) = &self.token else {
            return;
        };
        let mut report = ProgressNotificationParam::new(token.clone(), update.done);
        report.total = update.total;
        report.message = Some(update.message).filter(|message| !message.is_empty());
        // A client that is gone does not want to know.
        let _ = self.peer.notify_progress(report).await;
    }
}

/// The tools from `begin` on, as many as are listed at once, and whether there are more.
fn page<'a>(tools: impl Iterator<Item = &'a Listing>, begin: usize) -> (Vec<Tool>, bool) {
    let mut rest = tools.skip(begin);
    let page = rest.by_ref().take(PAGE).map(tool).collect();
    (page, rest.next().is_some())
}

fn tool(listing: &Listing) -> Tool {
    let mut tool = Tool::new(
        listing.name.clone(),
        listing.description.clone(),
        object(&listing.input_schema),
    );
    tool.title.clone_from(&listing.title);
    tool.output_schema = listing.output_schema.as_ref().map(object);
    tool.annotations = ToolAnnotations::deserialize(&listing.annotations).ok();
    tool.meta = MetaObject::deserialize(&listing.meta).ok();
    tool
}

fn object(schema: &Value) -> Arc<JsonObject> {
    Arc::new(schema.as_object().cloned().unwrap_or_default())
}

fn success(output: ToolOutput) -> Result<CallToolResult, ErrorData> {
    let content = output.content.into_iter().filter_map(content).collect();
    let mut result = CallToolResult::success(content);
    let data = |data: Option<Box<serde_json::value::RawValue>>| -> Result<Value, ErrorData> {
        let text = data.as_deref().map_or("null", |data| data.get());
        serde_json::from_str(text)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))
    };
    match output.structured {
        Structured::No => {}
        Structured::Object => result.structured_content = Some(data(output.data)?),
        Structured::Wrapped => {
            result.structured_content = Some(json!({ "result": data(output.data)? }));
            let mut mark = MetaObject::new();
            mark.insert("fastmcp".to_owned(), json!({ "wrap_result": true }));
            result.meta = Some(mark);
        }
    }
    Ok(result)
}

fn content(content: Content) -> Option<ContentBlock> {
    match content {
        Content::Text { text } => Some(ContentBlock::Text(TextContent::new(text))),
        Content::Image { data, mime_type } => {
            Some(ContentBlock::Image(ImageContent::new(data, mime_type)))
        }
        Content::Audio { data, mime_type } => {
            Some(ContentBlock::Audio(AudioContent::new(data, mime_type)))
        }
        Content::Other => None,
    }
}

/// What went wrong: in a result where the agent can read it and try again, as an
/// error of the protocol where there was nothing to call.
fn failure(error: Error) -> Result<CallToolResult, ErrorData> {
    match error.tool_failure() {
        Some(ToolFailure::NotFound) => {
            Err(ErrorData::invalid_params(error.message().to_owned(), None))
        }
        None if error.ends_session() => Err(protocol_error(error)),
        _ => {
            let text = ContentBlock::Text(TextContent::new(error.message()));
            Ok(CallToolResult::error(vec![text]))
        }
    }
}

fn protocol_error(error: Error) -> ErrorData {
    let RpcError {
        code,
        message,
        data,
    } = error.into();
    let code = i32::try_from(code).map_or(ErrorCode::INTERNAL_ERROR, ErrorCode);
    ErrorData::new(code, message, Some(data).filter(|data| !data.is_null()))
}
