//! The version of the protocol that has no sessions.

use openenv::{Server, Tool, Tools};
use reqwest::Method;
use serde_json::{Value, json};

use super::agent::{Agent, answer};
use crate::support::{TestServer, nothing_but_tools};
use crate::tools::notebook::Notebook;

const VERSION: &str = "2026-07-28";

/// A request that says for itself what a session would have said.
async fn ask(agent: &Agent, method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
    });
    let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
    let mut request = agent
        .request(Method::POST)
        .header("mcp-protocol-version", VERSION)
        .header("mcp-method", method);
    if let Some(name) = params["name"].as_str() {
        request = request.header("mcp-name", name);
    }
    answer(request.body(message.to_string()).send().await.unwrap()).await
}

#[tokio::test]
async fn each_call_has_an_environment_of_its_own_and_holds_no_slot() {
    let server = TestServer::start(Notebook::<false>::server().max_sessions(1)).await;
    let agent = Agent::new(&server.url());
    let _holds_the_only_slot = Agent::connect(&server.url()).await;
    let tools = ask(&agent, "tools/list", json!({})).await;
    assert_eq!(tools["result"]["tools"][0]["name"], "write");
    for _ in 0..2 {
        let call = json!({ "name": "write", "arguments": { "text": "a" } });
        let written = ask(&agent, "tools/call", call).await;
        assert_eq!(written["result"]["structuredContent"]["result"], 1);
    }
    assert_eq!(server.server().sessions().len(), 1);
    server.stop().await;
}

#[tokio::test]
async fn clients_that_can_choose_are_led_to_sessions() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let found = ask(&Agent::new(&server.url()), "server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!("2025-06-18")), "{found}");
    assert!(!versions.contains(&json!(VERSION)), "{found}");
    server.stop().await;
}

/// Tools that remember nothing.
struct Calculator;

nothing_but_tools!(
    Calculator,
    Tools::new()
        .add(Tool::new("six", "Tells six", |_: &mut Self, (): ()| Ok(6)))
        .stateless()
);

#[tokio::test]
async fn tools_without_memory_need_no_session() {
    let builder = Server::builder().environment("calculator", || Calculator);
    let server = TestServer::start(builder).await;
    let found = ask(&Agent::new(&server.url()), "server/discover", json!({})).await;
    let versions = found["result"]["supportedVersions"].as_array().unwrap();
    assert!(versions.contains(&json!(VERSION)), "{found}");
    server.stop().await;
}
