//! Capacity, ownership, attaching and the idle rule.

use std::time::Duration;

use serde_json::{Value, json};

use crate::probe::{InlineProbe, LonelyProbe};
use crate::support::{Socket, TestServer, eventually, fetch};

fn step(add: i64) -> Value {
    json!({ "type": "step", "data": { "add": add } })
}

fn id_in(path: &str) -> &str {
    path.rsplit('=').next().unwrap()
}

async fn sum(socket: &mut Socket) -> i64 {
    let reply = socket.ask(&step(0)).await;
    reply["data"]["observation"]["sum"].as_i64().unwrap()
}

async fn get(server: &TestServer, path: &str) -> Value {
    let response = fetch(format!("{}{path}", server.url())).await.unwrap();
    response.json().await.unwrap()
}

#[tokio::test]
async fn an_environment_that_declares_nothing_has_one_slot_which_is_free_at_once_after_close() {
    let (builder, life) = LonelyProbe::server();
    let server = TestServer::start(builder).await;
    for round in 0..20 {
        let mut first = server.socket("/ws").await;
        assert_eq!(
            first.ask(&step(1)).await["type"],
            "observation",
            "round {round}"
        );

        let mut second = server.socket("/ws").await;
        let refusal = second.ask(&step(1)).await;
        assert_eq!(refusal["data"]["code"], "CAPACITY_REACHED");
        assert_eq!(refusal["data"]["active_sessions"], 1);
        assert_eq!(refusal["data"]["max_sessions"], 1);
        assert_eq!(second.expect_close().await, 1000);

        first.send_json(&json!({ "type": "close" })).await;
        assert_eq!(first.expect_close().await, 1000);
        assert_eq!(
            life.closed(),
            round + 1,
            "closed before the client saw the close frame"
        );
    }
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (20, 20));
}

#[tokio::test]
async fn more_than_one_session_of_an_undeclared_environment_is_refused_at_start() {
    let (builder, _) = LonelyProbe::server();
    let error = builder.max_sessions(2).build().unwrap_err().to_string();
    assert!(
        error.contains("`probe`") && error.contains("CONCURRENT"),
        "{error}"
    );
}

#[tokio::test]
async fn a_reconnecting_client_waits_for_its_own_slot_to_be_cleared() {
    let life = std::sync::Arc::new(crate::probe::Life::default());
    let of_factory = std::sync::Arc::clone(&life);
    let builder = openenv::Server::builder().environment("probe", move || {
        LonelyProbe::new(&of_factory).slow_close(Duration::from_millis(300))
    });
    let server = TestServer::start(builder).await;
    let mut first = server.socket("/ws").await;
    first.ask(&step(1)).await;
    first.vanish();
    eventually("the disconnect is noticed", || {
        server.server().sessions().is_empty()
    })
    .await;
    // The environment is still closing, and it must not share the process.
    assert_eq!(life.closed(), 0);
    let mut second = server.socket("/ws").await;
    assert_eq!(sum(&mut second).await, 0);
    assert_eq!(life.closed(), 1);
    server.stop().await;
}

#[tokio::test]
async fn the_waiting_room_serves_in_time_and_forgets_who_left() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(
        builder
            .max_sessions(1)
            .queue_timeout(Duration::from_secs(30)),
    )
    .await;
    let waiting = || server.server().capacity()[0].waiting;
    let mut first = server.socket("/ws").await;
    first.ask(&step(1)).await;

    let impatient = server.socket("/ws").await;
    eventually("one waits", || waiting() == 1).await;
    impatient.vanish();
    eventually("nobody waits", || waiting() == 0).await;

    let mut second = server.socket("/ws").await;
    second.send_json(&step(5)).await;
    eventually("one waits again", || waiting() == 1).await;
    first.send_json(&json!({ "type": "close" })).await;
    assert_eq!(second.recv_json().await["data"]["observation"]["sum"], 5);
    server.stop().await;
}

#[tokio::test]
async fn the_waiting_room_refuses_when_its_time_is_over() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(
        builder
            .max_sessions(1)
            .queue_timeout(Duration::from_millis(50)),
    )
    .await;
    let mut first = server.socket("/ws").await;
    first.ask(&step(1)).await;
    let mut second = server.socket("/ws").await;
    assert_eq!(second.recv_json().await["data"]["code"], "CAPACITY_REACHED");
    server.stop().await;
}

