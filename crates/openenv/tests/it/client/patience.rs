//! Calls that are given up, left alone or long: nothing is lost or mixed up.

use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use openenv::{Endpoint, EnvClient, EnvPool, EnvTypes, Json, ResetOptions, ToolClient};
use serde_json::json;
use tokio::time::{sleep, timeout};
use tokio_tungstenite::tungstenite::Message;

use super::connection::{OBSERVATION, peer};
use super::{Typed, add, slowly};
use crate::probe::{InlineProbe, ThreadProbe};
use crate::support::TestServer;

#[tokio::test]
async fn a_limit_without_end_does_not_panic() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let endpoint = Endpoint::new(&server.url())
        .unwrap()
        .message_timeout(Some(Duration::MAX));
    let mut env = endpoint.connect::<Typed>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
}

#[tokio::test]
async fn keepalive_without_end_notices_the_end_of_the_connection() {
    let endpoint = peer(async |stream| {
        sleep(Duration::from_millis(300)).await;
        drop(stream);
    })
    .await
    .keepalive(Some(Duration::MAX), Duration::MAX);
    let env = endpoint.connect::<Json>().await.unwrap();
    sleep(Duration::from_secs(3)).await;
    assert!(!env.is_connected(), "the keepalive task has panicked");
}

/// "A message that is handed over is sent whole, whoever waits for it or not."
#[tokio::test]
async fn a_long_request_that_is_given_up_is_sent_whole() {
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    let endpoint = peer(async move |mut stream| {
        sleep(Duration::from_millis(600)).await;
        while let Some(Ok(message)) = stream.next().await {
            let _ = tell.send(message.len());
        }
    })
    .await;
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let long = json!({"text": "x".repeat(12 << 20)});
    let given_up = timeout(Duration::from_millis(300), env.step(&long)).await;
    assert!(given_up.is_err());
    let arrived = timeout(Duration::from_secs(8), told.recv()).await;
    assert!(
        matches!(arrived, Ok(Some(length)) if length > 12 << 20),
        "the rest of the request is not sent: {arrived:?}"
    );
}

/// The same, until the keepalive takes its own silence for that of the server.
#[tokio::test]
async fn a_server_that_waits_for_the_rest_of_a_request_is_not_dead() {
    let endpoint = peer(async move |mut stream| {
        sleep(Duration::from_millis(600)).await;
        while let Some(Ok(message)) = stream.next().await {
            if message.is_text() {
                stream.send(Message::text(OBSERVATION)).await.unwrap();
            }
        }
    })
    .await
    .keepalive(Some(Duration::from_secs(1)), Duration::from_secs(1));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let long = json!({"text": "x".repeat(12 << 20)});
    let given_up = timeout(Duration::from_millis(300), env.step(&long)).await;
    assert!(given_up.is_err());
    sleep(Duration::from_secs(5)).await;
    env.step(&json!({})).await.unwrap();
}

/// A call whose future is polled once and then not for a while (`select!` with a
/// long other branch, `buffered` streams).
#[tokio::test]
async fn a_call_that_is_not_polled_for_a_while_keeps_its_connection() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let endpoint = Endpoint::new(&server.url())
        .unwrap()
        .keepalive(Some(Duration::from_millis(500)), Duration::from_millis(500));
    let mut env = endpoint.connect::<Typed>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let order = slowly(1, 100);
    let mut step = pin!(env.step(&order));
    let begun = std::future::poll_fn(|context| Poll::Ready(step.as_mut().poll(context))).await;
    assert!(begun.is_pending());
    sleep(Duration::from_secs(4)).await;
    step.await.unwrap();
}

/// What this client writes is no sign of life of the server.
#[tokio::test]
async fn a_dead_server_is_given_up_though_calls_are_repeated() {
    let endpoint = peer(async |stream| {
        let _open = stream.into_inner();
        std::future::pending::<()>().await;
    })
    .await
    .keepalive(Some(Duration::from_millis(500)), Duration::from_millis(500))
    .message_timeout(Some(Duration::from_millis(300)));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(6) {
        let error = env.step(&json!({})).await.unwrap_err();
        if error.is_connection() {
            return;
        }
    }
    panic!("silent for six seconds, with a keepalive of one");
}

/// A refusal that answers a call that was given up is told to the next one.
#[tokio::test]
async fn a_refusal_is_told_though_the_first_call_was_given_up() {
    let endpoint = peer(async |mut stream| {
        sleep(Duration::from_millis(400)).await;
        let full = r#"{"type":"error","data":{"message":"full","code":"CAPACITY_REACHED","active_sessions":1,"max_sessions":1}}"#;
        stream.send(Message::text(full)).await.unwrap();
        stream.close(None).await.unwrap();
        while stream.next().await.is_some() {}
    })
    .await
    .message_timeout(Some(Duration::from_millis(200)));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let error = env.reset(ResetOptions::default()).await.unwrap_err();
    assert!(error.is_timeout());
    sleep(Duration::from_secs(2)).await;
    let error = env.reset(ResetOptions::default()).await.unwrap_err();
    assert!(error.is_capacity(), "{error:?}");
}

