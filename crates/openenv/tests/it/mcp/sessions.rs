//! An MCP session is a session of the environment.

use std::time::Duration;

use openenv::Origin;
use serde_json::{Value, json};

use super::agent::{Agent, initialize};
use crate::support::{Socket, TestServer, eventually};
use crate::tools::notebook::Notebook;

type Inline = Notebook<false>;

async fn lines(agent: &Agent) -> Value {
    agent.call("read", json!({})).await["structuredContent"]["result"].take()
}

#[tokio::test]
async fn a_session_has_its_own_environment_for_as_long_as_it_lives() {
    let server = TestServer::start(Inline::server()).await;
    let (one, other) = (
        Agent::connect(&server.url()).await,
        Agent::connect(&server.url()).await,
    );
    let written = one.call("write", json!({ "text": "mine" })).await;
    assert_eq!(written["structuredContent"], json!({ "result": 1 }));
    assert_eq!(written["content"], json!([{ "type": "text", "text": "1" }]));
    assert_eq!(written["isError"], false);
    assert_eq!(lines(&one).await, json!(["mine"]));
    assert_eq!(lines(&other).await, json!([]));

    let sessions = server.server().sessions();
    assert_eq!(sessions.len(), 2);
    assert!(sessions.iter().all(|it| it.origin == Origin::Mcp));
    let calls: Vec<u64> = sessions.iter().map(|it| it.tool_calls).collect();
    assert!(calls.contains(&2) && calls.contains(&1), "{calls:?}");

    assert_eq!(one.delete().await, 204);
    assert_eq!(server.server().sessions().len(), 1);
    assert_eq!(one.delete().await, 404);
    let gone = one.post(&initialize()).await;
    assert_eq!(gone.status(), 404);
    assert_eq!(lines(&other).await, json!([]));
    server.stop().await;
}

#[tokio::test]
async fn the_same_session_answers_in_every_dialect() {
    let server = TestServer::start(Inline::server()).await;
    let agent = Agent::connect(&server.url()).await;
    let id = agent.session.clone().unwrap();
    agent.call("write", json!({ "text": "mcp" })).await;
    let params = json!({ "name": "write", "arguments": { "text": "rpc" }, "session_id": id });
    let reply = server.rpc("tools/call", &params).await;
    assert_eq!(reply["result"]["data"], 2);
    let mut socket: Socket = server.socket(&format!("/ws?session_id={id}")).await;
    let step = json!({ "type": "step", "data": { "type": "call_tool", "tool_name": "read" } });
    let reply = socket.ask(&step).await;
    assert_eq!(
        reply["data"]["observation"]["result"]["data"],
        json!(["mcp", "rpc"])
    );
    server.stop().await;
}

