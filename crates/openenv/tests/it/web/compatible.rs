//! The routes that programs of the reference's page use.

use serde_json::{Value, json};

use super::{boards, get, post};
use crate::support::{Socket, TestServer};

#[tokio::test]
async fn an_episode_over_plain_http() {
    let server = TestServer::start(boards()).await;
    let (status, reply) = post(&server, "/web/reset", &json!({ "seed": 1 })).await;
    assert_eq!(status, 200);
    assert_eq!(
        reply,
        json!({ "observation": { "metadata": {}, "row": "..." }, "reward": null, "done": false })
    );
    for (cell, row) in [(0, "x.."), (2, "x.x")] {
        let (_, reply) = post(&server, "/web/step", &json!({ "action": { "cell": cell } })).await;
        assert_eq!(reply["observation"]["row"], row);
    }
    let state = get(&server, "/web/state").await;
    assert_eq!(
        (&state["row"], &state["step_count"]),
        (&json!("x.x"), &json!(2))
    );
    assert_eq!(
        server.server().sessions().len(),
        1,
        "one session for one visitor"
    );
    let metadata = get(&server, "/web/metadata").await;
    assert_eq!(metadata["name"], "board");
    assert!(
        metadata["readme_content"]
            .as_str()
            .unwrap()
            .contains("title: x")
    );
    server.stop().await;
}

#[tokio::test]
async fn visitors_who_name_their_session_have_it_to_themselves() {
    let server = TestServer::start(boards()).await;
    for (name, cell, row) in [("a", 0, "x.."), ("b", 1, ".x."), ("a", 2, "x.x")] {
        let action = json!({ "action": { "cell": cell } });
        let (_, reply) = post(&server, &format!("/web/step?session={name}"), &action).await;
        assert_eq!(reply["observation"]["row"], row, "{name}");
    }
    assert_eq!(get(&server, "/web/state?session=b").await["row"], ".x.");
    server.stop().await;
}

#[tokio::test]
async fn to_look_takes_no_place() {
    let server = TestServer::start(boards()).await;
    let response = super::ask(&server, "/web/state", &[]).await;
    assert_eq!(response.status(), 409);
    let told: Value = response.json().await.unwrap();
    assert!(told["detail"].as_str().unwrap().contains("/web/reset"));
    assert_eq!(server.server().capacity()[0].active, 0);
    server.stop().await;
}

#[tokio::test]
async fn what_does_not_fit_is_told_and_costs_nothing() {
    let server = TestServer::start(boards()).await;
    post(&server, "/web/step", &json!({ "action": { "cell": 0 } })).await;
    for (body, names) in [
        (json!({}), "action"),
        (json!({ "action": "up" }), "action"),
        (json!({ "action": { "cell": 9 } }), "cell"),
        (json!([1]), "object"),
    ] {
        let (status, reply) = post(&server, "/web/step", &body).await;
        assert_eq!(status, 422, "{body}");
        assert!(reply.to_string().contains(names), "{reply}");
    }
    let (status, reply) = post(&server, "/web/step", &json!({ "action": { "cell": 0 } })).await;
    assert_eq!((status, &reply["detail"]), (500, &json!("cell 0 is taken")));
    assert_eq!(get(&server, "/web/state").await["row"], "x..");
    server.stop().await;
}

#[tokio::test]
async fn a_socket_tells_what_happens() {
    let server = TestServer::start(boards()).await;
    let url = server.url().replace("http", "ws");
    let mut socket = Socket::open(&format!("{url}/ws/ui?session=me")).await;
    let first = socket.recv_json().await;
    assert_eq!(first["type"], "state_update");
    assert_eq!(first["episode_state"]["action_logs"], json!([]));
    post(&server, "/web/reset?session=me", &json!({})).await;
    let after_reset = socket.recv_json().await;
    assert_eq!(after_reset["episode_state"]["is_reset"], true);
    assert_eq!(
        after_reset["episode_state"]["current_observation"]["row"],
        "..."
    );
    post(
        &server,
        "/web/step?session=me",
        &json!({ "action": { "cell": 1 } }),
    )
    .await;
    let told: Value = socket.recv_json().await;
    let state = &told["episode_state"];
    assert_eq!(
        (&state["step_count"], &state["is_reset"]),
        (&json!(1), &json!(false))
    );
    let action = &state["action_logs"][0];
    assert_eq!(action["action"], json!({ "cell": 1 }));
    assert_eq!(
        (&action["reward"], &action["step_count"]),
        (&json!(1), &json!(1))
    );
    assert!(
        action["timestamp"].as_str().unwrap().starts_with("20"),
        "{action}"
    );
    server.stop().await;
}
