//! What goes wrong costs one session at most, and never a slot.

use std::sync::Arc;
use std::time::{Duration, Instant};

use openenv::{Error, Server};
use serde_json::{Value, json};

use crate::probe::{InlineProbe, Life, Probe, ThreadProbe};
use crate::support::{Incoming, TestServer, eventually, fetch, http};

fn order(data: &Value) -> Value {
    json!({ "type": "step", "data": data })
}

fn idle(server: &TestServer) -> bool {
    server.server().sessions().is_empty() && server.server().capacity()[0].active == 0
}

async fn a_panic_costs_one_session<const THREAD: bool>() {
    let (builder, life) = Probe::<THREAD, true>::server();
    let server = TestServer::start(builder).await;
    let mut healthy = server.socket("/ws").await;
    healthy.ask(&order(&json!({ "add": 3 }))).await;
    let mut unlucky = server.socket("/ws").await;
    let reply = unlucky.ask(&order(&json!({ "panic": true }))).await;
    assert_eq!(reply["data"]["code"], "EXECUTION_ERROR");
    assert_eq!(
        reply["data"]["message"],
        "the environment panicked: told to; the session is over"
    );
    assert_eq!(unlucky.expect_close().await, 1000);
    assert_eq!(life.closed(), 1);
    assert_eq!(server.server().capacity()[0].active, 1);
    let reply = healthy.ask(&order(&json!({ "add": 4 }))).await;
    assert_eq!(reply["data"]["observation"]["sum"], 7);

    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .json(&json!({ "action": { "panic": true } }))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 500);
    let body: Value = response.json().await.unwrap();
    assert_eq!(
        body["detail"],
        "the environment panicked: told to; the session is over"
    );
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (3, 3));
}

#[tokio::test]
async fn a_panic_inline_costs_one_session() {
    a_panic_costs_one_session::<false>().await;
}

#[tokio::test]
async fn a_panic_on_its_own_thread_costs_one_session() {
    a_panic_costs_one_session::<true>().await;
}

#[tokio::test]
async fn a_failing_factory_frees_its_slot() {
    for panics in [false, true] {
        let builder =
            Server::builder().try_environment("probe", move || -> openenv::Result<InlineProbe> {
                assert!(!panics, "factory panic");
                Err(Error::new("no disk"))
            });
        let server = TestServer::start(builder.max_sessions(1)).await;
        for _ in 0..3 {
            let mut socket = server.socket("/ws").await;
            let error = socket.ask(&json!({ "type": "state" })).await;
            assert_eq!(error["data"]["code"], "FACTORY_ERROR");
            assert_eq!(
                error["data"]["message"],
                "Environment factory 'Probe' failed to create instance."
            );
            assert_eq!(socket.expect_close().await, 1000);
        }
        assert!(idle(&server));
        server.stop().await;
    }
}

#[tokio::test]
async fn a_slow_factory_holds_up_nobody_and_is_closed_if_its_client_left() {
    let life = Arc::new(Life::default());
    let of_factory = Arc::clone(&life);
    let slow = Server::builder()
        .environment("slow", move || {
            std::thread::sleep(Duration::from_millis(600));
            InlineProbe::new(&of_factory)
        })
        .max_sessions(1);
    let server = TestServer::start(slow).await;
    let waiting = server.socket("/ws").await;
    let asked = Instant::now();
    let health = fetch(format!("{}/health", server.url())).await;
    assert_eq!(health.unwrap().status(), 200);
    assert!(
        asked.elapsed() < Duration::from_millis(500),
        "the server stood still"
    );
    assert_eq!(server.server().capacity()[0].active, 1);
    waiting.vanish();
    eventually("the slot is free", || idle(&server)).await;
    eventually("the environment was made and closed", || {
        (life.opened(), life.closed()) == (1, 1)
    })
    .await;
    server.stop().await;
}

