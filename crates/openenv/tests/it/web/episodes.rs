//! What happened in sessions, to be looked at later.

use std::time::Duration;

use openenv::{Tool, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{ask, boards, get, newest, place, player, reset, view};
use crate::probe::{InlineProbe, ThreadProbe};
use crate::support::{TestServer, nothing_but_tools};

#[tokio::test]
async fn an_episode_is_kept_with_all_that_was_asked() {
    let server = TestServer::start(boards()).await;
    let mut socket = player(&server).await;
    socket.ask(&place(1)).await;
    let state = socket.ask(&json!({ "type": "state" })).await["data"].clone();
    let shown = socket.ask(&view()).await["data"].clone();
    socket.ask(&place(1)).await;
    socket.ask(&place(7)).await;

    let key = newest(&server).await;
    assert_eq!(shown["episode"], *key);
    assert_eq!(shown["step"], 1);
    assert_eq!(
        shown["rendering"],
        json!({ "kind": "text", "content": ".x.", "media_type": "text/plain" })
    );
    assert_eq!(
        shown["suggested_actions"],
        json!([
            { "label": "Cell 0", "action": { "cell": 0 } },
            { "label": "Cell 2", "action": { "cell": 2 } },
        ])
    );

    let kept = get(&server, &format!("/web/episodes/{key}")).await;
    let summary = &kept["summary"];
    assert_eq!(summary["episode_id"], "first");
    assert_eq!(
        (&summary["length"], &summary["return"]),
        (&json!(4), &json!(1.0))
    );
    assert_eq!(
        (&summary["errors"], &summary["live"]),
        (&json!(2), &json!(true))
    );
    let steps = kept["steps"].as_array().unwrap();
    assert_eq!(steps[0]["kind"], "reset");
    assert_eq!(steps[0]["request"], reset()["data"]);
    assert_eq!(steps[1]["request"], json!({ "cell": 1 }));
    assert_eq!(steps[1]["reply"]["observation"]["row"], ".x.");
    assert_eq!(steps[1]["state"], state);
    assert_eq!(steps[1]["rendering"], shown["rendering"]);
    assert!(steps[1]["took"].as_f64().unwrap() > 0.0);
    assert_eq!(steps[2]["error"]["message"], "cell 1 is taken");
    assert_eq!(steps[3]["error"]["errors"][0]["loc"], json!(["cell"]));

    socket.ask(&reset()).await;
    assert_ne!(newest(&server).await, key, "a reset begins another");
    socket.send_json(&json!({ "type": "close" })).await;
    socket.expect_close().await;
    let episodes = get(&server, "/web/episodes").await;
    assert!(
        episodes
            .as_array()
            .unwrap()
            .iter()
            .all(|it| it["live"] == false)
    );
    server.stop().await;
}

#[tokio::test]
async fn a_picture_that_fails_costs_nothing() {
    let server = TestServer::start(boards()).await;
    let mut socket = player(&server).await;
    for cell in 0..3 {
        socket.ask(&place(cell)).await;
    }
    let shown = socket.ask(&view()).await;
    assert_eq!(shown["data"]["rendering"], Value::Null, "{shown}");
    let state = socket.ask(&json!({ "type": "state" })).await;
    assert_eq!(state["data"]["row"], "xxx", "the session goes on");
    server.stop().await;
}

#[tokio::test]
async fn old_episodes_make_room_and_the_newest_stays() {
    let (builder, _) = InlineProbe::server();
    let kept = 64 * 1024;
    let server = TestServer::start(builder.web(true).keep_episodes(None, kept)).await;
    let mut socket = server.socket("/ws").await;
    let step = json!({ "type": "step", "data": { "add": 1, "repeat": 100 } });
    for _ in 0..20 {
        socket.ask(&json!({ "type": "reset", "data": {} })).await;
        for _ in 0..20 {
            socket.ask(&step).await;
        }
    }
    for _ in 0..500 {
        socket.ask(&step).await;
    }
    let episodes = get(&server, "/web/episodes").await;
    let episodes = episodes.as_array().unwrap();
    assert!((1..20).contains(&episodes.len()), "{}", episodes.len());
    let last = &episodes[0];
    assert_eq!(last["length"], 521);
    assert!(last["dropped"].as_u64().unwrap() > 300, "{last}");
    let key = last["key"].as_str().unwrap();
    let part = get(&server, &format!("/web/episodes/{key}?from=0&limit=2")).await;
    let first = part["steps"][0]["n"].as_u64().unwrap();
    assert_eq!(
        Some(first),
        last["dropped"].as_u64(),
        "the first that is kept"
    );
    let all: Value = get(&server, "/web/episodes").await;
    let mut bytes = 0;
    for episode in all.as_array().unwrap() {
        let key = episode["key"].as_str().unwrap();
        bytes += get(&server, &format!("/web/episodes/{key}"))
            .await
            .to_string()
            .len();
    }
    assert!(bytes < 2 * kept, "{bytes} bytes for {kept}");
    server.stop().await;
}

#[tokio::test]
async fn an_episode_is_forgotten_in_time() {
    let keep = Duration::from_millis(200);
    let server = TestServer::start(boards().keep_episodes(keep, 1 << 20)).await;
    let mut ended = player(&server).await;
    let key = newest(&server).await;
    ended.send_json(&json!({ "type": "close" })).await;
    ended.expect_close().await;
    let mut live = player(&server).await;
    tokio::time::sleep(2 * keep).await;
    let response = ask(&server, &format!("/web/episodes/{key}"), &[]).await;
    assert_eq!(response.status(), 404);
    let detail: Value = response.json().await.unwrap();
    assert!(
        detail["detail"].as_str().unwrap().contains(&key),
        "{detail}"
    );
    live.ask(&place(0)).await;
    assert_eq!(
        get(&server, "/web/episodes")
            .await
            .as_array()
            .unwrap()
            .len(),
        1
    );
    server.stop().await;
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Words {
    message: String,
}

struct Parrot;

nothing_but_tools!(
    Parrot,
    Tools::new().add(Tool::new(
        "echo_message",
        "Says it back",
        |_: &mut Parrot, words: Words| Ok(words.message)
    ))
);

#[tokio::test]
async fn calls_of_tools_are_kept_without_a_reset() {
    let builder = openenv::Server::builder().environment("echo", || Parrot);
    let builder = builder.mode(openenv::Mode::Production).web(true);
    let server = TestServer::start(builder).await;
    let name = "echo_message";
    let mut socket = server.socket("/ws").await;
    let call = json!({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": { "name": name, "arguments": { "message": "hi" } },
    });
    socket.ask(&json!({ "type": "mcp", "data": call })).await;
    let key = newest(&server).await;
    let kept = get(&server, &format!("/web/episodes/{key}")).await;
    assert_eq!(kept["steps"][0]["kind"], "tool");
    assert_eq!(kept["steps"][0]["request"]["name"], name);
    assert!(kept["steps"][0]["reply"].to_string().contains("hi"));
    server.stop().await;
}

#[tokio::test]
async fn every_session_shows_who_uses_it_and_how_far_it_is() {
    let server = TestServer::start(boards()).await;
    let mut socket = player(&server).await;
    socket.ask(&place(0)).await;
    socket.ask(&place(1)).await;
    let sessions = get(&server, "/web/sessions").await;
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    let session = &sessions[0];
    assert_eq!(session["origin"], "websocket");
    assert_eq!(session["steps"], 2);
    assert_eq!(session["episode"]["return"], 2.0);
    assert_eq!(
        session["id"].as_str().unwrap().len(),
        8,
        "not enough to attach with"
    );
    server.stop().await;
}

#[tokio::test]
async fn a_panic_is_kept_and_costs_one_session() {
    for builder in [InlineProbe::server().0, ThreadProbe::server().0] {
        let server = TestServer::start(builder.web(true)).await;
        let mut socket = server.socket("/ws").await;
        socket
            .ask(&json!({ "type": "step", "data": { "panic": true } }))
            .await;
        socket.expect_close().await;
        let key = newest(&server).await;
        let kept = get(&server, &format!("/web/episodes/{key}")).await;
        let message = kept["steps"][0]["error"]["message"].as_str().unwrap();
        assert!(message.contains("panicked"), "{message}");
        assert_eq!(kept["summary"]["live"], false);
        server.stop().await;
    }
}
