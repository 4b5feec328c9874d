//! Tools for agents on one address, control for trainers on another, or nowhere.

use openenv::Mode;
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::oneshot;

use super::agent::Agent;
use crate::support::{Socket, TestServer, fetch, http};
use crate::tools::notebook::Notebook;

/// The routes that control sessions, as far as GET finds them.
async fn control_routes(url: &str) -> Vec<&'static str> {
    let mut found = Vec::new();
    for route in ["/sessions", "/state", "/ws"] {
        let client = http().build().unwrap();
        let mut request = client.get(format!("{url}{route}"));
        if route == "/ws" {
            request = request
                .header("connection", "upgrade")
                .header("upgrade", "websocket")
                .header("sec-websocket-version", "13")
                .header("sec-websocket-key", "dGhlIHNhbXBsZSBub25jZQ==");
        }
        let status = request.send().await.unwrap().status();
        if status.is_success() || status == 101 {
            found.push(route);
        } else {
            assert!(status == 404 || status == 403, "{route}: {status}");
        }
    }
    found
}

#[tokio::test]
async fn control_can_be_switched_off() {
    let builder = Notebook::<false>::server().mode(Mode::Production);
    let server = TestServer::start(builder.control(false)).await;
    assert_eq!(control_routes(&server.url()).await, [""; 0]);
    let document: serde_json::Value = fetch(format!("{}/openapi.json", server.url()))
        .await
        .unwrap()
        .json()
        .await
        .unwrap();
    assert!(document["paths"]["/sessions"].is_null());
    Agent::connect(&server.url())
        .await
        .call("write", json!({ "text": "a" }))
        .await;
    server.stop().await;
}

#[tokio::test]
async fn control_can_have_an_address_of_its_own() {
    for (mode, expected) in [
        (Mode::Production, &["/sessions", "/ws"][..]),
        (Mode::Simulation, &["/sessions", "/state", "/ws"]),
    ] {
        let server = Notebook::<false>::server().mode(mode).build().unwrap();
        let agents = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let control = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let agents_url = format!("http://{}", agents.local_addr().unwrap());
        let control_url = format!("http://{}", control.local_addr().unwrap());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(server.serve_apart(agents, control, async {
            let _ = stopped.await;
        }));
        assert_eq!(control_routes(&agents_url).await, [""; 0]);
        assert_eq!(control_routes(&control_url).await, expected);

        // Both see the same sessions.
        let agent = Agent::connect(&agents_url).await;
        let id = agent.session.clone().unwrap();
        agent
            .call("write", json!({ "text": "from the agent" }))
            .await;
        let path = control_url.replace("http", "ws");
        let mut socket = Socket::open(&format!("{path}/ws?session_id={id}")).await;
        let step = json!({ "type": "step", "data": { "type": "call_tool", "tool_name": "read" } });
        let reply = socket.ask(&step).await;
        let seen = &reply["data"]["observation"]["result"]["data"];
        assert_eq!(*seen, json!(["from the agent"]));
        drop(socket);
        drop(stop);
        serving.await.unwrap().unwrap();
    }
}
