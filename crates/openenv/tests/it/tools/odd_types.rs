//! Types of every kind as arguments and results.

use openenv::{Server, Tool, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{TestServer, nothing_but_tools};

/// A value that holds values of its own kind.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Sum {
    Number(i64),
    Of(Vec<Self>),
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Tree {
    leaves: Vec<Self>,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "shape", rename_all = "lowercase")]
enum Shape {
    Circle { radius: f64 },
    Square { side: f64 },
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Metres(f64);

struct Odd;

nothing_but_tools!(
    Odd,
    Tools::new()
        .add(Tool::new("sum", "", |_: &mut Self, (): ()| {
            Ok(Sum::Of(vec![Sum::Number(1)]))
        }))
        .add(Tool::new("tree", "", |_: &mut Self, tree: Tree| Ok(tree)))
        .add(Tool::new("shape", "", |_: &mut Self, shape: Shape| {
            Ok(shape)
        }))
        .add(Tool::new("maybe", "", |_: &mut Self, (): ()| {
            Ok(None::<Tree>)
        }))
        .add(Tool::new("pair", "", |_: &mut Self, (): ()| Ok((1, "a"))))
        .add(Tool::new("metres", "", |_: &mut Self, (): ()| {
            Ok(Metres(1.5))
        }))
);

#[tokio::test]
async fn every_schema_is_that_of_an_object_and_means_what_it_says() {
    let server = TestServer::start(Server::builder().environment("odd", || Odd)).await;
    let reply = server.rpc("tools/list", &json!({})).await;
    let tools = reply["result"]["tools"].as_array().unwrap();
    for tool in tools {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            let text = tool[schema].to_string();
            for reference in text.split(r#""$ref":"#).skip(1) {
                let pointer = reference.split('"').nth(1).unwrap().trim_start_matches('#');
                let meant = tool[schema].pointer(pointer);
                assert!(meant.is_some(), "{pointer} in {text}");
            }
        }
    }
    // A type that holds itself stands in `result`, and so does what it holds.
    let sum = &tools[0]["outputSchema"]["properties"]["result"]["oneOf"][1];
    let held = &sum["properties"]["of"]["items"]["$ref"];
    assert_eq!(held, "#/properties/result", "{}", tools[0]);
    let tree = &tools[1]["outputSchema"]["properties"]["leaves"]["items"]["$ref"];
    assert_eq!(tree, "#", "{}", tools[1]);
    server.stop().await;
}
