//! Whatever is wrong is told in the caller's dialect, and costs nobody else anything.

use openenv::{Error, Result};
use reqwest::Method;
use serde_json::{Value, json};

use super::agent::{Agent, answer, initialize};
use crate::support::TestServer;
use crate::tools::notebook::Notebook;

/// Sends a request that must be refused; returns the status and the words.
async fn refused(request: reqwest::RequestBuilder) -> (u16, String) {
    let response = request.send().await.unwrap();
    let status = response.status();
    assert!(status.is_client_error(), "{status}");
    let document: Value = response.json().await.unwrap();
    assert_eq!(document["jsonrpc"], "2.0", "{document}");
    let message = document["error"]["message"].as_str().unwrap();
    (status.as_u16(), message.to_owned())
}

#[tokio::test]
async fn what_is_no_message_is_refused_in_words() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let agent = Agent::connect(&server.url()).await;
    for body in [
        "{bad",
        "",
        "[]",
        "5",
        "{}",
        r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
    ] {
        let request = agent.request(Method::POST).body(body);
        let (status, message) = refused(request).await;
        assert_eq!(status, 400, "{body}: {message}");
        let is_json = serde_json::from_str::<Value>(body).is_ok();
        assert_eq!(message.starts_with("Parse error"), !is_json, "{message}");
    }
    let unknown = agent.ask("no/such/method", json!({})).await;
    assert_eq!(unknown["error"]["code"], -32601, "{unknown}");
    for params in [
        json!({}),
        json!({ "name": 5 }),
        json!({ "name": "write", "arguments": "x" }),
    ] {
        let message =
            json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params });
        let response = agent.post(&message).await;
        assert!(!response.status().is_server_error(), "{params}");
        let reply = answer(response).await;
        assert!(reply["error"]["code"].is_i64(), "{params}: {reply}");
    }
    let cursor = agent.ask("tools/list", json!({ "cursor": "x" })).await;
    assert_eq!(cursor["error"]["message"], "Unknown cursor: 'x'");
    // The session is as it was.
    agent.call("write", json!({ "text": "fine" })).await;
    server.stop().await;
}

#[tokio::test]
async fn sessions_that_are_not_there_are_not_found() {
    let server = Notebook::<false>::server();
    let builder = server.try_environment("other", || -> Result<Notebook<false>> {
        Err(Error::new("nobody opens a session here"))
    });
    let server = TestServer::start(builder).await;
    let agent = Agent::connect(&server.url()).await;
    let ping = json!({ "jsonrpc": "2.0", "id": 2, "method": "ping" });
    for id in ["zzz", "", "11111111-2222-3333-4444-555555555555"] {
        let stranger = Agent::in_session(&server.url(), id);
        for method in [Method::POST, Method::GET, Method::DELETE] {
            let request = stranger.request(method.clone()).body(ping.to_string());
            let (status, message) = refused(request).await;
            assert_eq!(status, 404, "{method} {id}: {message}");
        }
    }
    // A session belongs to its environment.
    let elsewhere = Agent::in_session(
        &format!("{}/envs/other", server.url()),
        agent.session.as_deref().unwrap(),
    );
    assert_eq!(elsewhere.post(&ping).await.status(), 404);
    assert_eq!(agent.post(&ping).await.status(), 200);
    // A session of the other dialect has no conversation to go on with.
    let reply = server.rpc("openenv/session/create", &json!({})).await;
    let created = Agent::in_session(
        &server.url(),
        reply["result"]["session_id"].as_str().unwrap(),
    );
    assert_eq!(created.post(&ping).await.status(), 404);
    assert_eq!(created.delete().await, 404);
    assert_eq!(server.server().sessions().len(), 2);
    server.stop().await;
}

#[tokio::test]
async fn types_that_a_client_does_not_take_are_named() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let client = crate::support::http().build().unwrap();
    let post = || {
        client
            .post(format!("{}/mcp", server.url()))
            .body(initialize().to_string())
    };

    let html = post()
        .header("content-type", "application/json")
        .header("accept", "text/html");
    let (status, message) = refused(html).await;
    assert_eq!(status, 406);
    assert!(message.contains("text/event-stream"), "{message}");
    let (status, message) = refused(post().header("content-type", "text/plain")).await;
    assert_eq!(status, 415);
    assert!(message.contains("application/json"), "{message}");
    let json = || post().header("content-type", "application/json");
    let (status, message) = refused(json().header("mcp-protocol-version", "1999-01-01")).await;
    assert_eq!(status, 400, "{message}");
    assert_eq!(
        server.server().sessions().len(),
        0,
        "a refusal leaves no session"
    );

    // Who accepts anything, or says nothing about it, is answered.
    for accept in [None, Some("*/*"), Some("text/plain, */*;q=0.1")] {
        let mut request = json();
        if let Some(accept) = accept {
            request = request.header("accept", accept);
        }
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200, "{accept:?}");
    }
    server.stop().await;
}

