use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::*;

#[derive(Serialize, Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
enum Mode {
    #[default]
    Plain,
    Upper,
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is of interest")]
struct EchoAction {
    /// Text to echo
    #[schemars(length(min = 1, max = 100_000))]
    message: String,
    /// Reward multiplier
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 10))]
    amount: u32,
    #[serde(default)]
    mode: Mode,
}

fn one() -> u32 {
    1
}

#[derive(Serialize, JsonSchema)]
struct EchoObservation {
    /// Echoed text
    #[serde(default)]
    echoed: String,
    #[serde(default)]
    length: i64,
    #[serde(default)]
    payload: Value,
}

#[derive(Serialize, JsonSchema)]
struct EchoResetObservation {
    #[serde(default = "ready")]
    greeting: String,
    seed: Option<crate::Seed>,
    #[serde(default)]
    extra: Map<String, Value>,
}

fn ready() -> String {
    "ready".to_owned()
}

#[derive(Serialize, JsonSchema)]
struct EchoState {
    last_message: Option<String>,
    #[serde(default)]
    total_reward: f64,
}

#[test]
fn twins_of_python_models_publish_the_same_schemas() {
    let text = include_str!("../../../tests/fixtures/echo_schema.json");
    let expected: Value = serde_json::from_str(text).unwrap();
    for (name, published) in [
        ("action", publish::<EchoAction>(Base::Action)),
        ("observation", publish::<EchoObservation>(Base::Observation)),
        (
            "reset_observation",
            publish::<EchoResetObservation>(Base::Observation),
        ),
        ("state", publish::<EchoState>(Base::State)),
    ] {
        // As text, so that the order counts as well.
        let schema = published.unwrap().schema;
        assert_eq!(schema.to_string(), expected[name].to_string(), "{name}");
    }
}

/// A place.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Place {
    x: u8,
    next: Option<Box<Self>>,
}

#[derive(Serialize, Deserialize, JsonSchema)]
enum Kind {
    /// First
    A,
    B,
}

#[derive(Serialize, JsonSchema)]
struct Nested {
    /// Where
    place: Place,
    other: Option<Place>,
    kind: Kind,
    by_name: BTreeMap<String, Vec<Place>>,
    pair: (u8, String),
    #[serde(skip_serializing_if = "Vec::is_empty")]
    maybe: Vec<f32>,
}

#[test]
fn nested_types_are_definitions() {
    let schema = publish::<Nested>(Base::Closed).unwrap().schema;
    let byte = json!({"maximum": 255, "minimum": 0, "type": "integer"});
    assert_eq!(
        schema,
        json!({
            "$defs": {
                "Kind": {"enum": ["B", "A"], "title": "Kind", "type": "string"},
                "Place": {
                    "description": "A place.",
                    "properties": {
                        "x": {"maximum": 255, "minimum": 0, "title": "X", "type": "integer"},
                        "next": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": null},
                    },
                    "required": ["x"],
                    "title": "Place",
                    "type": "object",
                },
            },
            "additionalProperties": false,
            "properties": {
                "place": {"$ref": "#/$defs/Place", "description": "Where"},
                "other": {"anyOf": [{"$ref": "#/$defs/Place"}, {"type": "null"}], "default": null},
                "kind": {"$ref": "#/$defs/Kind"},
                "by_name": {
                    "additionalProperties": {"items": {"$ref": "#/$defs/Place"}, "type": "array"},
                    "title": "By Name",
                    "type": "object",
                },
                "pair": {
                    "maxItems": 2, "minItems": 2, "prefixItems": [byte, {"type": "string"}],
                    "title": "Pair", "type": "array",
                },
                "maybe": {"items": {"type": "number"}, "title": "Maybe", "type": "array"},
            },
            "required": ["place", "kind", "by_name", "pair", "maybe"],
            "title": "Nested",
            "type": "object",
        })
    );
    let sent = publish::<Nested>(Base::Observation).unwrap().schema;
    assert_eq!(
        sent["required"],
        json!(["place", "kind", "by_name", "pair"])
    );
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "it is there for its schema")]
struct Anything {
    one: Value,
    many: Vec<Value>,
    named: BTreeMap<String, Value>,
}

