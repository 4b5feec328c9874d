//! Samples against schemas: published ones, and ones made to be hard.

use serde_json::{Map, Value, json};

use super::{ActionSchema, Sampler, simplest};

const SEEDS: u64 = 200;

/// By the reference server, by pydantic models on its base class, and by this server.
fn published() -> Map<String, Value> {
    serde_json::from_str(include_str!("../tests/fixtures/action_schemas.json")).unwrap()
}

fn hard() -> Vec<(&'static str, Value)> {
    let tree = json!({
        "$defs": {
            "Tree": {
                "type": "object",
                "properties": {
                    "children": { "type": "array", "items": { "$ref": "#/$defs/Tree" } },
                    "parent": { "anyOf": [{ "$ref": "#/$defs/Tree" }, { "type": "null" }] },
                },
                "required": ["children", "parent"],
            },
        },
        "$ref": "#/$defs/Tree",
    });
    let expression = json!({
        "type": "object",
        "properties": {
            "not": { "anyOf": [{ "$ref": "#" }, { "type": "boolean" }] },
            "pair": { "prefixItems": [{ "$ref": "#" }, { "type": "string" }], "type": "array" },
        },
        "required": ["not"],
    });
    let field =
        |place: Value| json!({ "type": "object", "properties": { "a": place }, "required": ["a"] });
    vec![
        ("nothing said", json!({})),
        ("anything goes", json!(true)),
        (
            "map",
            json!({ "type": "object", "additionalProperties": true }),
        ),
        (
            "map of numbers",
            json!({ "additionalProperties": { "type": "integer" }, "minProperties": 2 }),
        ),
        (
            "map with named keys",
            json!({ "propertyNames": { "enum": ["x", "y"] }, "minProperties": 2 }),
        ),
        (
            "map by pattern",
            json!({
                "type": "object",
                "patternProperties": { "^k\\d+$": { "type": "boolean" } },
                "additionalProperties": false,
                "minProperties": 1,
            }),
        ),
        (
            "at least two of",
            json!({
                "properties": { "a": { "type": "string" }, "b": {}, "c": { "type": "null" } },
                "additionalProperties": false,
                "minProperties": 2,
            }),
        ),
        ("required but unknown", json!({ "required": ["x"] })),
        ("tree", tree),
        ("expression", expression),
        ("literal", field(json!({ "const": { "deep": [1] } }))),
        (
            "one whole number",
            field(json!({ "type": "integer", "minimum": 7, "maximum": 7 })),
        ),
        (
            "between excluded limits",
            field(json!({ "type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 3 })),
        ),
        (
            "fractions as limits of whole numbers",
            field(json!({ "type": "integer", "minimum": 0.5, "exclusiveMaximum": 1.5 })),
        ),
        (
            "negative",
            field(json!({ "type": "integer", "maximum": -5, "multipleOf": 3 })),
        ),
        (
            "huge",
            field(json!({ "type": "integer", "minimum": u64::MAX })),
        ),
        (
            "all of 64 bits",
            field(json!({ "type": "integer", "minimum": i64::MIN, "maximum": i64::MAX })),
        ),
        (
            "every third half",
            field(json!({ "type": "integer", "multipleOf": 1.5, "minimum": 1 })),
        ),
        (
            "narrow",
            field(json!({ "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1e-9 })),
        ),
        (
            "wide",
            field(json!({ "type": "number", "minimum": -1e308, "maximum": 1e308 })),
        ),
        (
            "one number",
            field(json!({ "type": "number", "minimum": 0.1, "maximum": 0.1 })),
        ),
        (
            "above",
            field(json!({ "type": "number", "exclusiveMinimum": 1e6 })),
        ),
        (
            "below",
            field(json!({ "type": "number", "exclusiveMaximum": 0 })),
        ),
        (
            "draft 4",
            field(
                json!({ "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1 }),
            ),
        ),
        (
            "tenths",
            field(
                json!({ "type": "number", "multipleOf": 0.1, "exclusiveMinimum": 0.2, "maximum": 0.5 }),
            ),
        ),
        (
            "empty text",
            field(json!({ "type": "string", "maxLength": 0 })),
        ),
        (
            "long text",
            field(json!({ "type": "string", "minLength": 500, "maxLength": 500 })),
        ),
        (
            "pattern of a length",
            field(
                json!({ "type": "string", "pattern": "^[a-z_]+$", "minLength": 12, "maxLength": 14 }),
            ),
        ),
        (
            "format",
            field(json!({ "type": "string", "format": "ipv4" })),
        ),
        (
            "all of few",
            field(json!({
                "type": "array", "uniqueItems": true, "minItems": 3,
                "items": { "enum": ["a", "b", "c"] },
            })),
        ),
        (
            "tuple",
            field(json!({
                "type": "array", "minItems": 1,
                "prefixItems": [{ "type": "integer" }, { "type": "null" }], "items": false,
            })),
        ),
        (
            "old tuple",
            field(
                json!({ "type": "array", "items": [{ "type": "integer" }], "additionalItems": false }),
            ),
        ),
        (
            "merged",
            json!({ "allOf": [
                field(json!({ "type": "integer", "minimum": 3 })),
                field(json!({ "maximum": 4 })),
                { "properties": { "b": { "type": "boolean" } }, "required": ["b"] },
            ] }),
        ),
        (
            "tagged",
            json!({ "oneOf": [
                { "properties": { "kind": { "const": "a" }, "x": {} }, "required": ["kind"] },
                { "properties": { "kind": { "const": "b" }, "x": {} }, "required": ["kind"] },
            ] }),
        ),
        (
            "pattern of Python beside a number",
            field(
                json!({ "anyOf": [{ "type": "string", "pattern": "^(?!x)" }, { "type": "number" }] }),
            ),
        ),
        (
            "conditional",
            json!({
                "properties": { "a": { "type": "boolean" }, "b": { "type": "string" } },
                "required": ["a"],
                "if": { "properties": { "a": { "const": true } } },
                "then": { "required": ["b"] },
            }),
        ),
        (
            "everything but",
            field(json!({ "type": "integer", "not": { "enum": [0, 1, 2] } })),
        ),
    ]
}

fn all() -> Vec<(String, ActionSchema)> {
    let hard = hard()
        .into_iter()
        .map(|(name, schema)| (name.to_owned(), schema));
    published()
        .into_iter()
        .chain(hard)
        .map(|(name, schema)| (name, ActionSchema::new(schema)))
        .collect()
}

#[test]
fn samples_fit_their_schema() {
    for (name, schema) in all() {
        for seed in 0..SEEDS {
            let action = Sampler::new(&schema, seed).action();
            let action = action.unwrap_or_else(|error| panic!("{name}: {error}"));
            schema
                .check_action(&action)
                .unwrap_or_else(|misfit| panic!("{name}: {misfit}"));
            assert!(action.is_object(), "{name}: {action}");
            assert!(action.get("metadata").is_none(), "{name}: {action}");
        }
    }
}

#[test]
fn seeds_decide() {
    for (name, schema) in all() {
        let drawn = |seed| {
            let mut sampler = Sampler::new(&schema, seed);
            [(); 5].map(|()| sampler.action().unwrap())
        };
        assert_eq!(drawn(7), drawn(7), "{name}");
    }
    let schema = ActionSchema::new(published().remove("EchoAction").unwrap());
    let mut sampler = Sampler::new(&schema, 1);
    let actions = [(); 20].map(|()| sampler.action().unwrap());
    assert!(actions.iter().any(|action| action != &actions[0]));
    assert!(actions.iter().any(|action| action.get("amount").is_some()));
    assert!(actions.iter().any(|action| action.get("amount").is_none()));
}

#[test]
fn the_simplest_action_has_what_it_must() {
    let simplest: Map<String, Value> = published()
        .into_iter()
        .map(|(name, schema)| (name, simplest(&ActionSchema::new(schema)).unwrap()))
        .collect();
    insta::assert_json_snapshot!(simplest);
    for (name, schema) in hard() {
        super::simplest(&ActionSchema::new(schema))
            .unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn what_cannot_be_made_up_is_named() {
    let field = |place: Value| json!({ "properties": { "a": { "properties": { "b": place }, "required": ["b"] } }, "required": ["a"] });
    for (place, reason) in [
        (json!(false), "the schema allows no value"),
        (json!({ "enum": [] }), "the schema allows no value"),
        (
            json!({ "$ref": "#/nowhere" }),
            "the schema has no `#/nowhere`",
        ),
        (json!({ "$ref": "#" }), "the schema asks for more and more"),
        (
            json!({ "type": "integer", "minimum": 2, "maximum": 1 }),
            "no whole number is within the limits",
        ),
        (
            json!({ "type": "number", "exclusiveMinimum": 1, "maximum": 1 }),
            "no number is within the limits",
        ),
        (
            json!({ "type": "string", "pattern": "^(?!x)" }),
            "the pattern `^(?!x)` is beyond this command",
        ),
        (
            json!({ "type": "array", "minItems": 3, "uniqueItems": true, "items": { "type": "boolean" } }),
            "found no 3 items that differ",
        ),
        (
            json!({ "type": "string", "not": { "type": "string" } }),
            "is one of the values that are excluded",
        ),
    ] {
        let schema = ActionSchema::new(field(place.clone()));
        for made in [Sampler::new(&schema, 1).action(), simplest(&schema)] {
            let failure = made.unwrap_err();
            let message = failure.to_string();
            assert!(
                message.starts_with("could not make up an action: `a."),
                "{message}"
            );
            assert!(message.ends_with(reason), "{place}: {message}");
        }
    }
}

#[test]
fn endless_schemas_end() {
    let reference = json!({ "$ref": "#" });
    for schema in [
        json!({ "anyOf": [reference] }),
        json!({ "oneOf": [reference, reference, reference] }),
        json!({ "allOf": [reference, reference] }),
        json!({ "type": "object", "additionalProperties": reference, "minProperties": 2 }),
        json!({
            "type": "object",
            "properties": { "a": reference, "b": reference },
            "required": ["a", "b"],
        }),
        json!({
            "type": "object",
            "properties": { "a": { "type": "array", "items": reference, "minItems": 1_000_000_000 } },
            "required": ["a"],
        }),
    ] {
        let schema = ActionSchema::new(schema);
        assert!(Sampler::new(&schema, 1).action().is_err(), "{schema:?}");
        assert!(simplest(&schema).is_err(), "{schema:?}");
        for variant in schema.variants() {
            for field in variant.fields() {
                assert!(field.parse("1, 2").is_err(), "{schema:?}");
            }
        }
    }
}

#[test]
fn every_field_is_described() {
    let mut described = Vec::new();
    for (name, schema) in published() {
        let schema = ActionSchema::new(schema);
        for variant in schema.variants() {
            for field in variant.fields() {
                described.push(format!("{name}.{}: {}", field.name, field.words));
            }
        }
    }
    insta::assert_snapshot!(described.join("\n"));
}
