//! A client that does not read what it asked for holds up nobody, not even the tool.

use std::time::Duration;

use openenv::{Progress, Result, Server, Tool, Tools};
use reqwest::Method;
use serde_json::json;

use super::agent::Agent;
use crate::support::{TestServer, eventually, nothing_but_tools};

/// Talks until it is stopped.
struct Chatterbox;

nothing_but_tools!(
    Chatterbox,
    Tools::new()
        .add(Tool::new("talk", "Talks", Self::talk).timeout(Duration::from_millis(500)))
        .add(Tool::new(
            "hush",
            "Is silent",
            |_: &mut Self, (): ()| Ok(()),
        ))
);

impl Chatterbox {
    async fn talk(&mut self, (): (), progress: Progress) -> Result<()> {
        for word in 0.. {
            progress.report(f64::from(word), None, "word ".repeat(20_000));
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

#[tokio::test]
async fn reports_that_nobody_reads_do_not_hold_up_the_call() {
    let builder = Server::builder().environment("chatterbox", || Chatterbox);
    let server = TestServer::start(builder).await;
    let agent = Agent::connect(&server.url()).await;
    let message = json!({ "jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "talk", "_meta": { "progressToken": 1 },
    } });
    let request = agent.request(Method::POST).body(message.to_string());
    // Only the head of the answer is read.
    let unread = request.send().await.unwrap();
    eventually("the call is over", || {
        let sessions = server.server().sessions();
        sessions
            .iter()
            .all(|session| session.tool_calls == 1 && !session.running)
    })
    .await;
    assert_eq!(agent.delete().await, 204);
    assert_eq!(server.server().sessions().len(), 0);
    drop(unread);
    server.stop().await;
}
