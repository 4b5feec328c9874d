use openenv::{EnvClient, Json, Reward, Server};
use schemars::schema_for;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::*;

async fn say(message: &str) -> Step<EchoObservation> {
    let action = EchoAction {
        message: message.to_owned(),
    };
    Echo.step(action, StepOptions::default()).await.unwrap()
}

#[tokio::test]
async fn reset_says_ready() {
    let step = Echo.reset(ResetOptions::default()).await.unwrap();
    assert_eq!(step.observation.echoed_message, "Echo environment ready!");
    assert_eq!(step.observation.message_length, 0);
    assert_eq!(step.reward, Some(Reward::Float(0.0)));
    assert!(!step.is_done());
}

#[tokio::test]
async fn step_echoes_and_pays_by_length() {
    let step = say("Hello, World!").await;
    assert_eq!(step.observation.echoed_message, "Hello, World!");
    assert_eq!(step.observation.message_length, 13);
    assert_eq!(step.reward, Some(Reward::Float(0.1 * 13.0)));
    assert!(!step.is_done());
}

#[tokio::test]
async fn length_counts_characters_not_bytes() {
    assert_eq!(say("naïve 🦀").await.observation.message_length, 7);
}

#[test]
fn schemas_carry_the_limits() {
    let action = schema_for!(EchoAction).to_value();
    assert_eq!(action["properties"]["message"]["minLength"], 1);
    let observation = schema_for!(EchoObservation).to_value();
    assert_eq!(observation["properties"]["message_length"]["minimum"], 0);
}

/// Acts on a server and returns what the last action was answered with.
async fn served(actions: &[Value]) -> Step<Value> {
    let server = Server::builder().environment("echo", Echo::default);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let stop = std::future::pending();
    tokio::spawn(server.build().unwrap().serve(listener, stop));

    let mut client = EnvClient::<Json>::connect(&url).await.unwrap();
    let mut answer = client.reset(ResetOptions::default()).await.unwrap();
    for action in actions {
        answer = client.step(action).await.unwrap();
    }
    let state = client.state().await.unwrap();
    assert_eq!(state.step_count, actions.len() as u64);
    answer
}

async fn call(name: &str, arguments: Value) -> Step<Value> {
    let action = json!({ "type": "call_tool", "tool_name": name, "arguments": arguments });
    served(&[action]).await
}

#[tokio::test]
async fn tools_are_listed_in_the_words_of_the_reference() {
    let input = json!({
        "additionalProperties": false,
        "properties": {
            "message": { "type": "string", "description": "The message to echo back" }
        },
        "required": ["message"],
        "type": "object",
    });
    let listed = served(&[json!({ "type": "list_tools" })]).await;
    assert_eq!(
        listed.observation["tools"],
        json!([
            {
                "name": "echo_message",
                "description": "Echo back the provided message.",
                "input_schema": input,
            },
            {
                "name": "echo_with_length",
                "description": "Echo back the message with its length.",
                "input_schema": input,
            },
        ])
    );
}

#[tokio::test]
async fn tools_return_what_those_of_the_reference_do() {
    let plain = call("echo_message", json!({ "message": "" })).await;
    assert_eq!(plain.observation["result"]["data"], "");
    let plain = call("echo_message", json!({ "message": "Hi!" })).await;
    assert_eq!(
        plain.observation["result"],
        json!({
            "content": [{ "type": "text", "text": "Hi!", "annotations": null, "meta": null }],
            "structured_content": { "result": "Hi!" },
            "meta": { "fastmcp": { "wrap_result": true } },
            "data": "Hi!",
            "is_error": false,
        })
    );
    assert_eq!(plain.observation["tool_name"], "echo_message");
    assert_eq!(plain.observation["error"], Value::Null);
    assert_eq!((plain.reward, plain.is_done()), (None, false));

    let measured = call("echo_with_length", json!({ "message": "Test é" })).await;
    let result = &measured.observation["result"];
    assert_eq!(result["data"], json!({ "message": "Test é", "length": 6 }));
    assert_eq!(result["structured_content"], result["data"]);
    assert_eq!(
        result["content"][0]["text"],
        r#"{"message":"Test é","length":6}"#
    );
    assert_eq!(result["meta"], Value::Null);
}

#[tokio::test]
async fn tools_and_typed_actions_share_an_episode() {
    let call = json!({ "tool_name": "echo_message", "arguments": { "message": "a" }, "type": "call_tool" });
    let typed = served(&[call, json!({ "message": "Hello" })]).await;
    assert_eq!(typed.observation["echoed_message"], "Hello");
    assert_eq!(typed.reward, Some(Reward::Float(0.5)));
}
