use openenv::{EnvClient, Json, Mode, Server};
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;
use crate::episode::CALL_COST;

/// A session on a server of its own.
async fn session(mode: Mode) -> EnvClient<Json> {
    let server = Server::builder()
        .mode(mode)
        .environment("documents", Documents::default);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stop = std::future::pending();
    tokio::spawn(server.build().unwrap().serve(listener, stop));
    EnvClient::connect(&url).await.unwrap()
}

async fn call(client: &mut EnvClient<Json>, name: &str, arguments: Value) -> Step<Value> {
    let action = json!({ "tool_name": name, "arguments": arguments });
    client.step(&action).await.unwrap()
}

fn reward(step: &Step<Value>) -> f64 {
    step.reward.unwrap().as_f64()
}

async fn names(client: &mut EnvClient<Json>) -> Vec<Value> {
    let listed = client.step(&json!({ "type": "list_tools" })).await.unwrap();
    let tools = listed.observation["tools"].as_array().unwrap().clone();
    tools.into_iter().map(|tool| tool["name"].clone()).collect()
}

#[tokio::test]
async fn an_agent_searches_reads_and_answers() {
    let mut client = session(Mode::Simulation).await;
    let reset = ResetOptions::default().with("task", "octopus-metal");
    let asked = client.reset(reset).await.unwrap().observation;
    assert_eq!(asked["calls_left"], MAX_CALLS);

    let query = json!({ "query": asked["question"] });
    let found = call(&mut client, "search", query).await;
    assert!((reward(&found) + CALL_COST).abs() < 1e-12);
    let hit = &found.observation["result"]["data"]["hits"][0];
    let lines = json!({ "id": hit["id"], "from_line": hit["line"], "to_line": hit["line"] });
    let page = call(&mut client, "read", lines).await;
    let text = page.observation["result"]["data"]["text"].as_str().unwrap();
    assert!(text.contains("contains copper"), "{text}");

    let answered = call(&mut client, "submit_answer", json!({ "answer": "Copper." })).await;
    assert_eq!(answered.observation["result"]["data"]["correct"], true);
    assert!((reward(&answered) - 1.0).abs() < f64::EPSILON);
    assert!(answered.is_done());

    let state = client.state().await.unwrap();
    assert_eq!(state.step_count, 3);
    assert_eq!(state.state["question_id"], "octopus-metal");
    assert_eq!(state.state["calls"], 3);
    assert_eq!(state.state["solved"], true);
}

#[tokio::test]
async fn calls_that_fail_cost_as_much_and_say_why() {
    let mut client = session(Mode::Simulation).await;
    client.reset(ResetOptions::default()).await.unwrap();
    for (name, arguments, error, message) in [
        (
            "read",
            json!({ "id": "octopuss" }),
            "invalid_args",
            "did you mean `octopus`?",
        ),
        ("search", json!({ "query": "" }), "invalid_args", "query"),
        (
            "write",
            json!({ "title": "t", "text": " " }),
            "invalid_args",
            "nothing in it",
        ),
        (
            "write",
            json!({ "title": "t", "text": "t", "id": "A b" }),
            "invalid_args",
            "id",
        ),
        (
            "write",
            json!({ "title": "t", "text": "t", "tags": [""] }),
            "invalid_args",
            "tags",
        ),
        (
            "import",
            json!({ "documents": [{ "title": "t", "txt": "t" }] }),
            "invalid_args",
            "txt",
        ),
        ("submit_answer", json!({}), "invalid_args", "answer"),
        ("export", json!({}), "tool_not_found", "simulation"),
        ("fly", json!({}), "tool_not_found", "fly"),
    ] {
        let failed = call(&mut client, name, arguments).await;
        let failure = &failed.observation["error"];
        assert_eq!(failure["error_type"], error, "{name}: {failure}");
        assert!(
            failure["message"].as_str().unwrap().contains(message),
            "{name}: {failure}"
        );
        assert!((reward(&failed) + CALL_COST).abs() < 1e-12, "{name}");
    }
}

#[tokio::test]
async fn without_a_reset_there_is_nothing_to_earn() {
    let mut client = session(Mode::Simulation).await;
    let listed = call(&mut client, "list", json!({})).await;
    assert_eq!(listed.reward, None);
    let question = call(&mut client, "question", json!({})).await;
    let message = question.observation["error"]["message"].as_str().unwrap();
    assert!(
        message.ends_with("there is no question yet: reset to get one"),
        "{message}"
    );
}

#[tokio::test]
async fn each_mode_has_its_tools() {
    let simulation = names(&mut session(Mode::Simulation).await).await;
    let production = names(&mut session(Mode::Production).await).await;
    assert_eq!(simulation.len(), 9);
    assert_eq!(production.len(), 8);
    assert!(simulation.contains(&json!("submit_answer")) && !simulation.contains(&json!("export")));
    assert!(production.contains(&json!("export")) && !production.contains(&json!("question")));
}
