//! The protocol over a pair of streams.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use openenv::Server;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};

use super::agent::initialize;
use crate::tools::notebook::Notebook;

/// The client's end: a message in each line.
struct Lines {
    input: BufReader<ReadHalf<DuplexStream>>,
    output: WriteHalf<DuplexStream>,
}

impl Lines {
    fn new(stream: DuplexStream) -> Self {
        let (input, output) = tokio::io::split(stream);
        Self {
            input: BufReader::new(input),
            output,
        }
    }

    async fn send(&mut self, message: &Value) {
        let line = format!("{message}\n");
        self.output.write_all(line.as_bytes()).await.unwrap();
    }

    async fn ask(&mut self, message: &Value) -> Value {
        self.send(message).await;
        let mut line = String::new();
        self.input.read_line(&mut line).await.unwrap();
        serde_json::from_str(&line).unwrap()
    }
}

fn serve(server: Server) -> (Lines, tokio::task::JoinHandle<openenv::Result<()>>) {
    let (ours, theirs) = tokio::io::duplex(64 * 1024);
    let (input, output) = tokio::io::split(theirs);
    let serving = tokio::spawn(server.serve_mcp(input, output, std::future::pending()));
    (Lines::new(ours), serving)
}

fn call(tool: &str, arguments: &Value) -> Value {
    let params = json!({ "name": tool, "arguments": arguments });
    json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": params })
}

#[tokio::test]
async fn a_client_has_one_session_from_start_to_end() {
    let closed = Arc::new(AtomicUsize::new(0));
    let server = Notebook::<false>::counted(&closed).build().unwrap();
    let (mut client, serving) = serve(server.clone());
    let hello = client.ask(&initialize()).await;
    assert_eq!(hello["result"]["serverInfo"]["name"], "Notebook", "{hello}");
    client
        .send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))
        .await;
    for count in 1..=2 {
        let reply = client.ask(&call("write", &json!({ "text": "a" }))).await;
        assert_eq!(reply["result"]["structuredContent"]["result"], count);
    }
    assert_eq!(server.sessions().len(), 1);
    drop(client);
    serving.await.unwrap().unwrap();
    assert_eq!(closed.load(Ordering::SeqCst), 1);
    assert_eq!(server.sessions().len(), 0);
}

#[tokio::test]
async fn the_version_without_sessions_has_one_here_as_well() {
    let server = Notebook::<false>::server().build().unwrap();
    let (mut client, serving) = serve(server);
    for count in 1..=2 {
        let mut message = call("write", &json!({ "text": "a" }));
        message["params"]["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        });
        let reply = client.ask(&message).await;
        assert_eq!(
            reply["result"]["structuredContent"]["result"], count,
            "{reply}"
        );
    }
    drop(client);
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_client_that_never_speaks_is_no_failure() {
    let server = Notebook::<false>::server().build().unwrap();
    let (client, serving) = serve(server.clone());
    drop(client);
    serving.await.unwrap().unwrap();
    assert_eq!(server.sessions().len(), 0);
}

#[tokio::test]
async fn a_client_that_is_there_keeps_its_session_however_long_it_is_silent() {
    let timeout = Duration::from_millis(100);
    let builder = Notebook::<false>::server().session_timeout(Some(timeout));
    let (mut client, serving) = serve(builder.build().unwrap());
    client.ask(&initialize()).await;
    tokio::time::sleep(timeout * 4).await;
    let reply = client.ask(&call("write", &json!({ "text": "a" }))).await;
    assert_eq!(reply["result"]["structuredContent"]["result"], 1, "{reply}");
    drop(client);
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn it_ends_with_its_session() {
    let server = Notebook::<false>::server().build().unwrap();
    let (mut client, serving) = serve(server.clone());
    client.ask(&initialize()).await;
    let reply = client.ask(&call("panic", &json!({}))).await;
    assert_eq!(reply["result"]["isError"], true, "{reply}");
    let served = tokio::time::timeout(Duration::from_secs(5), serving).await;
    let error = served.expect("it ends by itself").unwrap().unwrap_err();
    assert!(error.is_session(), "{error}");
    assert_eq!(server.sessions().len(), 0);
}
