//! What can happen to a connection, and what its client makes of it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use openenv::{Endpoint, EnvClient, EnvPool, Json, ResetOptions};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::{Typed, add};
use crate::probe::InlineProbe;
use crate::support::{TestServer, eventually};

pub(super) const OBSERVATION: &str = r#"{"type":"observation","data":{"observation":{"n":1}}}"#;

/// A server that does what its test says after the handshake.
pub(super) async fn peer<F, R>(behaviour: F) -> Endpoint
where
    F: FnOnce(WebSocketStream<TcpStream>) -> R + Send + 'static,
    R: Future<Output = ()> + Send,
{
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (stream, _) = listener.accept().await.unwrap();
        behaviour(tokio_tungstenite::accept_async(stream).await.unwrap()).await;
    });
    Endpoint::new(&url).unwrap()
}

#[tokio::test]
async fn an_idle_client_answers_pings() {
    let (builder, life) = InlineProbe::server();
    let interval = Some(Duration::from_millis(300));
    let builder = builder.keepalive(interval, Duration::from_millis(1700));
    let server = TestServer::start(builder).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.step(&add(1)).await.unwrap();
    tokio::time::sleep(Duration::from_secs(4)).await;
    assert_eq!(life.closed(), 0);
    assert_eq!(env.step(&add(1)).await.unwrap().observation.sum, 2);
}

#[tokio::test]
async fn a_silent_server_is_given_up_during_a_call() {
    let endpoint = peer(async |stream| {
        let _open = stream.into_inner();
        std::future::pending::<()>().await;
    })
    .await
    .keepalive(Some(Duration::from_millis(100)), Duration::from_millis(100));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let begin = Instant::now();
    let error = env.reset(ResetOptions::default()).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
    assert!(error.to_string().contains("no sign of life"), "{error}");
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[tokio::test]
async fn a_silent_server_is_given_up_between_calls() {
    let endpoint = peer(async |stream| {
        let _open = stream.into_inner();
        std::future::pending::<()>().await;
    })
    .await
    .keepalive(Some(Duration::from_millis(100)), Duration::from_millis(100));
    let env = endpoint.connect::<Json>().await.unwrap();
    eventually("the loss is noticed", || !env.is_connected()).await;
}

#[tokio::test]
async fn a_reply_that_arrives_slowly_is_a_sign_of_life() {
    let endpoint = peer(async |mut stream| {
        stream.next().await;
        let mut stream = stream.into_inner();
        let length = u8::try_from(OBSERVATION.len()).unwrap();
        stream.write_all(&[0x81, length]).await.unwrap();
        for byte in OBSERVATION.bytes() {
            tokio::time::sleep(Duration::from_millis(30)).await;
            stream.write_all(&[byte]).await.unwrap();
        }
        std::future::pending::<()>().await;
    })
    .await
    .keepalive(Some(Duration::from_millis(300)), Duration::from_millis(300));
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let step = env.reset(ResetOptions::default()).await.unwrap();
    assert_eq!(step.observation, json!({"n": 1}));
}

#[tokio::test]
async fn a_lost_session_is_told_and_a_new_one_is_asked_for() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder.drain_timeout(Duration::ZERO)).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.step(&add(5)).await.unwrap();
    let url = server.url();
    server.stop().await;
    for _ in 0..2 {
        let error = env.step(&add(1)).await.unwrap_err();
        assert!(error.is_connection(), "{error:?}");
        assert!(error.to_string().contains("its session is gone"));
    }
    let error = env.reconnect().await.unwrap_err();
    assert!(error.is_connection());
    assert!(
        error
            .to_string()
            .starts_with(&format!("could not connect to {url}"))
    );
    assert_eq!(life.closed(), 1);

    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.step(&add(5)).await.unwrap();
    env.reconnect().await.unwrap();
    let step = env.step(&add(1)).await.unwrap();
    assert_eq!(
        step.observation.sum, 1,
        "nothing of the old session is left"
    );
}

#[tokio::test]
async fn the_end_of_a_session_is_told_in_the_servers_words() {
    let endpoint = peer(async |mut stream| {
        stream.next().await;
        stream.send(Message::text(OBSERVATION)).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
        let last = r#"{"type":"error","data":{"message":"idle","code":"SESSION_ERROR"}}"#;
        stream.send(Message::text(last)).await.unwrap();
        stream.close(None).await.unwrap();
        while stream.next().await.is_some() {}
    })
    .await;
    let mut env = endpoint.connect::<Json>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    eventually("the client notices", || !env.is_connected()).await;
    let error = env.step(&json!({})).await.unwrap_err();
    assert!(error.is_session(), "{error:?}");
    assert_eq!(error.to_string(), "idle");
    let error = env.step(&json!({})).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
}

#[tokio::test]
async fn dropping_a_client_ends_its_session() {
    let (builder, life) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    drop(env);
    eventually("the environment is closed", || life.closed() == 1).await;
}

