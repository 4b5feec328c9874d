//! A tool that panics costs its own session, and no more.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use super::notebook::Notebook;
use super::{action, call, post, post_step, request, session, step};
use crate::support::{TestServer, eventually};

/// In the tool, before its future is there, and while its arguments are read.
const PANICS: [(&str, &str); 3] = [
    ("panic", "told to"),
    ("panic_early", "too early"),
    ("panic_parsing", "no such trap"),
];

async fn a_panic_costs_one_session<const THREAD: bool>() {
    let closed = Arc::new(AtomicUsize::new(0));
    let server = TestServer::start(Notebook::<THREAD>::counted(&closed)).await;
    let mut healthy = server.socket("/ws").await;
    step(&mut healthy, "write", json!({ "text": "kept" })).await;
    for (tool, words) in PANICS {
        let message = format!("the environment panicked: {words}; the session is over");
        let error = json!({ "code": -32603, "message": message, "data": null });
        let before = closed.load(Ordering::SeqCst);

        let mut socket = server.socket("/ws").await;
        let reply = socket.ask(&call(tool, &json!({}))).await;
        assert_eq!(reply["data"]["code"], "EXECUTION_ERROR");
        assert_eq!(reply["data"]["message"], message);
        assert_eq!(socket.expect_close().await, 1000);

        let mut socket = server.socket("/ws").await;
        let frame = json!({ "type": "mcp", "data": request(tool, &json!({})) });
        assert_eq!(socket.ask(&frame).await["data"]["error"], error);
        assert_eq!(socket.expect_close().await, 1000);

        let mut socket = server.socket("/mcp").await;
        let reply = socket.ask(&request(tool, &json!({}))).await;
        assert_eq!(reply["error"], error);
        assert_eq!(socket.expect_close().await, 1000);

        let id = session(&server).await;
        let reply = post(&server, Some(&id), tool, json!({})).await;
        assert_eq!(reply["error"], error);
        let reply = post(&server, Some(&id), "read", json!({})).await;
        let unknown = format!("Unknown session_id: {id}");
        assert_eq!(reply["error"]["message"], unknown);

        let reply = post(&server, None, tool, json!({})).await;
        assert_eq!(reply["error"], error);
        let body = json!({ "action": action(tool, &json!({})) });
        let (status, reply) = post_step(&server, &body).await;
        assert_eq!((status, &reply["detail"]), (500, &json!(message)));

        eventually("every place but one is free", || {
            server.server().capacity()[0].active == 1
        })
        .await;
        eventually("every notebook is closed, once", || {
            closed.load(Ordering::SeqCst) == before + 6
        })
        .await;
    }
    let reply = step(&mut healthy, "read", json!({})).await;
    assert_eq!(reply["observation"]["result"]["data"], json!(["kept"]));
    server.stop().await;
}

#[tokio::test]
async fn a_panic_costs_one_session_inline() {
    Box::pin(a_panic_costs_one_session::<false>()).await;
}

#[tokio::test]
async fn a_panic_costs_one_session_on_its_thread() {
    Box::pin(a_panic_costs_one_session::<true>()).await;
}

#[tokio::test]
async fn a_panic_over_http_is_told_to_the_socket_that_is_attached() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let mut socket = server.socket(&format!("/ws?session_id={id}")).await;
    step(&mut socket, "read", json!({})).await;
    let reply = post(&server, Some(&id), "panic", json!({})).await;
    assert_eq!(reply["error"]["code"], -32603);
    let reply = socket.ask(&call("read", &json!({}))).await;
    assert_eq!(reply["type"], "error", "{reply}");
    assert_eq!(socket.expect_close().await, 1000);
    eventually("the place is free", || {
        server.server().capacity()[0].active == 0
    })
    .await;
    server.stop().await;
}
