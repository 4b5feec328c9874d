//! What is asked over HTTP, and what must not be told to others.

use std::time::Duration;

use openenv::Endpoint;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio::time::timeout;

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
async fn a_header_that_is_set_after_the_first_question_is_sent() {
    let (url, reading) = heads(2).await;
    let endpoint = Endpoint::new(&url).unwrap();
    endpoint.health().await.unwrap();
    let endpoint = endpoint.header("authorization", "Bearer secret").unwrap();
    endpoint.schemas().await.unwrap();
    let heads = reading.await.unwrap();
    assert!(heads[1].contains("bearer secret"), "{}", heads[1]);
}

#[tokio::test]
async fn questions_over_http_have_an_end() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let endpoint = Endpoint::new(&listener.local_addr().unwrap().to_string())
        .unwrap()
        .connect_timeout(Duration::from_millis(200))
        .message_timeout(Some(Duration::from_millis(200)));
    let asked = timeout(Duration::from_secs(8), endpoint.schemas()).await;
    assert!(asked.is_ok(), "schemas() waits for ever");
}

/// A redirect must not hand the caller's secrets to another host.
#[tokio::test]
async fn secrets_do_not_follow_a_redirect_to_another_host() {
    let (elsewhere, reading) = heads(1).await;
    let elsewhere = elsewhere.replace("127.0.0.1", "localhost");
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}?token=hunter2", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut head = vec![0; 4096];
        let length = stream.read(&mut head).await.unwrap();
        assert!(length > 0);
        let answer = format!(
            "HTTP/1.1 302 Found\r\nlocation: {elsewhere}/schema\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
        );
        stream.write_all(answer.as_bytes()).await.unwrap();
    });
    let endpoint = Endpoint::new(&url)
        .unwrap()
        .header("x-api-key", "hunter2")
        .unwrap();
    let error = endpoint.schemas().await.unwrap_err().to_string();
    assert!(
        error.contains("302 Found (moved to http://localhost"),
        "{error}"
    );
    assert!(!error.contains("hunter2"), "{error}");
    assert!(!reading.is_finished(), "nobody was asked");
}
