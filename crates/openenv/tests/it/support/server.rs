//! A server that lives as long as its test.

use std::net::SocketAddr;
use std::time::Duration;

use futures_util::FutureExt;
use openenv::Server;
use openenv::ServerBuilder;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;
use tokio::task::{JoinError, JoinHandle};

use super::{Socket, http};

/// A server on a free port of the loopback interface.
///
/// The test fails if the server fails or panics, whether it is stopped with
/// [`stop`](Self::stop) or dropped.
#[derive(Debug)]
pub(crate) struct TestServer {
    address: SocketAddr,
    server: Server,
    shutdown: Option<oneshot::Sender<()>>,
    task: JoinHandle<openenv::Result<()>>,
}

impl TestServer {
    pub(crate) async fn start(builder: ServerBuilder) -> Self {
        let server = builder.build().expect("the server can be built");
        let listener = TcpListener::bind(("127.0.0.1", 0))
            .await
            .expect("a free port");
        let address = listener.local_addr().expect("a bound listener");
        let (shutdown, asked) = oneshot::channel::<()>();
        let task = tokio::spawn({
            let server = server.clone();
            async move { server.serve(listener, asked.map(drop)).await }
        });
        Self {
            address,
            server,
            shutdown: Some(shutdown),
            task,
        }
    }

    /// The server itself, for what it tells about its sessions.
    pub(crate) fn server(&self) -> &Server {
        &self.server
    }

    /// Address for HTTP: `http://127.0.0.1:…`, without a slash at the end.
    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Opens a WebSocket on a path such as `/ws`.
    pub(crate) async fn socket(&self, path: &str) -> Socket {
        Socket::open(&format!("ws://{}{path}", self.address)).await
    }

    /// Asks `/mcp`.
    pub(crate) async fn rpc(&self, method: &str, params: &Value) -> Value {
        let request = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let response = http()
            .build()
            .unwrap()
            .post(format!("{}/mcp", self.url()))
            .json(&request)
            .send()
            .await
            .unwrap();
        assert_eq!(response.status(), 200);
        response.json().await.unwrap()
    }

    /// Creates a session over HTTP; returns the path to attach at.
    pub(crate) async fn created_session(&self) -> String {
        let reply = self.rpc("openenv/session/create", &json!({})).await;
        let id = reply["result"]["session_id"].as_str().unwrap();
        format!("/ws?session_id={id}")
    }

    /// A peer that shakes hands and then neither reads nor writes.
    pub(crate) async fn silent_peer(&self, path: &str) -> TcpStream {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n",
            self.address
        );
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = [0; 12];
        stream.read_exact(&mut answer).await.unwrap();
        assert_eq!(&answer, b"HTTP/1.1 101");
        stream
    }

    /// Waits until a call is under way.
    pub(crate) async fn until_a_step_runs(&self) {
        let running = || self.server.sessions().iter().any(|session| session.running);
        eventually("a step runs", running).await;
    }

    /// Stops gracefully and waits until the server is gone.
    pub(crate) async fn stop(mut self) {
        drop(self.shutdown.take());
        check((&mut self.task).await);
    }
}

impl Drop for TestServer {
    fn drop(&mut self) {
        // `shutdown` is still here unless `stop` took it and saw the outcome.
        if self.shutdown.is_none() || std::thread::panicking() {
            return;
        }
        match (&mut self.task).now_or_never() {
            Some(outcome) => check(outcome),
            None => self.task.abort(),
        }
    }
}

fn check(outcome: Result<openenv::Result<()>, JoinError>) {
    match outcome {
        Ok(served) => served.expect("the server runs until it is stopped"),
        Err(error) => match error.try_into_panic() {
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(error) => panic!("the server was cancelled: {error}"),
        },
    }
}

/// Waits until `condition` holds, for as long as a slow machine may need.
pub(crate) async fn eventually(what: &str, condition: impl Fn() -> bool) {
    for _ in 0..2000 {
        if condition() {
            return;
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    panic!("never happened: {what}");
}
