//! Many sessions at once, none of which sees another.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::json;

use crate::probe::{InlineProbe, ThreadProbe};
use crate::support::{TestServer, eventually};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_thousand_sessions_with_interleaved_steps_stay_apart() {
    const SESSIONS: usize = 2_000;
    const ROUNDS: i64 = 5;
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;

    let mut sockets = Vec::with_capacity(SESSIONS);
    for _ in 0..SESSIONS / 100 {
        sockets.extend(join_all((0..100).map(|_| server.socket("/ws"))).await);
    }
    for round in 1..=ROUNDS {
        // Everyone asks before anyone reads: all sessions are under way at once.
        for (number, socket) in sockets.iter_mut().enumerate() {
            let add = i64::try_from(number).unwrap();
            let frame = json!({ "type": "step", "data": { "add": add, "sleep_ms": number % 7 } });
            socket.send_json(&frame).await;
        }
        for (number, socket) in sockets.iter_mut().enumerate() {
            let reply = socket.recv_json().await;
            let expected = i64::try_from(number).unwrap() * round;
            assert_eq!(
                reply["data"]["observation"]["sum"], expected,
                "session {number}"
            );
        }
    }
    assert_eq!(server.server().capacity()[0].active, SESSIONS);

    // A third closes, a third says goodbye in the protocol, a third just vanishes.
    for (number, mut socket) in sockets.into_iter().enumerate() {
        match number % 3 {
            0 => socket.send_json(&json!({ "type": "close" })).await,
            1 => socket.close().await,
            _ => socket.vanish(),
        }
    }
    eventually("every slot is free", || {
        server.server().capacity()[0].active == 0
    })
    .await;
    eventually("every environment is closed", || life.closed() == SESSIONS).await;
    assert!(server.server().sessions().is_empty());
    server.stop().await;
    assert_eq!((life.opened(), life.closed()), (SESSIONS, SESSIONS));
}

#[tokio::test]
async fn a_session_on_a_thread_sees_that_thread_only() {
    let (builder, _) = ThreadProbe::server();
    let server = TestServer::start(builder).await;
    let mut threads = Vec::new();
    for _ in 0..2 {
        let mut socket = server.socket("/ws").await;
        let mut seen = Vec::new();
        for frame in [
            json!({ "type": "reset" }),
            json!({ "type": "step", "data": {} }),
        ] {
            let reply = socket.ask(&frame).await;
            seen.push(
                reply["data"]["observation"]["thread"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
            );
        }
        assert_eq!(seen[0], seen[1]);
        assert!(seen[0].starts_with("openenv-session"), "{seen:?}");
        threads.push((socket, seen.swap_remove(0)));
    }
    assert_ne!(threads[0].1, threads[1].1);
    server.stop().await;
}

#[tokio::test]
async fn a_blocking_session_does_not_slow_down_the_others() {
    let (builder, _) = ThreadProbe::server();
    let server = TestServer::start(builder).await;
    let mut slow = server.socket("/ws").await;
    slow.send_json(&json!({ "type": "step", "data": { "sleep_ms": 1000, "block": true } }))
        .await;
    let mut quick = server.socket("/ws").await;
    let hundred = async {
        for _ in 0..100 {
            quick
                .ask(&json!({ "type": "step", "data": { "add": 1 } }))
                .await;
        }
    };
    // On one runtime thread, a step that blocked it would eat the whole time.
    tokio::time::timeout(Duration::from_millis(900), hundred)
        .await
        .expect("the other session goes on");
    assert_eq!(slow.recv_json().await["type"], "observation");
    server.stop().await;
}