#[tokio::test]
async fn foreign_pages_are_refused_in_both_dialects() {
    let builder = Notebook::<false>::server().allow_origin("https://app.example");
    let server = TestServer::start(builder).await;
    let client = crate::support::http().build().unwrap();
    let post = |origin: &str, message: &Value| {
        client
            .post(format!("{}/mcp", server.url()))
            .header("origin", origin)
            .json(message)
    };
    let list = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list" });
    for message in [&list, &initialize()] {
        let (status, text) = refused(post("https://evil.example", message)).await;
        assert_eq!(status, 403);
        assert!(text.contains("origin"), "{text}");
        for origin in [
            "https://app.example",
            "http://localhost:6274",
            &server.url(),
        ] {
            let response = post(origin, message).send().await.unwrap();
            assert_eq!(response.status(), 200, "{origin}");
        }
    }
    for path in ["/mcp", "/ws"] {
        let upgrade = client
            .get(format!("{}{path}", server.url()))
            .header("origin", "https://evil.example")
            .header("connection", "upgrade")
            .header("upgrade", "websocket")
            .header("sec-websocket-version", "13")
            .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        assert_eq!(upgrade.send().await.unwrap().status(), 403, "{path}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_first_message_that_is_wrong_opens_no_session() {
    let server = TestServer::start(Notebook::<false>::server().max_sessions(1)).await;
    let _holds_the_only_slot = Agent::connect(&server.url()).await;
    let client = crate::support::http().build().unwrap();
    for params in [json!(null), json!({}), json!({ "protocolVersion": 5 })] {
        let mut message = initialize();
        message["params"] = params.clone();
        let url = format!("{}/mcp", server.url());
        let (status, text) = refused(client.post(url).json(&message)).await;
        assert_eq!(status, 400, "{text}");
        assert!(text.contains("initialize"), "{params}: {text}");
    }
    server.stop().await;
}

#[tokio::test]
async fn a_message_that_is_too_large_is_refused_in_words() {
    let server = TestServer::start(Notebook::<false>::server().max_message_size(1000)).await;
    let agent = Agent::connect(&server.url()).await;
    let stranger = Agent::new(&server.url());
    for agent in [&agent, &stranger] {
        let (status, text) = refused(agent.request(Method::POST).body("x".repeat(2000))).await;
        assert_eq!(status, 413);
        assert!(text.contains("1000"), "{text}");
    }
    agent.call("write", json!({ "text": "fine" })).await;
    server.stop().await;
}

#[tokio::test]
async fn browsers_are_told_what_allowed_pages_may_do() {
    let builder = Notebook::<false>::server().allow_origin("https://app.example");
    let server = TestServer::start(builder).await;
    let client = crate::support::http().build().unwrap();
    let url = format!("{}/mcp", server.url());
    let preflight = |origin: &str| {
        client
            .request(Method::OPTIONS, &url)
            .header("origin", origin)
            .header("access-control-request-method", "POST")
            .header(
                "access-control-request-headers",
                "content-type,mcp-session-id",
            )
            .send()
    };
    let allowed = preflight("https://app.example").await.unwrap();
    assert_eq!(allowed.status(), 204);
    let header = |name: &str| allowed.headers()[name].to_str().unwrap().to_owned();
    assert_eq!(header("access-control-allow-origin"), "https://app.example");
    assert_eq!(
        header("access-control-allow-headers"),
        "content-type,mcp-session-id"
    );
    assert!(header("access-control-allow-methods").contains("DELETE"));
    assert_eq!(
        preflight("https://evil.example").await.unwrap().status(),
        403
    );

    let response = client
        .post(&url)
        .header("origin", "https://app.example")
        .json(&initialize())
        .send()
        .await
        .unwrap();
    let exposed = &response.headers()["access-control-expose-headers"];
    assert!(exposed.to_str().unwrap().contains("mcp-session-id"));
    server.stop().await;
}