#[tokio::test]
async fn an_error_leaves_the_session_as_it_was() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    socket.ask(&order(&json!({ "add": 2 }))).await;
    let reply = socket
        .ask(&order(&json!({ "fail": "out of cheese" })))
        .await;
    assert_eq!(
        reply["data"],
        json!({ "message": "out of cheese", "code": "EXECUTION_ERROR" })
    );
    let reply = socket.ask(&order(&json!({ "add": 2 }))).await;
    assert_eq!(reply["data"]["observation"]["sum"], 4);
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_vanishes_in_the_middle_of_a_step_frees_its_slot_at_once() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    for round in 1..=10 {
        let mut socket = server.socket("/ws").await;
        socket
            .send_json(&order(&json!({ "sleep_ms": 60_000 })))
            .await;
        server.until_a_step_runs().await;
        let left = Instant::now();
        if round % 2 == 0 {
            socket.vanish();
        } else {
            socket.close().await;
        }
        eventually("the slot is free", || idle(&server)).await;
        assert!(left.elapsed() < Duration::from_secs(5));
        eventually("the environment is closed", || life.closed() == round).await;
    }
    server.stop().await;
    assert_eq!(
        (life.opened(), life.closed(), life.finished_steps()),
        (10, 10, 0)
    );
}

#[tokio::test]
async fn a_blocked_thread_does_not_hold_the_slot_of_a_vanished_client() {
    let (builder, life) = ThreadProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let mut socket = server.socket("/ws").await;
    socket
        .send_json(&order(&json!({ "sleep_ms": 1500, "block": true })))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the slot is free", || idle(&server)).await;
    assert_eq!(life.finished_steps(), 0, "the thread is still blocked");
    let mut next = server.socket("/ws").await;
    let reply = next.ask(&order(&json!({ "add": 1 }))).await;
    assert_eq!(reply["data"]["observation"]["sum"], 1);
    eventually("the old environment is closed", || life.closed() == 1).await;
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (2, 2));
}

#[tokio::test]
async fn pings_are_answered_while_a_step_runs() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    socket
        .send_json(&order(&json!({ "sleep_ms": 500, "add": 1 })))
        .await;
    let asked = Instant::now();
    socket.ping(b"are you there").await;
    assert!(
        asked.elapsed() < Duration::from_millis(400),
        "the pong did not wait for the step"
    );
    assert_eq!(socket.recv_json().await["data"]["observation"]["sum"], 1);
    server.stop().await;
}

#[tokio::test]
async fn a_peer_that_is_silent_is_given_up_and_one_that_answers_is_not() {
    let (builder, life) = InlineProbe::server();
    let tick = Duration::from_millis(150);
    let server = TestServer::start(builder.keepalive(tick, tick)).await;
    let mut alive = server.socket("/ws").await;
    alive.ask(&order(&json!({ "add": 1 }))).await;
    let half_open = server.silent_peer("/ws").await;
    eventually("both are there", || server.server().sessions().len() == 2).await;
    // The living one reads, and thereby answers pings, while the other does not.
    for _ in 0..10 {
        alive.listen_for(tick).await;
    }
    assert_eq!(server.server().sessions().len(), 1);
    eventually("its environment is closed", || life.closed() == 1).await;
    assert_eq!(
        alive.ask(&order(&json!({ "add": 1 }))).await["data"]["observation"]["sum"],
        2
    );
    drop(half_open);
    server.stop().await;
}

#[tokio::test]
async fn a_step_over_its_limit_is_abandoned_and_the_session_goes_on() {
    let life = Arc::new(Life::default());
    let of_factory = Arc::clone(&life);
    let builder = Server::builder().environment("probe", move || {
        InlineProbe::new(&of_factory).step_timeout(Duration::from_millis(100))
    });
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let reply = socket.ask(&order(&json!({ "sleep_ms": 60_000 }))).await;
    assert_eq!(
        reply["data"],
        json!({ "message": "step timed out after 0.1 seconds", "code": "EXECUTION_ERROR" })
    );
    assert_eq!(
        socket.ask(&order(&json!({ "add": 1 }))).await["data"]["observation"]["sum"],
        1
    );
    server.stop().await;
}

