//! The schema of what a tool returns, in the shape that MCP asks for.

use schemars::JsonSchema;
use serde_json::{Map, Value, json};

use super::schema::describe;
use crate::tool::Structured;

/// How the return value of a tool is published.
#[derive(Debug, Clone)]
pub struct OutputForm {
    /// What structured content looks like, if that is known beforehand.
    pub(crate) schema: Option<Value>,
    /// How the value becomes structured content; `None` decides value by value.
    pub(crate) structured: Option<Structured>,
}

impl OutputForm {
    /// Content and data as the tool chooses.
    pub(crate) fn free() -> Self {
        Self {
            schema: None,
            structured: None,
        }
    }

    /// Structured content is an object: any other type stands in its `result`.
    pub(crate) fn of<T: JsonSchema>() -> Self {
        let schema = describe::<T>();
        match schema.get("type").and_then(Value::as_str) {
            Some("object") => Self {
                schema: Some(schema),
                structured: Some(Structured::Object),
            },
            Some("null") => Self {
                schema: None,
                structured: Some(Structured::No),
            },
            _ if !restricts(&schema) => Self::free(),
            _ => Self {
                schema: Some(wrapped(schema)),
                structured: Some(Structured::Wrapped),
            },
        }
    }
}

/// Whether a schema says anything about its values.
fn restricts(schema: &Value) -> bool {
    let annotations = ["title", "description", "default", "$defs"];
    schema.as_object().is_some_and(|schema| {
        schema
            .keys()
            .any(|keyword| !annotations.contains(&keyword.as_str()))
    })
}

/// Lets a type that holds itself go on to do so from its new `place`.
fn move_root(schema: &mut Value, place: &str) {
    match schema {
        Value::Object(fields) => {
            for (keyword, value) in fields {
                if keyword == "$ref" && value == "#" {
                    *value = place.into();
                } else {
                    move_root(value, place);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| move_root(item, place)),
        _ => {}
    }
}

/// The mark is fastmcp's, whose clients unwrap what bears it.
fn wrapped(mut schema: Value) -> Value {
    move_root(&mut schema, "#/properties/result");
    let definitions = schema
        .as_object_mut()
        .and_then(|schema| schema.remove("$defs"));
    let mut wrapped = Map::new();
    if let Some(definitions) = definitions {
        wrapped.insert("$defs".to_owned(), definitions);
    }
    let result = json!({ "result": schema });
    wrapped.insert("properties".to_owned(), result);
    wrapped.insert("required".to_owned(), json!(["result"]));
    wrapped.insert("type".to_owned(), json!("object"));
    wrapped.insert("x-fastmcp-wrap-result".to_owned(), json!(true));
    Value::Object(wrapped)
}
