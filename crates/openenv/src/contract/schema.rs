//! Published schemas: what schemars derives, in the shape that pydantic publishes.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::base::Base;
use super::tidy::{Tidier, is_null, referenced};
use crate::error::{Error, Result};

type Object = Map<String, Value>;

/// The schema of one type, ready to be shown.
#[derive(Debug)]
pub(super) struct Published {
    pub(super) schema: Value,
    /// Names of the author's own properties.
    pub(super) declared: Vec<String>,
    /// Whether the type is `()` or a unit struct, which stands for no fields.
    pub(super) unit: bool,
}

/// The schema of values that are sent, whatever they are, without titles.
pub(super) fn describe<T: JsonSchema>() -> Value {
    let mut settings = SchemaSettings::draft2020_12().for_serialize();
    settings.meta_schema = None;
    let root = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut root) = root.to_value() else {
        return json!({});
    };
    let definitions = match root.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Object::new(),
    };
    let tidier = Tidier::new(&definitions);
    let mut schema = Value::Object(tidier.root(root));
    let used = used_definitions(&schema, &definitions, tidier);
    if !used.is_empty() {
        schema["$defs"] = Value::Object(used);
    }
    remove_titles(&mut schema);
    sort_keys(&mut schema);
    schema
}

/// Takes away what a name says already: agents pay for every word.
pub(super) fn remove_titles(schema: &mut Value) {
    let Value::Object(fields) = schema else {
        return;
    };
    fields.shift_remove("title");
    for (keyword, value) in fields {
        match (keyword.as_str(), value) {
            ("properties" | "$defs", Value::Object(named)) => {
                named.values_mut().for_each(remove_titles);
            }
            ("anyOf" | "oneOf" | "prefixItems", Value::Array(schemas)) => {
                schemas.iter_mut().for_each(remove_titles);
            }
            ("items" | "additionalProperties", schema) => remove_titles(schema),
            _ => {}
        }
    }
}

/// # Errors
/// If values of the type are not objects.
pub(super) fn publish<T: JsonSchema>(base: Base) -> Result<Published> {
    let mut settings = SchemaSettings::draft2020_12();
    settings.meta_schema = None;
    if base.is_output() {
        // A field that may be left out when it is written is not promised to anybody.
        settings = settings.for_serialize();
    }
    let root = settings.into_generator().into_root_schema_for::<T>();
    let Value::Object(mut root) = root.to_value() else {
        return Err(not_an_object::<T>("anything"));
    };
    let definitions = match root.remove("$defs") {
        Some(Value::Object(definitions)) => definitions,
        _ => Object::new(),
    };
    let unit = is_null(&root);
    if unit {
        root = object(json!({ "type": "object", "title": base.title() }));
    }
    let tidier = Tidier::new(&definitions);
    let mut root = tidier.root(root);
    let declared = complete::<T>(&mut root, base, tidier)?;
    let mut schema = Value::Object(root);
    let used = used_definitions(&schema, &definitions, tidier);
    if !used.is_empty() {
        schema["$defs"] = Value::Object(used);
    }
    sort_keys(&mut schema);
    Ok(Published {
        schema,
        declared,
        unit,
    })
}

/// Adds the base to the type, or to every variant of it; returns what was there before.
fn complete<T: JsonSchema>(
    root: &mut Object,
    base: Base,
    tidier: Tidier<'_>,
) -> Result<Vec<String>> {
    let mut declared = Vec::new();
    let union = ["oneOf", "anyOf"]
        .into_iter()
        .find(|keyword| root.contains_key(*keyword));
    let Some(Value::Array(variants)) = union.and_then(|keyword| root.get_mut(keyword)) else {
        if root.get("type") != Some(&json!("object")) {
            let found = root.get("type").and_then(Value::as_str);
            return Err(not_an_object::<T>(found.unwrap_or("anything")));
        }
        complete_object(root, base, &mut declared);
        return Ok(declared);
    };
    for variant in variants {
        let Value::Object(fields) = variant else {
            return Err(not_an_object::<T>("anything"));
        };
        tidier.resolve(fields);
        if fields.get("type") != Some(&json!("object")) {
            let found = fields.get("type").and_then(Value::as_str);
            return Err(not_an_object::<T>(found.unwrap_or("union")));
        }
        complete_object(fields, base, &mut declared);
    }
    Ok(declared)
}

fn complete_object(schema: &mut Object, base: Base, declared: &mut Vec<String>) {
    let mut own = match schema.remove("properties") {
        Some(Value::Object(own)) => own,
        _ => Object::new(),
    };
    declared.extend(own.keys().cloned());
    let mut properties = base.properties();
    for (name, property) in &mut properties {
        // What the author declared replaces what would have been added.
        if let Some(declared) = own.shift_remove(name) {
            *property = declared;
        }
    }
    properties.extend(own);
    schema.insert("properties".to_owned(), Value::Object(properties));
    let others = match schema.remove("additionalProperties") {
        // Somebody who flattens a map into the type wants the other fields.
        Some(welcome) if welcome != json!(false) => welcome,
        _ => json!(base.is_open()),
    };
    schema.insert("additionalProperties".to_owned(), others);
}

/// The definitions that `schema` needs, directly or through another one.
fn used_definitions(schema: &Value, definitions: &Object, tidier: Tidier<'_>) -> Object {
    let mut used = Object::new();
    let mut wanted = referenced(schema);
    while let Some(name) = wanted.pop() {
        if used.contains_key(&name) || !definitions.contains_key(&name) {
            continue;
        }
        let definition = tidier.definition(&name);
        wanted.extend(referenced(&definition));
        used.insert(name, definition);
    }
    used
}

fn not_an_object<T: JsonSchema>(found: &str) -> Error {
    let name = T::schema_name();
    let mut message = format!("type `{name}` must be a JSON object, but its schema allows {found}");
    if found == "string" {
        message.push_str(
            "; an enum needs `#[serde(tag = \"type\")]` if some of its variants have no fields",
        );
    }
    Error::configuration(message)
}

fn object(value: Value) -> Object {
    match value {
        Value::Object(object) => object,
        _ => Object::new(),
    }
}

/// Sorts keywords as pydantic does; properties stay in the order of their fields.
fn sort_keys(schema: &mut Value) {
    match schema {
        Value::Object(object) => {
            object.sort_keys();
            for (keyword, value) in object {
                match (keyword.as_str(), value) {
                    ("default" | "const" | "enum" | "examples", _) => {}
                    ("properties", Value::Object(properties)) => {
                        properties.values_mut().for_each(sort_keys);
                    }
                    (_, value) => sort_keys(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(sort_keys),
        _ => {}
    }
}

#[cfg(test)]
mod tests;
