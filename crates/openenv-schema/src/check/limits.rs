//! What a value must be by itself: its type, its range, its length.

use regex::Regex;
use serde_json::{Map, Value};

use super::super::node::Kind;

/// Whether the value fits, but for its fields or items.
pub(super) fn allow(keywords: &Map<String, Value>, value: &Value) -> bool {
    let number = |keyword: &str| keywords.get(keyword).and_then(Value::as_f64);
    let has_type = match keywords.get("type") {
        Some(Value::String(name)) => is_named(value, name),
        Some(Value::Array(names)) => names
            .iter()
            .filter_map(Value::as_str)
            .any(|name| is_named(value, name)),
        _ => true,
    };
    let is_listed = match keywords.get("enum") {
        Some(Value::Array(listed)) => listed.iter().any(|listed| same(listed, value)),
        _ => true,
    } && keywords.get("const").is_none_or(|only| same(only, value));
    let in_bounds = |count: usize, minimum: &str, maximum: &str| {
        #[expect(clippy::cast_precision_loss, reason = "no text or list is that long")]
        let count = count as f64;
        number(minimum).is_none_or(|minimum| count >= minimum)
            && number(maximum).is_none_or(|maximum| count <= maximum)
    };
    has_type
        && is_listed
        && match value {
            Value::Number(value) => value.as_f64().is_none_or(|value| {
                let flag = |keyword| keywords.get(keyword) == Some(&Value::Bool(true));
                number("minimum").is_none_or(|minimum| {
                    value > minimum || (value >= minimum && !flag("exclusiveMinimum"))
                }) && number("maximum").is_none_or(|maximum| {
                    value < maximum || (value <= maximum && !flag("exclusiveMaximum"))
                }) && number("exclusiveMinimum").is_none_or(|minimum| value > minimum)
                    && number("exclusiveMaximum").is_none_or(|maximum| value < maximum)
                    && number("multipleOf").is_none_or(|step| is_multiple(value, step))
            }),
            Value::String(text) => {
                in_bounds(text.chars().count(), "minLength", "maxLength")
                    && keywords
                        .get("pattern")
                        .and_then(Value::as_str)
                        .is_none_or(|pattern| matches(pattern, text))
            }
            Value::Array(items) => {
                let unique = keywords.get("uniqueItems") == Some(&Value::Bool(true));
                in_bounds(items.len(), "minItems", "maxItems") && !(unique && has_repetition(items))
            }
            Value::Object(fields) => in_bounds(fields.len(), "minProperties", "maxProperties"),
            Value::Null | Value::Bool(_) => true,
        }
}

fn is_named(value: &Value, name: &str) -> bool {
    Kind::from_name(name).is_none_or(|kind| is_of(value, kind))
}

pub(super) fn is_of(value: &Value, kind: Kind) -> bool {
    match kind {
        Kind::Null => value.is_null(),
        Kind::Boolean => value.is_boolean(),
        Kind::Integer => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        Kind::Number => value.is_number(),
        Kind::Text => value.is_string(),
        Kind::List => value.is_array(),
        Kind::Object => value.is_object(),
    }
}

/// Equal as JSON has it, where `1` is `1.0`.
fn same(one: &Value, other: &Value) -> bool {
    one == other || (one.is_number() && one.as_f64() == other.as_f64())
}

fn has_repetition(items: &[Value]) -> bool {
    items
        .iter()
        .enumerate()
        .any(|(index, item)| items[..index].iter().any(|earlier| same(earlier, item)))
}

/// As tolerant as pydantic: `0.3` is three times `0.1`.
pub(in super::super) fn is_multiple(value: f64, step: f64) -> bool {
    let rest = (value % step).abs();
    let tolerance = value.abs() / 1e9;
    step == 0.0 || rest <= tolerance || (rest - step.abs()).abs() <= tolerance
}

/// Python knows patterns that Rust does not: those match everything.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    Regex::new(pattern).map_or(true, |pattern| pattern.is_match(text))
}