#[tokio::test]
async fn a_full_server_says_so_and_makes_room() {
    let server = TestServer::start(Inline::server().max_sessions(1)).await;
    let first = Agent::connect(&server.url()).await;
    let mut second = Agent::new(&server.url());
    let refused = second.initialize().await;
    let message = "Server at capacity: 1/1 sessions active. Cannot accept new connections.";
    assert_eq!(refused["error"]["message"], message);
    assert_eq!(refused["error"]["data"]["max_sessions"], 1);
    assert_eq!(
        refused["id"], 1,
        "clients wait for an answer to their request"
    );
    assert_eq!(second.session, None);
    assert_eq!(first.delete().await, 204);
    assert!(second.initialize().await["error"].is_null());
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_vanishes_frees_its_slot() {
    let timeout = Duration::from_millis(300);
    let server = TestServer::start(Inline::server().session_timeout(Some(timeout))).await;
    let agent = Agent::connect(&server.url()).await;
    let stream = agent.listen().await;
    assert_eq!(stream.status(), 200);

    // While it listens it is there, however long it says nothing.
    tokio::time::sleep(timeout * 3).await;
    assert_eq!(server.server().sessions().len(), 1);
    agent.call("write", json!({ "text": "still here" })).await;

    drop(stream);
    let free = || server.server().capacity()[0].active == 0;
    eventually("the slot is free", free).await;
    // The client learns that it has to begin anew.
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(agent.post(&ping).await.status(), 404);
    server.stop().await;
}

#[tokio::test]
async fn pings_keep_a_session() {
    let timeout = Duration::from_millis(400);
    let server = TestServer::start(Inline::server().session_timeout(Some(timeout))).await;
    let agent = Agent::connect(&server.url()).await;
    for _ in 0..6 {
        tokio::time::sleep(timeout / 3).await;
        assert_eq!(agent.ask("ping", json!({})).await["result"], json!({}));
    }
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_says_nothing_after_its_first_word_is_given_up() {
    let timeout = Duration::from_millis(200);
    let server = TestServer::start(Inline::server().session_timeout(Some(timeout))).await;
    let mut agent = Agent::new(&server.url());
    agent.initialize().await;
    assert_eq!(server.server().sessions().len(), 1);
    let free = || server.server().capacity()[0].active == 0;
    eventually("the slot is free", free).await;
    server.stop().await;
}

#[tokio::test]
async fn failures_are_results_that_an_agent_can_read() {
    let server = TestServer::start(Inline::server()).await;
    let agent = Agent::connect(&server.url()).await;
    let text = |result: &Value| result["content"][0]["text"].as_str().unwrap().to_owned();

    let failed = agent.call("fail", json!({ "text": "out of ink" })).await;
    assert_eq!(failed["isError"], true);
    assert_eq!(text(&failed), "Error calling tool 'fail': out of ink");
    let refused = agent
        .call("write", json!({ "text": 5, "colour": "red" }))
        .await;
    assert_eq!(refused["isError"], true);
    assert_eq!(
        text(&refused),
        "2 validation errors for call[write]\ntext: Input should be a valid string\n\
         colour: Extra inputs are not permitted"
    );
    let late = agent.call("hasty", json!({ "ms": 5000 })).await;
    assert_eq!(text(&late), "Tool 'hasty' timed out after 0.06 seconds");
    let unknown = agent.ask("tools/call", json!({ "name": "nope" })).await;
    assert_eq!(unknown["error"]["code"], -32602);
    assert_eq!(unknown["error"]["message"], "Unknown tool: 'nope'");
    // None of it disturbed the session.
    assert_eq!(lines(&agent).await, json!(["begin"]));
    server.stop().await;
}

#[tokio::test]
async fn a_panic_ends_its_session_and_no_other() {
    let server = TestServer::start(Inline::server().max_sessions(2)).await;
    let (unlucky, lucky) = (
        Agent::connect(&server.url()).await,
        Agent::connect(&server.url()).await,
    );
    let panicked = unlucky.call("panic", json!({})).await;
    assert_eq!(panicked["isError"], true);
    let text = panicked["content"][0]["text"].as_str().unwrap();
    assert!(text.ends_with("the session is over"), "{text}");
    eventually("the slot is free", || {
        server.server().capacity()[0].free == 1
    })
    .await;
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    assert_eq!(unlucky.post(&ping).await.status(), 404);
    lucky.call("write", json!({ "text": "fine" })).await;
    server.stop().await;
}

#[tokio::test]
async fn stopping_waits_for_calls_but_not_for_listeners() {
    let server = TestServer::start(Inline::server()).await;
    let agent = Agent::connect(&server.url()).await;
    let listener = Agent::connect(&server.url()).await;
    let stream = listener.listen().await;
    let calling = tokio::spawn(async move { agent.call("wait", json!({ "ms": 1800 })).await });
    server.until_a_step_runs().await;
    let begin = std::time::Instant::now();
    server.stop().await;
    assert!(begin.elapsed() < Duration::from_secs(10));
    let result = calling.await.unwrap();
    assert_eq!(result["structuredContent"]["result"], 2);
    drop(stream);
}

#[tokio::test]
async fn deleting_a_session_ends_its_calls() {
    let server = TestServer::start(Inline::server()).await;
    let agent = Agent::connect(&server.url()).await;
    let message = |id: u32| {
        let params = json!({ "name": "wait", "arguments": { "ms": 60_000 } });
        json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params })
    };
    let calls = [agent.post(&message(1)).await, agent.post(&message(2)).await];
    server.until_a_step_runs().await;
    let begin = std::time::Instant::now();
    assert_eq!(agent.delete().await, 204);
    for call in calls {
        let text = call.text().await.unwrap();
        assert!(!text.contains("result"), "{text}");
    }
    assert!(begin.elapsed() < Duration::from_secs(2));
    assert_eq!(server.server().capacity()[0].active, 0);
    server.stop().await;
}
