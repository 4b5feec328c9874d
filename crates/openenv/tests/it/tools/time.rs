//! How long a call may take, and what is left when it took longer.

use std::time::Duration;

use axum::body::{Body, to_bytes};
use axum::http::Request;
use serde_json::{Value, json};
use tower::ServiceExt;

use super::notebook::Notebook;
use super::{action, call, post, post_step, request, session, step};
use crate::support::{TestServer, eventually};

/// Longer than any test may take.
const FOREVER: u64 = 600_000;

#[tokio::test]
async fn a_tool_that_waits_is_left_behind_and_the_session_goes_on() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let mut socket = server.socket(&format!("/ws?session_id={id}")).await;
    let message = "Tool 'hasty' timed out after 0.06 seconds";
    let reply = step(&mut socket, "hasty", json!({ "ms": FOREVER })).await;
    assert_eq!(
        reply["observation"]["error"],
        json!({ "error_type": "timeout", "message": message })
    );
    assert_eq!(reply["metadata"]["failure"], "timeout");
    let reply = post(&server, Some(&id), "hasty", json!({ "ms": FOREVER })).await;
    assert_eq!(
        reply["error"],
        json!({ "code": -32603, "message": message, "data": null })
    );
    let reply = step(&mut socket, "read", json!({})).await;
    assert_eq!(
        reply["observation"]["result"]["data"],
        json!(["begin", "begin"])
    );
    let reply = post(&server, Some(&id), "hasty", json!({ "ms": 0 })).await;
    assert_eq!(reply["result"]["data"], 4);
    server.stop().await;
}

#[tokio::test]
async fn a_caller_may_ask_for_less_but_not_for_more_than_the_tool_allows() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    for (tool, asked, limit) in [
        ("wait", 0.05, 0.05),
        ("hasty", 0.04, 0.04),
        ("hasty", 9.0, 0.06),
    ] {
        let action = action(tool, &json!({ "ms": FOREVER }));
        let body = json!({ "action": action, "timeout_s": asked });
        let (status, reply) = post_step(&server, &body).await;
        assert_eq!(status, 200);
        assert_eq!(
            reply["observation"]["error"],
            json!({
                "error_type": "timeout",
                "message": format!("Tool '{tool}' timed out after {limit} seconds"),
            })
        );
    }
    server.stop().await;
}

/// Without sockets, so that the clock need not be waited for.
#[tokio::test(start_paused = true)]
async fn a_step_has_thirty_seconds_and_a_call_over_mcp_all_the_time() {
    let server = Notebook::<false>::server().build().unwrap();
    let ask = async |path: &str, body: Value| -> Value {
        let request = Request::post(path)
            .header("content-type", "application/json")
            .body(Body::from(body.to_string()))
            .unwrap();
        let response = server.router().oneshot(request).await.unwrap();
        let body = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        serde_json::from_slice(&body).unwrap()
    };
    let begin = tokio::time::Instant::now();
    let body = json!({ "action": action("wait", &json!({ "ms": FOREVER })) });
    let reply = ask("/step", body).await;
    assert_eq!(
        reply["observation"]["error"]["message"],
        "Tool 'wait' timed out after 30.0 seconds"
    );
    assert_eq!(begin.elapsed().as_secs(), 30);

    let reply = ask("/mcp", request("wait", &json!({ "ms": FOREVER }))).await;
    assert_eq!(reply["result"]["data"], 2);
    assert!(begin.elapsed() > Duration::from_millis(FOREVER));
}

#[tokio::test]
async fn a_tool_that_blocks_its_thread_takes_the_session_with_it() {
    let server = TestServer::start(Notebook::<true>::server()).await;
    let blocking = json!({ "ms": 500, "block": true });
    let message = "Tool 'hasty' timed out after 0.06 seconds; the session is over";

    let mut socket = server.socket("/ws").await;
    let reply = step(&mut socket, "hasty", blocking.clone()).await;
    assert_eq!(
        reply["observation"]["error"],
        json!({ "error_type": "timeout", "message": message })
    );
    assert_eq!(socket.expect_close().await, 1000);

    let mut socket = server.socket("/ws").await;
    let frame = json!({ "type": "mcp", "data": request("hasty", &blocking) });
    let reply = socket.ask(&frame).await;
    assert_eq!(reply["data"]["error"]["message"], message);
    assert_eq!(socket.expect_close().await, 1000);

    let mut socket = server.socket("/mcp").await;
    let reply = socket.ask(&request("hasty", &blocking)).await;
    assert_eq!(reply["error"]["message"], message);
    assert_eq!(socket.expect_close().await, 1000);

    let id = session(&server).await;
    let reply = post(&server, Some(&id), "hasty", blocking.clone()).await;
    assert_eq!(reply["error"]["message"], message);
    let reply = post(&server, Some(&id), "read", json!({})).await;
    assert_eq!(
        reply["error"]["message"],
        format!("Unknown session_id: {id}")
    );

    let reply = post(&server, None, "hasty", blocking).await;
    assert_eq!(reply["error"]["message"], message);
    eventually("every place is free", || {
        server.server().capacity()[0].active == 0
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_leaves_ends_the_call() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let mut socket = server.socket("/ws").await;
    socket
        .send_json(&call("wait", &json!({ "ms": FOREVER })))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the session is gone", || {
        server.server().sessions().is_empty()
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn closing_a_session_ends_the_calls_that_wait_for_their_turn_too() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let wait = || post(&server, Some(&id), "wait", json!({ "ms": FOREVER }));
    let close = async {
        server.until_a_step_runs().await;
        tokio::time::sleep(Duration::from_millis(100)).await;
        let params = json!({ "session_id": id });
        let closing = server.rpc("openenv/session/close", &params);
        tokio::time::timeout(Duration::from_secs(2), closing).await
    };
    let (one, other, closed) = tokio::join!(wait(), wait(), close);
    assert_eq!(
        closed.expect("nothing holds it up")["result"]["closed"],
        true
    );
    for reply in [one, other] {
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(message.ends_with("is closed"), "{reply}");
    }
    server.stop().await;
}