#[tokio::test]
async fn a_client_can_limit_a_step_and_name_its_request() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let frame = json!({ "type": "step", "data": { "sleep_ms": 60_000 }, "timeout_s": 0.05, "request_id": "r-1" });
    let reply = socket.ask(&frame).await;
    assert_eq!(reply["request_id"], "r-1");
    assert_eq!(
        reply["data"]["message"],
        "step timed out after 0.05 seconds"
    );

    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .json(&json!({ "action": { "sleep_ms": 60_000 }, "timeout_s": 0.05 }))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 504);
    server.stop().await;
}

#[tokio::test]
async fn a_thread_that_cannot_be_stopped_ends_its_session() {
    let (builder, life) = ThreadProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    let frame =
        json!({ "type": "step", "data": { "sleep_ms": 800, "block": true }, "timeout_s": 0.05 });
    assert_eq!(
        socket.ask(&frame).await["data"],
        json!({ "message": "step timed out after 0.05 seconds; the session is over", "code": "EXECUTION_ERROR" })
    );
    assert_eq!(socket.expect_close().await, 1000);
    eventually("the environment is closed", || life.closed() == 1).await;
    assert!(idle(&server));
    server.stop().await;
}

#[tokio::test]
async fn shutdown_lets_a_running_step_end_and_closes_everything() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut idle = server.socket("/ws").await;
    idle.ask(&order(&json!({ "add": 1 }))).await;
    let created = http()
        .build()
        .unwrap()
        .post(format!("{}/mcp", server.url()))
        .json(&json!({ "jsonrpc": "2.0", "id": 1, "method": "openenv/session/create" }))
        .send()
        .await
        .unwrap();
    assert_eq!(created.status(), 200);
    let mut busy = server.socket("/ws").await;
    busy.send_json(&order(&json!({ "sleep_ms": 400, "add": 5 })))
        .await;
    server.until_a_step_runs().await;
    let stopping = tokio::spawn(server.stop());
    assert_eq!(idle.expect_close().await, 1012);
    assert_eq!(busy.recv_json().await["data"]["observation"]["sum"], 5);
    assert_eq!(busy.expect_close().await, 1012);
    stopping.await.unwrap();
    assert_eq!((life.opened(), life.closed()), (3, 3));
}

#[tokio::test]
async fn shutdown_does_not_wait_for_ever() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.drain_timeout(Duration::from_millis(200))).await;
    let mut endless = server.socket("/ws").await;
    endless
        .send_json(&order(&json!({ "sleep_ms": 600_000 })))
        .await;
    server.until_a_step_runs().await;
    let stopping = Instant::now();
    let stopped = tokio::spawn(server.stop());
    assert_eq!(endless.expect_close().await, 1012);
    stopped.await.unwrap();
    assert!(stopping.elapsed() < Duration::from_secs(8));
    assert_eq!((life.opened(), life.closed()), (1, 1));
}

#[tokio::test]
async fn a_client_that_takes_no_replies_cannot_send_ahead_without_end() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_message_size(64 * 1024)).await;
    let mut socket = server.socket("/ws").await;
    // Far more than the buffers of both kernels hold, then read it all.
    for _ in 0..200 {
        socket
            .send_json(&order(&json!({ "add": 1, "repeat": 20_000 })))
            .await;
    }
    for expected in 1..=200 {
        assert_eq!(
            socket.recv_json().await["data"]["observation"]["sum"],
            expected
        );
    }
    socket.send_json(&json!({ "type": "close" })).await;
    assert!(matches!(socket.recv().await, Incoming::Close(1000)));
    server.stop().await;
}

#[tokio::test]
async fn a_panic_while_a_step_is_dropped_frees_the_slot_as_well() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    for round in 1..=3 {
        let mut socket = server.socket("/ws").await;
        let bomb = order(&json!({ "sleep_ms": 60_000, "panic_on_drop": true }));
        socket.send_json(&bomb).await;
        server.until_a_step_runs().await;
        socket.vanish();
        eventually("the slot is free", || idle(&server)).await;
        eventually("the environment is closed", || life.closed() == round).await;
    }
    server.stop().await;
}