#[tokio::test]
async fn a_session_created_over_http_outlives_its_socket() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let path = server.created_session().await;
    let id = id_in(&path);

    let mut socket = server.socket(&path).await;
    socket.ask(&step(4)).await;
    let mut intruder = server.socket(&path).await;
    let refusal = intruder.recv_json().await;
    assert_eq!(refusal["data"]["code"], "SESSION_ERROR");
    assert_eq!(
        refusal["data"]["message"],
        format!("Session {id} already has an attached WebSocket")
    );
    socket.vanish();
    eventually("the socket is gone", || {
        !server.server().sessions()[0].attached
    })
    .await;

    let mut again = server.socket(&path).await;
    assert_eq!(sum(&mut again).await, 4);
    let reply = server
        .rpc("openenv/session/close", &json!({ "session_id": id }))
        .await;
    assert_eq!(
        reply["result"],
        json!({ "session_id": id, "closed": false, "closing": true })
    );
    assert_eq!(sum(&mut again).await, 4, "usable until the socket leaves");
    again.send_json(&json!({ "type": "close" })).await;
    assert_eq!(again.expect_close().await, 1000);
    assert_eq!((life.opened(), life.closed()), (1, 1));
    let reply = server
        .rpc("openenv/session/close", &json!({ "session_id": id }))
        .await;
    assert_eq!(reply["error"]["code"], -32602);
    server.stop().await;
}

#[tokio::test]
async fn a_step_goes_on_when_the_socket_of_an_attached_session_breaks() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let path = server.created_session().await;
    let mut socket = server.socket(&path).await;
    socket
        .send_json(&json!({ "type": "step", "data": { "add": 9, "sleep_ms": 300 } }))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the socket is gone", || {
        !server.server().sessions()[0].attached
    })
    .await;
    let mut again = server.socket(&path).await;
    assert_eq!(sum(&mut again).await, 9, "the step was finished first");
    assert_eq!(life.finished_steps(), 2);
    server.stop().await;
}

#[tokio::test]
async fn only_sessions_that_nobody_uses_end_for_being_idle() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.session_timeout(Some(Duration::from_millis(100)))).await;
    let mut owned = server.socket("/ws").await;
    owned.ask(&step(1)).await;
    let mut attached = server.socket(&server.created_session().await).await;
    attached.ask(&step(2)).await;
    let abandoned = server.created_session().await;
    let abandoned = id_in(&abandoned);
    // A session whose socket broke while a step runs: busy, not idle.
    let mut breaking = server.socket(&server.created_session().await).await;
    breaking
        .send_json(&json!({ "type": "step", "data": { "sleep_ms": 600 } }))
        .await;
    server.until_a_step_runs().await;
    breaking.vanish();

    eventually("the abandoned session ends", || life.closed() == 1).await;
    let reply = server
        .rpc("openenv/session/close", &json!({ "session_id": abandoned }))
        .await;
    assert_eq!(
        reply["error"]["message"],
        format!("Unknown session_id: {abandoned}")
    );
    eventually("the busy one ends after its step", || life.closed() == 2).await;
    assert_eq!(life.finished_steps(), 3, "its step was not cut short");
    tokio::time::sleep(Duration::from_millis(400)).await;
    assert_eq!(sum(&mut owned).await, 1);
    assert_eq!(sum(&mut attached).await, 2);
    assert_eq!(server.server().capacity()[0].active, 2);
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (4, 4));
}

#[tokio::test]
async fn infrastructure_sees_who_is_there_but_cannot_take_over() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(7)).await;
    let mut socket = server.socket("/ws").await;
    socket.ask(&step(1)).await;
    let path = server.created_session().await;
    let id = id_in(&path);

    let capacity = get(&server, "/capacity").await;
    assert_eq!(
        capacity,
        json!({ "environment": "probe", "active": 2, "maximum": 7, "free": 5, "waiting": 0 })
    );
    let sessions = get(&server, "/sessions").await;
    assert!(!sessions.to_string().contains(id));
    let owned = sessions
        .as_array()
        .unwrap()
        .iter()
        .find(|session| session["origin"] == "websocket");
    let owned = owned.expect("the socket's session is listed");
    assert_eq!(
        (&owned["steps"], &owned["attached"]),
        (&json!(1), &json!(true))
    );
    assert!(owned["peer"].as_str().unwrap().starts_with("127.0.0.1:"));
    assert!(
        owned["opened_at"].as_f64().unwrap() > 1.7e9
            && owned["idle_seconds"].as_f64().unwrap() < 60.0
    );
    server.stop().await;
}
