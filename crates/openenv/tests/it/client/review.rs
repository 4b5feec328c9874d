//! REVIEW (rev1): each test states what should hold; those that fail are findings.

use std::pin::pin;
use std::sync::mpsc;
use std::task::Poll;
use std::time::{Duration, Instant};

use futures_util::{SinkExt, StreamExt};
use openenv::{Endpoint, EnvClient, EnvPool, EnvTypes, Json, ResetOptions, blocking};
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::{Typed, add, slowly};
use crate::probe::{InlineProbe, ThreadProbe};
use crate::support::TestServer;

const OBSERVATION: &str = r#"{"type":"observation","data":{"observation":{"n":1}}}"#;

async fn peer<F, R>(behaviour: F) -> Endpoint
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

/// A server on a thread of its own, for as long as the test process lives.
fn server_elsewhere() -> String {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (builder, _) = InlineProbe::server();
            let server = TestServer::start(builder.max_sessions(64)).await;
            tell.send(server.url()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    told.recv().unwrap()
}

/// Whether it ends in time; on a thread that is left behind if it does not.
fn ends(what: impl FnOnce() + Send + 'static) -> bool {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        what();
        let _ = tell.send(());
    });
    told.recv_timeout(Duration::from_secs(15)).is_ok()
}

fn current_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// A blocking client inside one poll of a task runs into Tokio's budget of 128.
#[test]
fn r01_blocking_calls_inside_of_a_task_do_not_run_out_of_budget() {
    let url = server_elsewhere();
    assert!(ends(move || {
        current_thread().block_on(async {
            let mut env = blocking::EnvClient::<Typed>::connect(&url).unwrap();
            env.reset(ResetOptions::default()).unwrap();
            for _ in 0..1000 {
                env.step(&add(1)).unwrap();
            }
        });
    }));
}

/// The connection that reqwest keeps is driven by a task of the blocked runtime.
#[test]
fn r02_block_on_after_an_async_question_over_the_same_endpoint() {
    let url = server_elsewhere();
    assert!(ends(move || {
        current_thread().block_on(async {
            let endpoint = Endpoint::new(&url).unwrap();
            endpoint.health().await.unwrap();
            blocking::block_on(endpoint.schemas()).unwrap();
        });
    }));
}

/// `block_on` of a client that was opened by the runtime around: not even its timeout works.
#[test]
fn r02b_block_on_a_client_of_the_runtime_around_times_out_at_least() {
    let url = server_elsewhere();
    assert!(ends(move || {
        current_thread().block_on(async {
            let endpoint = Endpoint::new(&url)
                .unwrap()
                .message_timeout(Some(Duration::from_secs(2)));
            let mut env = endpoint.connect::<Typed>().await.unwrap();
            let _ = blocking::block_on(env.step(&add(1)));
        });
    }));
}

#[tokio::test]
async fn r03_reconnecting_gives_the_old_session_up_first() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let mut env = EnvClient::<Typed>::connect(&server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.reconnect().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
}

#[tokio::test]
async fn r03b_reattaching_lets_go_of_the_session_first() {
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

/// Answers one HTTP request per connection; gives the heads.
async fn heads(count: usize) -> (String, tokio::task::JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let reading = tokio::spawn(async move {
        let mut heads = Vec::new();
        for _ in 0..count {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut head = vec![0; 4096];
            let length = stream.read(&mut head).await.unwrap();
            heads.push(String::from_utf8_lossy(&head[..length]).to_lowercase());
            let body = r#"{"status":"healthy","action":{},"observation":{},"state":{}}"#;
            let answer = format!(
                "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n{body}",
                body.len()
            );
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
        heads
    });
    (url, reading)
}

#[tokio::test]
async fn r04_a_header_that_is_set_after_the_first_question_is_sent() {
    let (url, reading) = heads(2).await;
    let endpoint = Endpoint::new(&url).unwrap();
    endpoint.health().await.unwrap();
    let endpoint = endpoint.header("authorization", "Bearer secret").unwrap();
    endpoint.schemas().await.unwrap();
    let heads = reading.await.unwrap();
    assert!(heads[1].contains("bearer secret"), "{}", heads[1]);
}

#[tokio::test]
async fn r05_questions_over_http_have_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::new(&listener.local_addr().unwrap().to_string())
        .unwrap()
        .connect_timeout(Duration::from_millis(200))
        .message_timeout(Some(Duration::from_millis(200)));
    let asked = timeout(Duration::from_secs(8), endpoint.schemas()).await;
    assert!(asked.is_ok(), "schemas() waits for ever");
}

#[tokio::test]
async fn r06_a_limit_without_end_does_not_panic() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder).await;
    let endpoint = Endpoint::new(&server.url())
        .unwrap()
        .message_timeout(Some(Duration::MAX));
    let mut env = endpoint.connect::<Typed>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
}

