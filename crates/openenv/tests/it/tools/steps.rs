//! Tool calls as steps: judged, counted, and classified when they fail.

use serde_json::{Value, json};

use super::notebook::Notebook;
use super::{action, post_step, session, step};
use crate::support::TestServer;

async fn the_environment_judges_every_call<const THREAD: bool>() {
    let server = TestServer::start(Notebook::<THREAD>::server()).await;
    let mut socket = server.socket("/ws").await;
    let reply = step(&mut socket, "write", json!({ "text": "one" })).await;
    assert_eq!(reply["observation"]["result"]["data"], 1);
    assert_eq!(reply["observation"]["error"], Value::Null);
    assert_eq!(
        (&reply["reward"], &reply["done"]),
        (&json!(1), &json!(false))
    );
    assert_eq!(
        reply["metadata"],
        json!({ "tool": "write", "arguments": { "text": "one" }, "told": 1 })
    );
    assert_eq!(reply["observation"]["metadata"], reply["metadata"]);

    for (tool, arguments, failure) in [
        ("fail", json!({ "text": "no ink" }), "execution_error"),
        ("write", json!({ "text": "" }), "invalid_args"),
        ("doubt", json!({ "text": "hm" }), "invalid_args"),
        ("erase", json!({ "all": true }), "tool_not_found"),
        ("hasty", json!({ "ms": 600_000 }), "timeout"),
    ] {
        if THREAD && failure == "timeout" {
            continue; // Ends the session: see `time`.
        }
        let reply = step(&mut socket, tool, arguments.clone()).await;
        assert_eq!(reply["observation"]["result"], Value::Null);
        assert_eq!(reply["observation"]["error"]["error_type"], failure);
        assert_eq!(
            (&reply["reward"], &reply["done"]),
            (&json!(-1), &json!(true))
        );
        assert_eq!(
            reply["metadata"],
            json!({
                "tool": tool, "arguments": arguments, "failure": failure,
                "truncated": true,
            })
        );
    }
    socket.ask(&json!({ "type": "reset" })).await;
    step(&mut socket, "write", json!({ "text": "one" })).await;
    step(&mut socket, "write", json!({ "text": "two" })).await;
    let reply = step(&mut socket, "write", json!({ "text": "three" })).await;
    assert_eq!(
        (&reply["reward"], &reply["done"]),
        (&json!(3), &json!(true))
    );
    server.stop().await;
}

#[tokio::test]
async fn the_environment_judges_every_call_inline() {
    the_environment_judges_every_call::<false>().await;
}

#[tokio::test]
async fn the_environment_judges_every_call_on_its_thread() {
    the_environment_judges_every_call::<true>().await;
}

#[tokio::test]
async fn a_step_over_http_is_judged_in_an_environment_of_its_own() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    for _ in 0..2 {
        let body = json!({ "action": action("write", &json!({ "text": "one" })) });
        let (status, reply) = post_step(&server, &body).await;
        assert_eq!(status, 200);
        assert_eq!(reply["observation"]["result"]["data"], 1);
        // Rewards over HTTP are floats, as the reference sends them.
        assert_eq!(reply["reward"], json!(1.0));
        assert_eq!(reply["metadata"]["tool"], "write");
    }
    let body = json!({ "action": action("fail", &json!({ "text": "no ink" })) });
    let (status, reply) = post_step(&server, &body).await;
    assert_eq!((status, &reply["done"]), (200, &json!(true)));
    assert_eq!(reply["metadata"]["failure"], "execution_error");
    server.stop().await;
}

#[tokio::test]
async fn steps_count_whatever_comes_of_them_and_calls_over_mcp_do_not() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let mut socket = server.socket(&format!("/ws?session_id={id}")).await;
    let state = json!({ "type": "state" });
    step(&mut socket, "read", json!({})).await;
    step(&mut socket, "fail", json!({ "text": "no" })).await;
    step(&mut socket, "erase", json!({})).await;
    let listed = json!({ "type": "step", "data": { "type": "list_tools" } });
    assert_eq!(socket.ask(&listed).await["type"], "observation");
    super::post(&server, Some(&id), "write", json!({ "text": "x" })).await;
    let refused = json!({ "type": "step", "data": { "type": "call_tool" } });
    assert_eq!(
        socket.ask(&refused).await["data"]["code"],
        "VALIDATION_ERROR"
    );
    assert_eq!(socket.ask(&state).await["data"]["step_count"], 4);
    let info = &server.server().sessions()[0];
    assert_eq!((info.steps, info.tool_calls), (4, 4));

    socket.ask(&json!({ "type": "reset" })).await;
    assert_eq!(socket.ask(&state).await["data"]["step_count"], 0);
    server.stop().await;
}

#[tokio::test]
async fn a_failure_is_what_it_is_whatever_its_words() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let mut socket = server.socket("/ws").await;
    for (tool, text, failure, message) in [
        (
            "fail",
            "file not found",
            "execution_error",
            "Error calling tool 'fail': file not found",
        ),
        (
            "fail",
            "invalid argument",
            "execution_error",
            "Error calling tool 'fail': invalid argument",
        ),
        (
            "fail",
            "timed out",
            "execution_error",
            "Error calling tool 'fail': timed out",
        ),
        (
            "doubt",
            "hm",
            "invalid_args",
            "1 validation error for call[doubt]\ntext: `hm` is no line",
        ),
    ] {
        let reply = step(&mut socket, tool, json!({ "text": text })).await;
        assert_eq!(
            reply["observation"]["error"],
            json!({ "error_type": failure, "message": message })
        );
    }
    let reply = step(&mut socket, "write", json!({ "text": "", "x": 1 })).await;
    assert_eq!(
        reply["observation"]["error"]["message"],
        "2 validation errors for call[write]\n\
         text: String should have at least 1 character\n\
         x: Extra inputs are not permitted"
    );
    server.stop().await;
}
