//! The client of the MCP SDK itself, as an agent would use it on this server.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use openenv::Origin;
use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientConfig, ClientRequest, ErrorCode,
    ProgressNotificationParam, ServerResult,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::{ClientHandler, RoleClient, ServiceExt};
use serde_json::{Value, json};

use super::workshop::{Warehouse, Workshop};
use crate::support::{TestServer, eventually, http};

/// An agent that notes how far its calls are.
#[derive(Debug, Clone, Default)]
struct Agent {
    reports: Arc<Mutex<Vec<ProgressNotificationParam>>>,
}

impl ClientHandler for Agent {
    fn get_info(&self) -> ClientConfig {
        ClientConfig::default()
    }

    async fn on_progress(
        &self,
        report: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.reports.lock().unwrap().push(report);
    }
}

type Running = RunningService<RoleClient, Agent>;

async fn connect(server: &TestServer) -> Running {
    let config = StreamableHttpClientTransportConfig::with_uri(format!("{}/mcp", server.url()));
    let transport = StreamableHttpClientTransport::with_client(http().build().unwrap(), config);
    Agent::default().serve(transport).await.unwrap()
}

fn call(name: &'static str, arguments: Value) -> CallToolRequestParams {
    let Value::Object(arguments) = arguments else {
        panic!("arguments are an object");
    };
    CallToolRequestParams::new(name).with_arguments(arguments)
}

#[tokio::test]
async fn an_agent_has_a_session() {
    let server = TestServer::start(Workshop::server().0).await;
    let agent = connect(&server).await;
    let about = agent.peer_info().unwrap();
    assert!(about.capabilities.tools.is_some());
    let [session] = &server.server().sessions()[..] else {
        panic!("one client, one session");
    };
    assert_eq!(session.origin, Origin::Mcp);
    for sum in [5, 10] {
        let result = agent.call_tool(call("add", json!({ "amount": 5 }))).await;
        let result = result.unwrap();
        assert_eq!(result.structured_content, Some(json!({ "result": sum })));
        assert_eq!(result.is_error, Some(false));
    }
    agent.cancel().await.unwrap();
    eventually("the session ends", || server.server().sessions().is_empty()).await;
}

#[tokio::test]
async fn failures_are_results_and_unknown_tools_errors() {
    let server = TestServer::start(Workshop::server().0).await;
    let agent = connect(&server).await;
    let result = agent.call_tool(call("fail", json!({ "text": "told to" })));
    let result = serde_json::to_value(result.await.unwrap()).unwrap();
    assert_eq!(result["isError"], true);
    assert_eq!(
        result["content"][0]["text"],
        "Error calling tool 'fail': told to"
    );
    let error = agent.call_tool(call("nothing", json!({}))).await;
    let ServiceError::McpError(error) = error.unwrap_err() else {
        panic!("not an error of the protocol");
    };
    assert_eq!(error.code, ErrorCode::INVALID_PARAMS);
}

#[tokio::test]
async fn a_running_call_tells_how_far_it_is() {
    let server = TestServer::start(Workshop::server().0).await;
    let agent = connect(&server).await;
    let waited = agent.call_tool(call("wait", json!({ "milliseconds": 50 })));
    waited.await.unwrap();
    let reports = &agent.service().reports;
    eventually("all reports are there", || {
        reports.lock().unwrap().len() == 2
    })
    .await;
    let reports = reports.lock().unwrap();
    assert_eq!((reports[0].progress, reports[0].total), (1.0, Some(2.0)));
    assert_eq!(reports[0].message.as_deref(), Some("waiting"));
    assert_eq!(reports[1].message.as_deref(), Some("waited"));
}

#[tokio::test]
async fn a_running_call_can_be_cancelled() {
    let (builder, waits) = Workshop::server();
    let server = TestServer::start(builder).await;
    let agent = connect(&server).await;
    let request = CallToolRequest::new(call("wait", json!({ "milliseconds": 60_000 })));
    let request = ClientRequest::CallToolRequest(request);
    let options = PeerRequestOptions::no_options();
    let running = agent
        .send_cancellable_request(request, options)
        .await
        .unwrap();
    eventually("the call runs", || waits.begun() == 1).await;
    running.cancel(Some("enough".to_owned())).await.unwrap();
    eventually("the call ends", || waits.dropped() == 1).await;
    assert_eq!(waits.ended(), 0);
    let result = agent.call_tool(call("add", json!({ "amount": 1 }))).await;
    let result = result.unwrap();
    assert_eq!(result.structured_content, Some(json!({ "result": 1 })));
}

#[tokio::test]
async fn a_call_that_takes_too_long_is_cancelled() {
    let (builder, waits) = Workshop::server();
    let server = TestServer::start(builder).await;
    let agent = connect(&server).await;
    let request = CallToolRequest::new(call("wait", json!({ "milliseconds": 60_000 })));
    let request = ClientRequest::CallToolRequest(request);
    let options = PeerRequestOptions::with_timeout(Duration::from_millis(200));
    let running = agent
        .send_cancellable_request(request, options)
        .await
        .unwrap();
    let outcome: Result<ServerResult, _> = running.await_response().await;
    assert!(matches!(outcome, Err(ServiceError::Timeout { .. })));
    eventually("the call ends", || waits.dropped() == 1).await;
}

#[tokio::test]
async fn many_tools_come_in_pages() {
    let builder = openenv::Server::builder().environment("warehouse", || Warehouse);
    let server = TestServer::start(builder).await;
    let agent = connect(&server).await;
    let page = agent.list_tools(None).await.unwrap();
    assert_eq!(page.tools.len(), 100);
    assert!(page.next_cursor.is_some());
    let all = agent.list_all_tools().await.unwrap();
    assert_eq!(all.len(), Warehouse::TOOLS);
    assert_eq!(all[249].name, "tool_249");
}
