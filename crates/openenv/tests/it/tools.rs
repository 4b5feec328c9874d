//! Tools, through every door that leads to them.

mod calls;
mod failures;
pub(crate) mod notebook;
mod odd_types;
mod registration;
mod steps;
mod time;
mod values;

use serde_json::{Value, json};

use crate::support::{Socket, TestServer, http};

/// A step that calls a tool, as a frame of `/ws`.
fn call(tool: &str, arguments: &Value) -> Value {
    json!({ "type": "step", "data": action(tool, arguments) })
}

fn action(tool: &str, arguments: &Value) -> Value {
    json!({ "type": "call_tool", "tool_name": tool, "arguments": arguments })
}

/// A call over JSON-RPC.
fn request(tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params })
}

/// Takes a step and returns all of its reply.
async fn step(socket: &mut Socket, tool: &str, arguments: Value) -> Value {
    let mut reply = socket.ask(&call(tool, &arguments)).await;
    assert_eq!(reply["type"], "observation", "{reply}");
    reply["data"].take()
}

/// Calls over `POST /mcp`, in the session that `id` names or in one of its own.
async fn post(server: &TestServer, id: Option<&str>, tool: &str, arguments: Value) -> Value {
    let mut params = json!({ "name": tool, "arguments": arguments });
    if let Some(id) = id {
        params["session_id"] = json!(id);
    }
    server.rpc("tools/call", &params).await
}

/// Creates a session over HTTP and returns its id.
async fn session(server: &TestServer) -> String {
    let reply = server.rpc("openenv/session/create", &json!({})).await;
    reply["result"]["session_id"].as_str().unwrap().to_owned()
}

/// Takes one step over HTTP and returns status and body.
async fn post_step(server: &TestServer, body: &Value) -> (u16, Value) {
    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .json(body)
        .send()
        .await
        .unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}
