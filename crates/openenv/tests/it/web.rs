//! The page for people, as far as the server goes: who may have it, what it shows,
//! and that nobody else notices it.

mod board;
mod compatible;
mod episodes;
mod following;
mod lingering;
mod page;

use openenv::ServerBuilder;
use reqwest::Response;
use serde_json::{Value, json};

use crate::support::{Socket, TestServer, http};
use board::Board;

fn boards() -> ServerBuilder {
    openenv::Server::builder()
        .environment("board", Board::default)
        .web(true)
}

fn place(cell: u8) -> Value {
    json!({ "type": "step", "data": { "cell": cell } })
}

fn reset() -> Value {
    json!({ "type": "reset", "data": { "seed": 7, "episode_id": "first" } })
}

fn view() -> Value {
    json!({ "type": "view" })
}

async fn get(server: &TestServer, path: &str) -> Value {
    let response = ask(server, path, &[]).await;
    assert_eq!(response.status(), 200, "{path}");
    response.json().await.unwrap()
}

/// Without following redirects.
async fn ask(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Response {
    let client = http().redirect(reqwest::redirect::Policy::none());
    let mut request = client
        .build()
        .unwrap()
        .get(format!("{}{path}", server.url()));
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    request.send().await.unwrap()
}

async fn post(server: &TestServer, path: &str, body: &Value) -> (u16, Value) {
    let client = http().build().unwrap();
    let response = client
        .post(format!("{}{path}", server.url()))
        .json(body)
        .send()
        .await
        .unwrap();
    (response.status().as_u16(), response.json().await.unwrap())
}

/// A session that has begun an episode.
async fn player(server: &TestServer) -> Socket {
    let mut socket = server.socket("/ws").await;
    assert_eq!(socket.ask(&reset()).await["type"], "observation");
    socket
}

/// The key of the newest episode.
async fn newest(server: &TestServer) -> String {
    get(server, "/web/episodes").await[0]["key"]
        .as_str()
        .unwrap()
        .to_owned()
}
