//! MCP servers that are not ours: other words for the same things.

use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use axum::{Json, Router};
use openenv::{Content, Endpoint, ToolFailure};
use serde_json::{Value, json};
use tokio::net::TcpListener;

/// The value of `authorization` in each request.
type Seen = Arc<Mutex<Vec<String>>>;

/// A server without sessions, below a path.
async fn serve() -> (Endpoint, Seen) {
    let seen = Seen::default();
    let app = Router::new()
        .route("/agents/mcp", post(answer))
        .with_state(Arc::clone(&seen));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/agents/", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, app).await });
    let endpoint = Endpoint::new(&url).unwrap();
    let endpoint = endpoint.header("authorization", "Bearer secret").unwrap();
    (endpoint, seen)
}

async fn answer(
    State(seen): State<Seen>,
    headers: HeaderMap,
    Json(request): Json<Value>,
) -> Response {
    let authorization = headers["authorization"].to_str().unwrap();
    seen.lock().unwrap().push(authorization.to_owned());
    if request["id"].is_null() {
        return StatusCode::ACCEPTED.into_response();
    }
    let outcome = match request["method"].as_str().unwrap() {
        "initialize" => Ok(json!({
            "protocolVersion": "2025-06-18",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "foreign", "version": "1" },
        })),
        "tools/list" => Ok(page(&request["params"]["cursor"])),
        _ => call(&request["params"]),
    };
    let (member, outcome) = match outcome {
        Ok(result) => ("result", result),
        Err(error) => ("error", error),
    };
    Json(json!({ "jsonrpc": "2.0", "id": request["id"], member: outcome })).into_response()
}

fn page(cursor: &Value) -> Value {
    let tool = |name: &str| json!({ "name": name, "inputSchema": { "type": "object" } });
    match cursor.as_str() {
        None => json!({ "tools": [tool("one")], "nextCursor": "a" }),
        Some("a") => json!({ "tools": [], "nextCursor": "b" }),
        Some(_) => json!({ "tools": [tool("two")] }),
    }
}

fn call(params: &Value) -> Result<Value, Value> {
    let text = |text: &str| json!([{ "type": "text", "text": text }]);
    match params["name"].as_str().unwrap() {
        "one" => Ok(json!({
            "content": [
                { "type": "text", "text": "five" },
                { "type": "resource_link", "uri": "file:///five", "name": "five" },
            ],
            "structuredContent": { "result": params["arguments"]["number"] },
        })),
        "two" => Ok(json!({ "content": text("[1, 2]") })),
        "no" => Ok(json!({ "content": text("will not"), "isError": true })),
        "strict" => Err(json!({ "code": -32602, "message": "Invalid arguments for tool strict" })),
        name => Err(json!({ "code": -32602, "message": format!("Tool {name} not found") })),
    }
}

#[tokio::test]
async fn pages_headers_and_prefix() {
    let (endpoint, seen) = serve().await;
    let mut tools = endpoint.connect_mcp().await.unwrap();
    let listed = tools.list_tools().await.unwrap();
    let names: Vec<_> = listed.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["one", "two"]);
    assert_eq!(listed[0].description, "");
    tools.close().await.unwrap();
    let seen = seen.lock().unwrap();
    assert!(seen.len() >= 5, "{seen:?}");
    assert!(seen.iter().all(|header| header == "Bearer secret"));
}

#[tokio::test]
async fn results_and_failures() {
    let (endpoint, _) = serve().await;
    let mut tools = endpoint.connect_mcp().await.unwrap();
    let output = tools.call_tool("one", &json!({ "number": 5 })).await;
    let output = output.unwrap();
    assert_eq!(output.content()[1], Content::Other);
    let data: Value = output.read().unwrap();
    assert_eq!(
        data,
        json!({ "result": 5 }),
        "nothing says that it is wrapped"
    );
    let output = tools.call_tool("two", &()).await.unwrap();
    assert_eq!(output.read::<Vec<u32>>().unwrap(), [1, 2]);
    for (name, failure) in [
        ("no", ToolFailure::Execution),
        ("strict", ToolFailure::InvalidArguments),
        ("nothing", ToolFailure::NotFound),
    ] {
        let error = tools.call_tool(name, &()).await.unwrap_err();
        assert_eq!(error.tool_failure(), Some(failure), "{error:?}");
    }
}

#[tokio::test]
async fn a_server_without_mcp() {
    let (endpoint, _) = serve().await;
    let elsewhere = Endpoint::new(&format!("{endpoint}/nowhere")).unwrap();
    for error in [
        elsewhere.connect_mcp().await.unwrap_err(),
        elsewhere.connect_tools().await.unwrap_err(),
    ] {
        assert!(error.is_connection(), "{error:?}");
        assert!(error.to_string().contains("404"), "{error}");
    }
}
