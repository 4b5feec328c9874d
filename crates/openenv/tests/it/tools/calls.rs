//! The ways to call a tool, of which none is a detour around the session.

use openenv::Mode;
use serde_json::{Value, json};

use super::notebook::Notebook;
use super::{call, post, request, session, step};
use crate::support::TestServer;

async fn every_way_leads_to_the_same_notebook<const THREAD: bool>() {
    let server = TestServer::start(Notebook::<THREAD>::server()).await;
    let id = session(&server).await;
    let mut socket = server.socket(&format!("/ws?session_id={id}")).await;
    step(&mut socket, "write", json!({ "text": "step" })).await;
    let frame = json!({ "type": "mcp", "data": request("write", &json!({ "text": "frame" })) });
    let reply = socket.ask(&frame).await;
    assert_eq!(reply["data"]["result"]["data"], 2);
    let reply = post(&server, Some(&id), "write", json!({ "text": "post" })).await;
    assert_eq!(reply["result"]["data"], 3);
    let reply = step(&mut socket, "read", json!({})).await;
    assert_eq!(
        reply["observation"]["result"]["data"],
        json!(["step", "frame", "post"])
    );

    // Each of the others has a notebook of its own.
    let mut rpc = server.socket("/mcp").await;
    let reply = rpc.ask(&request("write", &json!({ "text": "own" }))).await;
    assert_eq!(reply["result"]["data"], 1);
    let reply = rpc.ask(&request("read", &json!({}))).await;
    assert_eq!(reply["result"]["data"], json!(["own"]));
    for _ in 0..2 {
        let reply = post(&server, None, "write", json!({ "text": "alone" })).await;
        assert_eq!(reply["result"]["data"], 1);
    }
    server.stop().await;
}

#[tokio::test]
async fn every_way_leads_to_the_same_notebook_inline() {
    every_way_leads_to_the_same_notebook::<false>().await;
}

#[tokio::test]
async fn every_way_leads_to_the_same_notebook_on_its_thread() {
    every_way_leads_to_the_same_notebook::<true>().await;
}

#[tokio::test]
async fn a_mode_has_its_own_tools() {
    for (mode, told) in [
        (Mode::Simulation, "simulation"),
        (Mode::Production, "production"),
    ] {
        let server = TestServer::start(Notebook::<false>::server().mode(mode)).await;
        let mut socket = server.socket("/ws").await;
        let cheats = usize::from(mode == Mode::Simulation);
        let count = |tools: &Value, name: &str| {
            let tools = tools.as_array().unwrap();
            tools.iter().filter(|tool| tool["name"] == name).count()
        };

        let listed = server.rpc("tools/list", &json!({})).await;
        assert_eq!(count(&listed["result"]["tools"], "mode"), 1);
        assert_eq!(count(&listed["result"]["tools"], "cheat"), cheats);
        let list = json!({ "type": "step", "data": { "type": "list_tools" } });
        let listed = socket.ask(&list).await;
        let tools = &listed["data"]["observation"]["tools"];
        assert_eq!((count(tools, "mode"), count(tools, "cheat")), (1, cheats));

        let reply = post(&server, None, "mode", json!({})).await;
        assert_eq!(reply["result"]["data"], told);
        let reply = step(&mut socket, "mode", json!({})).await;
        assert_eq!(reply["observation"]["result"]["data"], told);
        let over_mcp = post(&server, None, "cheat", json!({})).await;
        let as_step = step(&mut socket, "cheat", json!({})).await;
        if mode == Mode::Production {
            let message = "Tool 'cheat' not available in production mode";
            assert_eq!(over_mcp["error"]["message"], message);
            assert_eq!(
                as_step["observation"]["error"],
                json!({ "error_type": "tool_not_found", "message": message })
            );
        } else {
            assert_eq!(over_mcp["result"]["data"], told);
            assert_eq!(as_step["observation"]["result"]["data"], told);
        }
        server.stop().await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_session_serves_one_call_at_a_time() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let mut socket = server.socket(&format!("/ws?session_id={id}")).await;
    let wait = json!({ "ms": 30 });
    socket.send_json(&call("wait", &wait)).await;
    tokio::join!(
        post(&server, Some(&id), "wait", wait.clone()),
        post(&server, Some(&id), "wait", wait.clone()),
        post(&server, Some(&id), "wait", wait.clone()),
    );
    socket.recv_json().await;
    let reply = post(&server, Some(&id), "read", json!({})).await;
    let turns = ["begin", "end"].repeat(4);
    assert_eq!(reply["result"]["data"], json!(turns));
    server.stop().await;
}

#[tokio::test]
async fn what_is_no_call_is_refused_in_words_and_harms_nobody() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let id = session(&server).await;
    let no_name = (-32602, "Missing 'name' in params");
    let no_object = "1 validation error for CallToolRequestParams\n\
                     arguments: Input should be a valid dictionary";
    let no_text = "1 validation error for CallToolRequestParams\n\
                   name: Input should be a valid string";
    let nobody = "Unknown session_id: nobody";
    for (params, (code, message)) in [
        (json!({}), no_name),
        (json!({ "name": null }), no_name),
        (json!({ "name": "" }), no_name),
        (json!({ "name": 5 }), (-32603, no_text)),
        (json!({ "name": ["read"] }), (-32603, no_text)),
        (
            json!({ "name": "read", "arguments": "{}" }),
            (-32603, no_object),
        ),
        (
            json!({ "name": "read", "arguments": [1] }),
            (-32603, no_object),
        ),
        (
            json!({ "name": "read", "arguments": 7 }),
            (-32603, no_object),
        ),
        (
            json!({ "name": "erase" }),
            (-32603, "Unknown tool: 'erase'"),
        ),
        (json!({ "name": "step" }), (-32603, "Unknown tool: 'step'")),
        (
            json!({ "name": "read", "session_id": "nobody" }),
            (-32602, nobody),
        ),
    ] {
        for in_session in [false, true] {
            let mut params = params.clone();
            if in_session && params.get("session_id").is_none() {
                params["session_id"] = json!(id);
            }
            let reply = server.rpc("tools/call", &params).await;
            let error = json!({ "code": code, "message": message, "data": null });
            assert_eq!(reply["error"], error, "{params}");
        }
    }
    for nothing in [json!(null), json!([]), json!({})] {
        let params = json!({ "name": "read", "arguments": nothing, "session_id": id });
        let reply = server.rpc("tools/call", &params).await;
        assert_eq!(reply["result"]["data"], json!([]), "{params}");
    }

    let mut socket = server.socket("/ws").await;
    for data in [
        json!({ "type": "call_tool" }),
        json!({ "type": "call_tool", "tool_name": 5 }),
        json!({ "tool_name": "read", "arguments": null }),
        json!({ "tool_name": "read", "arguments": "{}" }),
        json!({ "tool_name": "read", "arguments": [] }),
        json!({ "type": "call", "tool_name": "read" }),
        json!({ "type": "list_tools", "tool_name": "read" }),
        json!({}),
    ] {
        let reply = socket.ask(&json!({ "type": "step", "data": data })).await;
        assert_eq!(reply["data"]["code"], "VALIDATION_ERROR", "{data}");
    }
    let reply = step(&mut socket, "", json!({})).await;
    assert_eq!(reply["observation"]["error"]["message"], "Unknown tool: ''");
    assert_eq!(server.server().sessions().len(), 2);
    server.stop().await;
}