#[tokio::test]
async fn r06b_keepalive_without_end_notices_the_end_of_the_connection() {
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
async fn r07_a_long_request_that_is_given_up_is_sent_whole() {
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
async fn r07b_a_server_that_waits_for_the_rest_of_a_request_is_not_dead() {
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
async fn r08_a_call_that_is_not_polled_for_a_while_keeps_its_connection() {
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
async fn r09_a_dead_server_is_given_up_though_calls_are_repeated() {
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
async fn r10_a_refusal_is_told_though_the_first_call_was_given_up() {
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
async fn r11_a_password_in_the_url_is_sent_and_not_shown() {
    let (url, reading) = heads(2).await;
    let url = url.replace("http://", "http://user:hunter2@");
    let endpoint = Endpoint::new(&url).unwrap();
    endpoint.health().await.unwrap();
    let refused = endpoint.connect::<Json>().await.unwrap_err();
    let heads = reading.await.unwrap();
    let sent: Vec<_> = heads
        .iter()
        .map(|head| head.contains("authorization: basic"))
        .collect();
    let shown = format!("{refused}").contains("hunter2");
    let debugged = format!("{endpoint:?}").contains("hunter2");
    assert_eq!(
        (sent, shown, debugged),
        (vec![true, true], false, false),
        "(sent over HTTP and WebSocket, shown, debugged)"
    );
}

#[tokio::test]
async fn r12_a_step_may_take_longer_than_the_keepalive() {
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
async fn r13_a_request_that_waits_for_room_lets_long_replies_pass() {
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

/// What was not asked for is no reply, however soon the next call comes.
#[tokio::test]
async fn r14_an_extra_message_does_not_shift_the_calls_that_follow_at_once() {
    let endpoint = peer(async |mut stream| {
        let mut number = 0;
        while let Some(Ok(message)) = stream.next().await {
            if !message.is_text() {
                continue;
            }
            let reply = |number: i32| {
                let text = json!({"type": "observation", "data": {"observation": number}});
                Message::text(text.to_string())
            };
            stream.feed(reply(number)).await.unwrap();
            if number == 0 {
                stream.feed(reply(-1)).await.unwrap();
            }
            stream.flush().await.unwrap();
            number += 1;
        }
    })
    .await;
    let mut env = endpoint.connect::<Json>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    for number in 1..4 {
        if let Ok(step) = env.step(&json!({})).await {
            assert_eq!(step.observation, json!(number));
        }
    }
}

#[tokio::test]
async fn r15_what_is_called_lost_is_lost() {
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
async fn r16_waiting_for_a_place_can_be_interrupted() {
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
fn r17_futures_are_send<T>(client: &mut EnvClient<T>, pool: &mut EnvPool<T>, actions: &[T::Action])
where
    T: EnvTypes,
{
    fn send(_: impl Send) {}
    fn both<B: Send + Sync>() {}
    send(client.reset(ResetOptions::default()));
    send(client.step(&actions[0]));
    send(client.state());
    send(client.reconnect());
    send(pool.reset(|_| ResetOptions::default()));
    send(pool.step(actions));
    send(pool.state());
    send(pool.reconnect());
    both::<EnvClient<T>>();
    both::<EnvPool<T>>();
    both::<Endpoint>();
}

/// A redirect must not hand the caller's secrets to another host.
#[tokio::test]
async fn r18_secrets_do_not_follow_a_redirect_to_another_host() {
    let (elsewhere, reading) = heads(1).await;
    let elsewhere = elsewhere.replace("127.0.0.1", "localhost");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}?token=hunter2", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        stream.read(&mut head).await.unwrap();
        let answer = format!(
            "HTTP/1.1 302 Found\r\nlocation: {elsewhere}/schema\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    let endpoint = Endpoint::new(&url)
        .unwrap()
        .header("x-api-key", "hunter2")
        .unwrap();
    let _ = endpoint.schemas().await;
    let reading = timeout(Duration::from_secs(1), reading).await;
    if let Ok(heads) = reading {
        let head = heads.unwrap().remove(0);
        assert!(!head.contains("hunter2"), "{head}");
    }
}

/// Late ones cost nobody else their reply, and nothing is shifted afterwards.
#[tokio::test]
async fn r19_a_pool_with_late_sessions() {
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

/// A client may outlive the runtime that it was opened in.
#[test]
fn r20_reconnecting_in_another_runtime() {
    let url = server_elsewhere();
    let first = current_thread();
    let mut env = first.block_on(EnvClient::<Typed>::connect(&url)).unwrap();
    drop(first);
    current_thread().block_on(async {
        let error = env.step(&add(1)).await.unwrap_err();
        assert!(error.is_connection(), "{error:?}");
        assert!(!env.is_connected());
        env.reconnect().await.unwrap();
        env.step(&slowly(1, 50)).await.unwrap();
    });
}

/// The budget of a task is the caller's; sessions beyond it are closed all the same.
#[tokio::test]
async fn r21_a_large_pool_is_opened_and_closed() {
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
