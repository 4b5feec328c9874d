//! Looking on while a session goes on.

use futures_util::StreamExt;
use serde_json::{Value, json};

use super::{ask, boards, newest, place, player, view};
use crate::probe::InlineProbe;
use crate::support::TestServer;

/// Server-sent events, one by one.
struct Events {
    stream: futures_util::stream::BoxStream<'static, String>,
    text: String,
}

impl Events {
    async fn open(server: &TestServer, path: &str, headers: &[(&str, &str)]) -> Self {
        let response = ask(server, path, headers).await;
        assert_eq!(response.headers()["content-type"], "text/event-stream");
        let stream = futures_util::stream::unfold(response, async |mut response| {
            let chunk = response.chunk().await.ok()??;
            Some((String::from_utf8_lossy(&chunk).into_owned(), response))
        });
        Self {
            stream: stream.boxed(),
            text: String::new(),
        }
    }

    /// The next event as its name and its data.
    async fn next(&mut self) -> Option<(String, Value)> {
        while !self.text.contains("\n\n") {
            self.text += &self.stream.next().await?;
        }
        let (event, rest) = self.text.split_once("\n\n")?;
        let field = |name: &str| {
            let line = event.lines().find_map(|line| line.strip_prefix(name));
            line.map(|value| value.trim().to_owned())
        };
        let name = field("event:").unwrap_or_default();
        let data = serde_json::from_str(&field("data:")?).unwrap();
        self.text = rest.into();
        Some((name, data))
    }

    /// The next steps, wherever events part them.
    async fn steps(&mut self, count: usize) -> Vec<Value> {
        let mut steps = Vec::new();
        while steps.len() < count {
            let (_, mut data) = self.next().await.unwrap();
            steps.append(data["steps"].as_array_mut().unwrap());
        }
        steps
    }
}

#[tokio::test]
async fn a_follower_sees_what_was_and_what_comes_up_to_the_end() {
    let server = TestServer::start(boards()).await;
    let mut socket = player(&server).await;
    socket.ask(&place(0)).await;
    let path = format!("/web/episodes/{}/follow", newest(&server).await);
    let mut events = Events::open(&server, &path, &[]).await;
    let steps = events.steps(2).await;
    assert_eq!((&steps[0]["n"], &steps[1]["n"]), (&json!(0), &json!(1)));
    socket.ask(&place(1)).await;
    assert_eq!(
        events.steps(1).await[0]["reply"]["observation"]["row"],
        "xx."
    );

    let mut late = Events::open(&server, &path, &[("last-event-id", "2")]).await;
    assert_eq!(
        late.steps(1).await[0]["n"],
        2,
        "goes on after what was seen"
    );
    socket.ask(&json!({ "type": "reset", "data": {} })).await;
    for events in [&mut events, &mut late] {
        let (_, last) = events.next().await.unwrap();
        assert_eq!(last["summary"]["live"], false);
        assert_eq!(events.next().await.unwrap().0, "end");
        assert!(events.next().await.is_none());
    }
    server.stop().await;
}

#[tokio::test]
async fn a_follower_may_ask_for_the_picture_and_gets_it_with_the_step() {
    let server = TestServer::start(boards()).await;
    let mut socket = player(&server).await;
    socket.ask(&place(2)).await;
    let path = format!("/web/episodes/{}/follow?view=1", newest(&server).await);
    let mut events = Events::open(&server, &path, &[]).await;
    let steps = events.steps(2).await;
    assert_eq!(steps[1]["rendering"]["content"], "..x");
    assert!(steps[0].get("rendering").is_none(), "nobody looked then");
    socket.ask(&view()).await;
    server.stop().await;
}

#[tokio::test]
async fn who_cannot_keep_up_misses_steps_and_learns_how_many() {
    let (builder, _) = InlineProbe::server();
    let server = TestServer::start(builder.web(true)).await;
    let mut socket = server.socket("/ws").await;
    let step = json!({ "type": "step", "data": { "add": 1 } });
    for _ in 0..2000 {
        socket.ask(&step).await;
    }
    let path = format!("/web/episodes/{}/follow", newest(&server).await);
    let mut events = Events::open(&server, &path, &[]).await;
    let (_, first) = events.next().await.unwrap();
    assert_eq!(first["skipped"], 1500);
    assert_eq!(first["steps"].as_array().unwrap().len(), 500);
    assert_eq!(first["steps"][0]["n"], 1500);
    server.stop().await;
}

#[tokio::test]
async fn a_server_stops_although_somebody_looks_on() {
    let server = TestServer::start(boards()).await;
    let socket = player(&server).await;
    let path = format!("/web/episodes/{}/follow", newest(&server).await);
    let mut events = Events::open(&server, &path, &[]).await;
    events.steps(1).await;
    let stopping = tokio::spawn(server.stop());
    drop(socket);
    while events.next().await.is_some() {}
    stopping.await.unwrap();
}
