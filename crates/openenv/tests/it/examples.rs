//! The examples are programs that work: each is started and driven over HTTP.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use futures_util::{SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio_tungstenite::tungstenite::Message;

use crate::support::http;

/// Where an example is.
///
/// `cargo test` builds the examples next to the tests; `cargo test --test it`
/// does not.
pub(crate) fn path(name: &str) -> PathBuf {
    let mut path = std::env::current_exe().unwrap();
    path.pop();
    path.pop();
    path.push("examples");
    path.push(name);
    path
}

/// A running example, killed when dropped.
struct Example {
    child: Child,
    url: String,
}

impl Example {
    fn start(name: &str) -> Self {
        let path = path(name);
        let mut child = Command::new(&path)
            .arg("0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| {
                panic!("`cargo build --examples` makes {}: {error}", path.display())
            });
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        let url = line.trim().strip_prefix("listening on ");
        Self {
            url: url
                .unwrap_or_else(|| panic!("{name} said {line:?}"))
                .to_owned(),
            child,
        }
    }

    /// Posts to a path; returns the status and the answer.
    async fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let url = format!("{}{path}", self.url);
        let answer = http()
            .build()
            .unwrap()
            .post(url)
            .json(body)
            .send()
            .await
            .unwrap();
        (answer.status().as_u16(), answer.json().await.unwrap())
    }

    /// Posts to a path that must answer with 200.
    async fn ask(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.post(path, &body).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// Plays on one WebSocket: the data of each answer.
    async fn play(&self, path: &str, messages: &[Value]) -> Vec<Value> {
        let url = format!("{}{path}", self.url).replacen("http", "ws", 1);
        let (mut socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        let mut answers = Vec::new();
        for message in messages {
            let message = Message::text(message.to_string());
            socket.send(message).await.unwrap();
            let answer = socket.next().await.unwrap().unwrap();
            let answer: Value = serde_json::from_str(answer.to_text().unwrap()).unwrap();
            answers.push(answer["data"].clone());
        }
        answers
    }
}

impl Drop for Example {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test]
async fn server() {
    let example = Example::start("server");
    let reset = example.ask("/reset", json!({})).await;
    assert_eq!(reset["observation"]["text"], "say something");
    let step = example
        .ask("/step", json!({ "action": { "text": "hello" } }))
        .await;
    assert_eq!(step["observation"]["text"], "HELLO");
    assert_eq!(step["reward"], 1.0);
    assert_eq!(step["done"], false);
}

#[tokio::test]
async fn tasks() {
    let example = Example::start("tasks");
    let reset = example
        .ask("/reset", json!({ "split": "test", "index": 0 }))
        .await;
    assert_eq!(reset["observation"]["text"], "What is 17 plus 25?");
    let (status, _) = example
        .post("/reset", &json!({ "split": "train", "index": 3 }))
        .await;
    assert_ne!(status, 200);
    let tasks = example
        .ask("/sums/tasks", json!({ "split": "train" }))
        .await;
    assert_eq!(tasks["tasks"], json!([[1, 1], [2, 3], [10, -4]]));

    let answers = example
        .play(
            "/ws",
            &[
                json!({ "type": "reset", "data": { "split": "train", "index": 1 } }),
                json!({ "type": "state" }),
                json!({ "type": "step", "data": { "value": 5 } }),
            ],
        )
        .await;
    assert_eq!(answers[0]["observation"]["text"], "What is 2 plus 3?");
    assert_eq!(answers[1]["expected"], 5);
    assert_eq!(answers[2]["reward"], 1.0);
    assert_eq!(answers[2]["done"], true);
}

#[tokio::test]
async fn blocking() {
    let example = Example::start("blocking");
    let step = example
        .ask("/step", json!({ "action": { "milliseconds": 5 } }))
        .await;
    assert!(step["observation"]["took"].as_u64() >= Some(5), "{step}");
    assert_eq!(step["observation"]["same_thread"], true);
    let reset = example.ask("/reset", json!({})).await;
    assert_eq!(reset["observation"]["same_thread"], true);
}

#[tokio::test]
async fn several() {
    let example = Example::start("several");
    for path in ["/arena", "/arena/envs/coin", "/arena/envs/dice"] {
        let reset = example
            .ask(&format!("{path}/reset"), json!({ "seed": 7 }))
            .await;
        assert_eq!(reset["observation"]["side"], 0);
        let step = example
            .ask(&format!("{path}/step"), json!({ "action": { "side": 1 } }))
            .await;
        assert_eq!(step["done"], true);
    }
}