#[tokio::test]
async fn a_step_may_take_longer_than_the_keepalive() {
    let (builder, _) = InlineProbe::server();
    let inline = TestServer::start(builder).await;
    let (builder, _) = ThreadProbe::server();
    let thread = TestServer::start(builder).await;
    for url in [inline.url(), thread.url()] {
        let endpoint = Endpoint::new(&url)
            .unwrap()
            .keepalive(Some(Duration::from_millis(500)), Duration::from_millis(500));
        let mut env = endpoint.connect::<Typed>().await.unwrap();
        env.reset(ResetOptions::default()).await.unwrap();
        env.step(&slowly(1, 4000)).await.unwrap();
    }
}

/// Replies are read on while a request waits for room, too.
#[tokio::test]
async fn a_request_that_waits_for_room_lets_long_replies_pass() {
    let long = format!(
        r#"{{"type":"observation","data":{{"observation":"{}"}}}}"#,
        "y".repeat(12 << 20)
    );
    let endpoint = peer(async move |mut stream| {
        // As a server that does one thing at a time: the first reply, then the second request.
        stream.next().await;
        sleep(Duration::from_millis(800)).await;
        stream.send(Message::text(long)).await.unwrap();
        while let Some(Ok(message)) = stream.next().await {
            if message.is_text() {
                stream.send(Message::text(OBSERVATION)).await.unwrap();
            }
        }
    })
    .await
    .message_timeout(Some(Duration::from_secs(6)));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let hasty = Duration::from_millis(200);
    assert!(timeout(hasty, env.step(&json!({}))).await.is_err());
    let request = json!({"text": "x".repeat(12 << 20)});
    assert!(timeout(hasty, env.step(&request)).await.is_err());
    env.step(&json!({})).await.unwrap();
}

#[tokio::test]
async fn what_is_called_lost_is_lost() {
    let endpoint = peer(async |mut stream| {
        stream.send(Message::text(OBSERVATION)).await.unwrap();
        while stream.next().await.is_some() {}
    })
    .await;
    let mut env = endpoint.connect::<Json>().await.unwrap();
    sleep(Duration::from_millis(300)).await;
    let error = env.step(&json!({})).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
    assert!(!env.is_connected(), "but it stands: {error}");
}

/// A wait for a place that is given up can be taken up again.
#[tokio::test]
async fn waiting_for_a_place_can_be_interrupted() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let mut first = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    first.reset(ResetOptions::default()).await.unwrap();
    let patient = Endpoint::new(&server.url())
        .unwrap()
        .capacity_timeout(Duration::from_secs(30));
    let mut second = patient.connect::<Typed>().await.unwrap();
    let waited = timeout(
        Duration::from_millis(500),
        second.reset(ResetOptions::default()),
    );
    assert!(waited.await.is_err());
    first.close().await.unwrap();
    second.reset(ResetOptions::default()).await.unwrap();
}

/// Compiles only if the futures can be spawned whatever the types.
#[expect(dead_code, reason = "it is enough that it compiles")]
fn futures_are_send<T>(
    client: &mut EnvClient<T>,
    pool: &mut EnvPool<T>,
    tools: &mut ToolClient,
    actions: &[T::Action],
) where
    T: EnvTypes,
{
    fn send(_: impl Send) {}
    fn both<B: Send + Sync>() {}
    send(client.reset(ResetOptions::default()));
    send(client.step(&actions[0]));
    send(client.state());
    send(client.list_tools());
    send(client.call_tool("tool", &()));
    send(client.step_tool("tool", &()));
    send(client.reconnect());
    send(pool.reset(|_| ResetOptions::default()));
    send(pool.step(actions));
    send(pool.state());
    send(pool.reconnect());
    send(tools.endpoint().connect_tools());
    send(tools.endpoint().connect_mcp());
    send(tools.list_tools());
    send(tools.call_tool("tool", &()));
    both::<EnvClient<T>>();
    both::<ToolClient>();
    both::<EnvPool<T>>();
    both::<Endpoint>();
}

/// Late ones cost nobody else their reply, and nothing is shifted afterwards.
#[tokio::test]
async fn a_pool_with_late_sessions() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(100)).await;
    let endpoint = Endpoint::new(&server.url())
        .unwrap()
        .message_timeout(Some(Duration::from_millis(900)));
    let mut pool = endpoint.connect_pool::<Typed>(70).await.unwrap();
    for outcome in pool.reset(|_| ResetOptions::default()).await {
        outcome.unwrap();
    }
    let late = [3, 40, 69];
    let mut actions = vec![add(1); 70];
    for number in late {
        actions[number] = slowly(1, 1300);
    }
    let outcomes = pool.step(&actions).await.unwrap();
    for (number, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            Ok(_) => assert!(!late.contains(&number)),
            Err(error) => assert!(error.is_timeout() && late.contains(&number)),
        }
    }
    // Given up in the middle, then again.
    let given_up = timeout(Duration::from_micros(300), pool.step(&vec![add(5); 70])).await;
    sleep(Duration::from_secs(1)).await;
    for outcome in pool.step(&vec![add(100); 70]).await.unwrap() {
        let sum = outcome.unwrap().observation.sum;
        assert!(sum == 106 || sum == 101, "{sum} {given_up:?}");
    }
}

/// The budget of a task is the caller's; sessions beyond it are closed all the same.
#[tokio::test]
async fn a_large_pool_is_opened_and_closed() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(400)).await;
    let mut pool = EnvPool::<Typed>::connect(&server.url(), 300).await.unwrap();
    for outcome in pool.reset(|_| ResetOptions::default()).await {
        outcome.unwrap();
    }
    for outcome in pool.step(&vec![add(1); 300]).await.unwrap() {
        outcome.unwrap();
    }
    pool.close().await.unwrap();
}