#[test]
fn schemas_that_allow_everything_are_objects() {
    let schema = publish::<Anything>(Base::Closed).unwrap().schema;
    assert_eq!(
        schema["properties"],
        json!({
            "one": {"title": "One"},
            "many": {"items": {}, "title": "Many", "type": "array"},
            "named": {"additionalProperties": true, "title": "Named", "type": "object"},
        })
    );
}

#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Move {
    Go { steps: u8 },
    Stop,
    Jump(Place),
}

#[test]
fn every_variant_has_the_base_and_is_closed() {
    let published = publish::<Move>(Base::Action).unwrap();
    let variants = published.schema["oneOf"].as_array().unwrap();
    assert_eq!(variants.len(), 3);
    for variant in variants {
        assert_eq!(variant["additionalProperties"], json!(false));
        assert_eq!(variant["properties"]["metadata"]["type"], json!("object"));
        assert_eq!(variant["required"][0], json!("type"));
    }
    let jump = &variants[2];
    assert_eq!(
        jump["properties"]
            .as_object()
            .unwrap()
            .keys()
            .collect::<Vec<_>>(),
        ["metadata", "type", "x", "next"]
    );
    assert_eq!(jump["required"], json!(["type", "x"]));
    assert_eq!(published.schema["title"], json!("Move"));
    assert!(published.schema["$defs"]["Place"].is_object());
    assert!(!published.declared.contains(&"metadata".to_owned()));
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Flattened {
    speed: u8,
    #[serde(flatten)]
    choice: Move,
}

#[test]
fn a_flattened_enum_shares_the_fields_next_to_it() {
    let schema = publish::<Flattened>(Base::Action).unwrap().schema;
    for variant in schema["oneOf"].as_array().unwrap() {
        assert!(variant["properties"]["speed"].is_object(), "{variant}");
        assert!(
            variant["required"]
                .as_array()
                .unwrap()
                .contains(&json!("speed"))
        );
    }
    assert!(schema.get("properties").is_none());
}

#[derive(Deserialize, JsonSchema)]
#[expect(dead_code, reason = "only its schema is of interest")]
struct Overriding {
    first: String,
    metadata: Option<String>,
}

#[test]
fn what_the_author_declares_wins() {
    let published = publish::<Overriding>(Base::Action).unwrap();
    let properties = published.schema["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["metadata", "first"]);
    assert_eq!(
        properties["metadata"]["anyOf"][0],
        json!({"type": "string"})
    );
    assert_eq!(published.declared, ["first", "metadata"]);
}

#[derive(JsonSchema)]
struct Nothing;

#[derive(JsonSchema)]
#[serde(transparent)]
struct Wrapper(#[expect(dead_code, reason = "only its schema is of interest")] EchoAction);

#[test]
fn only_objects_and_nothing_are_contracts() {
    let empty = publish::<()>(Base::State).unwrap();
    assert!(empty.unit);
    assert_eq!(empty.schema["title"], json!("State"));
    assert_eq!(empty.schema["properties"].as_object().unwrap().len(), 2);
    assert!(publish::<Nothing>(Base::Action).unwrap().unit);
    assert!(publish::<Wrapper>(Base::Action).unwrap().schema["properties"]["message"].is_object());
    for error in [
        publish::<String>(Base::Action).unwrap_err(),
        publish::<Vec<Place>>(Base::Action).unwrap_err(),
        publish::<Value>(Base::Action).unwrap_err(),
        publish::<Option<Place>>(Base::Action).unwrap_err(),
        publish::<Kind>(Base::Action).unwrap_err(),
    ] {
        assert!(
            error.to_string().contains("must be a JSON object"),
            "{error}"
        );
    }
}