#[tokio::test]
async fn a_call_that_fails_after_its_socket_left_ends_the_session() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket(&server.created_session().await).await;
    socket
        .send_json(&order(&json!({ "sleep_ms": 200, "panic": true })))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the session is over", || idle(&server)).await;
    eventually("the environment is closed", || life.closed() == 1).await;
    server.stop().await;
}

#[tokio::test]
async fn closing_a_session_does_not_wait_for_a_step_that_nobody_waits_for() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let path = server.created_session().await;
    let mut socket = server.socket(&path).await;
    socket
        .send_json(&order(&json!({ "sleep_ms": 60_000 })))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the socket is gone", || {
        !server.server().sessions()[0].attached
    })
    .await;
    let id = path.rsplit('=').next().unwrap();
    let reply = server
        .rpc("openenv/session/close", &json!({ "session_id": id }))
        .await;
    assert_eq!(reply["result"]["closed"], true);
    assert_eq!(life.closed(), 1);
    assert!(idle(&server));
    server.stop().await;
}

#[tokio::test]
async fn a_client_that_takes_no_replies_cannot_keep_its_environment_from_being_closed() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.drain_timeout(Duration::from_millis(100))).await;
    let mut greedy = server.socket("/ws").await;
    greedy
        .send_json(&order(&json!({ "repeat": 60_000_000 })))
        .await;
    eventually("the reply is under way", || life.finished_steps() == 1).await;
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (1, 1));
}

#[tokio::test]
async fn a_server_that_is_dropped_closes_its_environments() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    server.created_session().await;
    assert_eq!(life.opened(), 1);
    drop(server);
    eventually("the environment is closed", || life.closed() == 1).await;
}

#[tokio::test]
async fn who_waits_for_a_slot_is_sent_away_at_shutdown() {
    let (builder, life) = InlineProbe::server();
    let builder = builder
        .max_sessions(1)
        .queue_timeout(Duration::from_mins(1));
    let server = TestServer::start(builder).await;
    let mut first = server.socket("/ws").await;
    first.ask(&order(&json!({}))).await;
    let mut waiting = server.socket("/ws").await;
    eventually("one waits", || server.server().capacity()[0].waiting == 1).await;
    let stopped = tokio::spawn(server.stop());
    let refusal = waiting.recv_json().await;
    assert_eq!(refusal["data"]["message"], "the server is shutting down");
    stopped.await.unwrap();
    assert_eq!(
        (life.opened(), life.closed()),
        (1, 1),
        "nothing was made for it"
    );
}

#[tokio::test]
async fn an_http_step_on_a_thread_answers_at_its_limit() {
    let (builder, life) = ThreadProbe::server();
    let server = TestServer::start(builder).await;
    let asked = Instant::now();
    let response = http()
        .build()
        .unwrap()
        .post(format!("{}/step", server.url()))
        .json(&json!({ "action": { "sleep_ms": 2500, "block": true }, "timeout_s": 0.05 }))
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 504);
    assert!(
        asked.elapsed() < Duration::from_secs(2),
        "it waited for the thread"
    );
    eventually("the environment is closed", || life.closed() == 1).await;
    server.stop().await;
}

#[tokio::test]
async fn a_step_that_awaits_on_a_thread_ends_with_its_client() {
    let (builder, life) = ThreadProbe::server();
    let server = TestServer::start(builder).await;
    let mut socket = server.socket("/ws").await;
    socket
        .send_json(&order(&json!({ "sleep_ms": 60_000 })))
        .await;
    server.until_a_step_runs().await;
    socket.vanish();
    eventually("the environment is closed", || life.closed() == 1).await;
    assert_eq!(life.finished_steps(), 0);
    server.stop().await;
}
