//! What goes into a tool and what comes out of it, in JSON and in its schema.

use std::collections::BTreeMap;

use openenv::{Server, Tool, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::notebook::Notebook;
use super::{post, step};
use crate::support::{TestServer, fetch, nothing_but_tools};

/// Returns what it is given.
struct Mirror;

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Place {
    /// To the right
    x: i32,
    #[serde(default)]
    side: Option<Side>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Given {
    place: Place,
    side: Side,
    #[serde(default)]
    note: Option<String>,
    #[serde(default)]
    others: Vec<Place>,
}

nothing_but_tools!(
    Mirror,
    Tools::new()
        .add(Tool::new("all", "", async |_: &mut Self, given: Given| {
            Ok(given)
        }))
        .add(Tool::new("note", "", async |_: &mut Self, given: Given| {
            Ok(given.note)
        }))
        .add(Tool::new("side", "", async |_: &mut Self, given: Given| {
            Ok(given.side)
        }))
        .add(Tool::new(
            "place",
            "",
            async |_: &mut Self, given: Given| Ok((given.place.x > 0).then_some(given.place)),
        ))
        .add(Tool::new(
            "by_name",
            "",
            async |_: &mut Self, given: Given| Ok(BTreeMap::from([("x", given.place.x)])),
        ))
        .add(
            Tool::new("nothing", "Does nothing", async |_: &mut Self, (): ()| {
                Ok(())
            })
            .title("Nothing at all")
            .read_only()
            .idempotent(),
        )
);

async fn mirror() -> TestServer {
    TestServer::start(Server::builder().environment("mirror", || Mirror)).await
}

/// Text, structured content and data of a result.
fn parts(reply: &Value) -> (&Value, &Value, &Value) {
    let result = &reply["result"];
    (
        &result["content"][0]["text"],
        &result["structured_content"],
        &result["data"],
    )
}

#[tokio::test]
async fn any_type_goes_in_and_comes_out() {
    let server = mirror().await;
    let full = json!({
        "place": { "x": 1, "side": "left" }, "side": "right", "note": "\"é\"",
        "others": [{ "x": -1, "side": null }],
    });
    let reply = post(&server, None, "all", full.clone()).await;
    let text: Value = serde_json::from_str(parts(&reply).0.as_str().unwrap()).unwrap();
    assert_eq!(text, full);
    assert_eq!((parts(&reply).1, parts(&reply).2), (&full, &full));
    assert_eq!(reply["result"]["meta"], Value::Null);

    let wrapped = |value: Value| json!({ "result": value });
    let reply = post(&server, None, "note", full.clone()).await;
    let note = json!("\"é\"");
    assert_eq!(parts(&reply), (&note, &wrapped(note.clone()), &note));
    let reply = post(&server, None, "side", full.clone()).await;
    let side = json!("right");
    assert_eq!(parts(&reply), (&side, &wrapped(side.clone()), &side));
    let reply = post(&server, None, "place", full.clone()).await;
    let place = json!({ "x": 1, "side": "left" });
    assert_eq!(parts(&reply).1, &wrapped(place.clone()));
    assert_eq!(parts(&reply).2, &place);
    let reply = post(&server, None, "by_name", full).await;
    assert_eq!(parts(&reply).1, &json!({ "x": 1 }));

    let least = json!({ "place": { "x": 0 }, "side": "left" });
    for tool in ["note", "place"] {
        let reply = post(&server, None, tool, least.clone()).await;
        assert_eq!(reply["result"]["content"], json!([]));
        assert_eq!(parts(&reply).1, &wrapped(Value::Null));
        assert_eq!(reply["result"]["is_error"], false);
    }
    server.stop().await;
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_named_by_their_place() {
    let server = mirror().await;
    let wrong = json!({ "place": { "x": "far" }, "side": "up", "others": [{}] });
    let reply = post(&server, None, "all", wrong).await;
    assert_eq!(
        reply["error"]["message"],
        "3 validation errors for call[all]\n\
         place.x: Input should be a valid integer, unable to parse string as an integer\n\
         side: Input should be 'left' or 'right'\n\
         others.0.x: Field required"
    );
    server.stop().await;
}

#[tokio::test]
async fn schemas_tell_all_that_and_nothing_twice() {
    let server = mirror().await;
    let listed = server.rpc("tools/list", &json!({})).await;
    let tool = |name: &str| {
        let tools = listed["result"]["tools"].as_array().unwrap();
        tools.iter().find(|tool| tool["name"] == name).unwrap()
    };
    insta::assert_json_snapshot!("all", tool("all"));
    insta::assert_json_snapshot!("place_output", tool("place")["outputSchema"]);
    insta::assert_json_snapshot!("side_output", tool("side")["outputSchema"]);
    insta::assert_json_snapshot!("nothing", tool("nothing"));
    server.stop().await;
}

#[tokio::test]
async fn pictures_and_sounds_come_as_content() {
    let server = TestServer::start(Notebook::<false>::server()).await;
    let mut socket = server.socket("/ws").await;
    let expected = json!({
        "content": [
            { "type": "text", "text": "a dot", "annotations": null, "meta": null },
            {
                "type": "image", "data": "AQID", "mimeType": "image/png",
                "annotations": null, "meta": null,
            },
            {
                "type": "audio", "data": "BA==", "mimeType": "audio/wav",
                "annotations": null, "meta": null,
            },
        ],
        "structured_content": { "dots": 1 },
        "meta": null,
        "data": { "dots": 1 },
        "is_error": false,
    });
    let reply = post(&server, None, "picture", json!({})).await;
    assert_eq!(reply["result"], expected);
    let reply = step(&mut socket, "picture", json!({})).await;
    assert_eq!(reply["observation"]["result"], expected);
    assert_eq!(reply["metadata"]["told"], 3);
    server.stop().await;
}

#[tokio::test]
async fn a_reset_promises_what_a_reset_returns() {
    let server = mirror().await;
    let response = fetch(format!("{}/schema", server.url())).await.unwrap();
    let schemas: Value = response.json().await.unwrap();
    let fields = |which: &str| -> Vec<String> {
        let fields = schemas[which]["properties"].as_object().unwrap();
        fields.keys().cloned().collect()
    };
    assert_eq!(fields("reset_observation"), ["done", "reward", "metadata"]);
    assert_eq!(
        fields("observation"),
        ["done", "reward", "metadata", "tool_name", "result", "error"]
    );
    assert_eq!(schemas["action"]["title"], "CallToolAction");
    server.stop().await;
}