#[tokio::test]
async fn closing_waits_until_the_environment_is_closed() {
    let life = Arc::default();
    let of_factory = Arc::clone(&life);
    let builder = openenv::Server::builder().environment("probe", move || {
        InlineProbe::new(&of_factory).slow_close(Duration::from_millis(300))
    });
    let server = TestServer::start(builder).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.close().await.unwrap();
    assert_eq!(life.closed(), 1);
}

#[tokio::test]
async fn one_lost_session_of_a_pool_is_replaced_alone() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let mut pool = EnvPool::<Json>::connect(&server.url(), 3).await.unwrap();
    pool.reset(|_| ResetOptions::default()).await;
    let go = json!({"add": 1});
    let panics = json!({"panic": true});
    let outcomes = pool.step(&[go.clone(), panics, go.clone()]).await.unwrap();
    let succeeded: Vec<_> = outcomes.iter().map(Result::is_ok).collect();
    assert_eq!(succeeded, [true, false, true]);
    eventually("the loss is noticed", || !pool.sessions()[1].is_connected()).await;
    let renewed = pool.reconnect().await;
    assert_eq!(renewed.len(), 1);
    assert_eq!(renewed[0].0, 1);
    renewed[0].1.as_ref().unwrap();
    let outcomes = pool.step(&[go.clone(), go.clone(), go]).await.unwrap();
    let sums: Vec<_> = outcomes
        .into_iter()
        .map(|step| step.unwrap().observation["sum"].clone())
        .collect();
    assert_eq!(sums, [2, 1, 2]);
}

#[tokio::test]
async fn connecting_says_what_is_wrong() {
    let refused = EnvClient::<Json>::connect("http://127.0.0.1:1")
        .await
        .unwrap_err();
    assert!(refused.is_connection());
    assert!(
        refused
            .to_string()
            .starts_with("could not connect to http://127.0.0.1:1: ")
    );

    let scheme = EnvClient::<Json>::connect("ftp://host").await.unwrap_err();
    assert!(scheme.to_string().contains("`ftp`"), "{scheme}");

    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let wrong_path = format!("{}/nothing", server.url());
    let error = EnvClient::<Json>::connect(&wrong_path).await.unwrap_err();
    assert!(error.is_connection());
    assert!(error.to_string().contains("it answered 4"), "{error}");

    // Takes connections and says nothing.
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::new(&listener.local_addr().unwrap().to_string()).unwrap();
    let limit = Duration::from_millis(100);
    let error = endpoint
        .connect_timeout(limit)
        .connect::<Json>()
        .await
        .unwrap_err();
    assert!(error.is_connection());
    assert!(
        error.to_string().contains("no answer within 100ms"),
        "{error}"
    );
}

#[tokio::test]
async fn headers_and_prefix_are_sent() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let endpoint = Endpoint::new(&format!("{address}/envs/maze"))
        .unwrap()
        .header("authorization", "Bearer secret")
        .unwrap();
    assert!(!format!("{endpoint:?}").contains("secret"));
    let connecting = tokio::spawn(async move { endpoint.connect::<Json>().await.map(drop) });
    let (mut stream, _) = listener.accept().await.unwrap();
    let mut head = vec![0; 4096];
    let length = stream.read(&mut head).await.unwrap();
    let head = String::from_utf8_lossy(&head[..length]).to_lowercase();
    assert!(head.starts_with("get /envs/maze/ws http/1.1\r\n"), "{head}");
    assert!(
        head.contains("\r\nauthorization: bearer secret\r\n"),
        "{head}"
    );
    assert!(head.contains("\r\nuser-agent: openenv-rs/"), "{head}");
    drop(stream);
    assert!(connecting.await.unwrap().unwrap_err().is_connection());

    let invalid = Endpoint::new("host")
        .unwrap()
        .header("a b", "c")
        .unwrap_err();
    assert_eq!(
        invalid.to_string(),
        "the name of the header `a b` cannot be sent"
    );
}

#[tokio::test]
async fn what_nobody_asked_for_is_not_taken_for_a_reply() {
    let endpoint = peer(async |mut stream| {
        stream.next().await;
        stream.send(Message::text(OBSERVATION)).await.unwrap();
        stream
            .send(Message::text(
                r#"{"type":"observation","data":{"observation":{"n":2}}}"#,
            ))
            .await
            .unwrap();
        while stream.next().await.is_some() {
            stream.send(Message::text(OBSERVATION)).await.unwrap();
        }
    })
    .await;
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let first = env.reset(ResetOptions::default()).await.unwrap();
    assert_eq!(first.observation["n"], 1);
    // The connection is looked at again soon after a call.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    let error = env.step(&json!({})).await.unwrap_err();
    assert!(
        error.to_string().contains("what nobody had asked for"),
        "{error}"
    );
}

#[tokio::test]
async fn reconnecting_gives_the_old_session_up_first() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.reconnect().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
}

#[tokio::test]
async fn reattaching_lets_go_of_the_session_first() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let path = server.created_session().await;
    let id = path.split_once('=').unwrap().1;
    let endpoint = Endpoint::new(&server.url()).unwrap();
    let mut env = endpoint.attach::<Typed>(id).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.reconnect().await.unwrap();
    env.step(&add(1)).await.unwrap();
}
