//! Types in words, for people.

use serde_json::Value;

use super::ActionSchema;
use super::node::{Kind, Node};

/// Longer lists of values or names are cut.
const MAX_CHOICES: usize = 12;
/// Lists of lists of lists are told so far.
const MAX_DEPTH: usize = 3;

/// Such as `text`, `whole number, 1 to 100` or `list of text`.
pub(super) fn of(schema: &ActionSchema, place: &Value) -> String {
    nested(schema, &schema.node_or_anything(place), 0)
}

fn nested(schema: &ActionSchema, node: &Node, depth: usize) -> String {
    if let Some(choices) = node.choices() {
        return listed(&choices);
    }
    if depth < MAX_DEPTH
        && let Some(Ok(alternatives)) = node.alternatives(schema)
    {
        let words = alternatives
            .iter()
            .map(|alternative| nested(schema, alternative, depth + 1));
        return either(words);
    }
    let kinds = node.kinds();
    if kinds.is_empty() {
        return "anything".to_owned();
    }
    either(
        kinds
            .into_iter()
            .map(|kind| of_kind(schema, node, kind, depth)),
    )
}

fn of_kind(schema: &ActionSchema, node: &Node, kind: Kind, depth: usize) -> String {
    match kind {
        Kind::Null => "nothing".to_owned(),
        Kind::Boolean => "true or false".to_owned(),
        Kind::Integer => format!("whole number{}", range(node)),
        Kind::Number => format!("number{}", range(node)),
        Kind::Text => text(node),
        Kind::List => list(schema, node, depth),
        Kind::Object => object(node),
    }
}

fn list(schema: &ActionSchema, node: &Node, depth: usize) -> String {
    let item = |place: &Value| nested(schema, &schema.node_or_anything(place), depth + 1);
    let first = node.get("prefixItems").and_then(Value::as_array);
    if let Some(first) = first.filter(|_| depth < MAX_DEPTH) {
        let first: Vec<String> = first.iter().map(item).collect();
        return format!("list of ({})", first.join("; "));
    }
    let items = match node.get("items").filter(|_| depth < MAX_DEPTH).map(item) {
        Some(item) if item != "anything" => format!(" of {item}"),
        _ => String::new(),
    };
    let count = counted(node, "minItems", "maxItems", "item");
    let unique = if node.flag("uniqueItems") {
        ", no item twice"
    } else {
        ""
    };
    format!("list{items}{count}{unique}")
}

fn object(node: &Node) -> String {
    let names: Vec<&str> = node.properties().map(|(name, _)| name).collect();
    match names.len() {
        0 => "object".to_owned(),
        1..=MAX_CHOICES => format!("object ({})", names.join(", ")),
        total => {
            let shown = names[..MAX_CHOICES].join(", ");
            format!("object ({shown} and {} more)", total - MAX_CHOICES)
        }
    }
}

fn text(node: &Node) -> String {
    let noun = match node.text("format") {
        Some("date-time") => "date and time",
        Some("date") => "date",
        Some("time") => "time",
        Some("duration") => "duration",
        Some("uuid") => "UUID",
        Some("email") => "email address",
        Some("uri") => "URL",
        Some("ipv4") => "IPv4 address",
        Some("ipv6") => "IPv6 address",
        _ => "text",
    };
    let length = counted(node, "minLength", "maxLength", "character");
    match node.text("pattern") {
        Some(pattern) => format!("{noun}{length}, like `{pattern}`"),
        None => format!("{noun}{length}"),
    }
}

fn range(node: &Node) -> String {
    let shown = |keyword| node.get(keyword).filter(|limit| limit.is_number());
    let minimum = shown("minimum").map(|limit| (limit, node.flag("exclusiveMinimum")));
    let minimum = minimum.or(shown("exclusiveMinimum").map(|limit| (limit, true)));
    let maximum = shown("maximum").map(|limit| (limit, node.flag("exclusiveMaximum")));
    let maximum = maximum.or(shown("exclusiveMaximum").map(|limit| (limit, true)));
    let above = |(limit, exclusive)| {
        let relation = if exclusive { "above" } else { "at least" };
        format!("{relation} {limit}")
    };
    let below = |(limit, exclusive)| {
        let relation = if exclusive { "below" } else { "at most" };
        format!("{relation} {limit}")
    };
    let range = match (minimum, maximum) {
        (Some((minimum, false)), Some((maximum, false))) => format!(", {minimum} to {maximum}"),
        (Some(minimum), Some(maximum)) => format!(", {} and {}", above(minimum), below(maximum)),
        (Some(minimum), None) => format!(", {}", above(minimum)),
        (None, Some(maximum)) => format!(", {}", below(maximum)),
        (None, None) => String::new(),
    };
    match shown("multipleOf") {
        Some(step) => format!("{range}, a multiple of {step}"),
        None => range,
    }
}

fn counted(node: &Node, minimum: &str, maximum: &str, unit: &str) -> String {
    let minimum = node.count(minimum).filter(|minimum| *minimum > 0);
    let units = |count: usize| match count {
        1 => format!("1 {unit}"),
        _ => format!("{count} {unit}s"),
    };
    match (minimum, node.count(maximum)) {
        (Some(minimum), Some(maximum)) if minimum == maximum => format!(", {}", units(minimum)),
        (Some(minimum), Some(maximum)) => format!(", {minimum} to {}", units(maximum)),
        (Some(minimum), None) => format!(", at least {}", units(minimum)),
        (None, Some(maximum)) => format!(", at most {}", units(maximum)),
        (None, None) => String::new(),
    }
}

fn listed(choices: &[&Value]) -> String {
    let shown: Vec<String> = choices
        .iter()
        .take(MAX_CHOICES)
        .map(ToString::to_string)
        .collect();
    let shown = shown.join(", ");
    match choices.len() {
        0 => "no value at all".to_owned(),
        1 => shown,
        2..=MAX_CHOICES => format!("one of {shown}"),
        total => format!("one of {shown} and {} more", total - MAX_CHOICES),
    }
}

/// What would be said twice is told once.
fn either(words: impl Iterator<Item = String>) -> String {
    let mut distinct: Vec<String> = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct.join(", or ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn types_read_well() {
        for (place, expected) in [
            (json!({ "type": "string" }), "text"),
            (
                json!({ "type": "string", "minLength": 1 }),
                "text, at least 1 character",
            ),
            (
                json!({ "type": "string", "minLength": 1, "maxLength": 9, "pattern": "^a" }),
                "text, 1 to 9 characters, like `^a`",
            ),
            (
                json!({ "type": "string", "format": "date-time" }),
                "date and time",
            ),
            (
                json!({ "type": "integer", "minimum": 1, "maximum": 100 }),
                "whole number, 1 to 100",
            ),
            (
                json!({ "type": "number", "exclusiveMinimum": 0, "maximum": 5.5 }),
                "number, above 0 and at most 5.5",
            ),
            (
                json!({ "type": "number", "multipleOf": 0.5 }),
                "number, a multiple of 0.5",
            ),
            (json!({ "type": "boolean" }), "true or false"),
            (json!({ "enum": ["a", "b"] }), "one of \"a\", \"b\""),
            (json!({ "const": 1 }), "1"),
            (
                json!({ "type": "array", "items": { "type": "string" } }),
                "list of text",
            ),
            (
                json!({ "type": "array", "minItems": 2, "maxItems": 2 }),
                "list, 2 items",
            ),
            (
                json!({ "anyOf": [{ "type": "integer" }, { "type": "null" }] }),
                "whole number, or nothing",
            ),
            (json!({ "type": ["string", "null"] }), "text, or nothing"),
            (
                json!({ "oneOf": [{ "type": "object" }, { "properties": {} }] }),
                "object",
            ),
            (
                json!({ "properties": { "x": {}, "y": {} } }),
                "object (x, y)",
            ),
            (json!({}), "anything"),
            (json!({ "$ref": "#/nowhere" }), "anything"),
        ] {
            let schema = ActionSchema::new(json!({}));
            assert_eq!(of(&schema, &place), expected, "{place}");
        }
    }

    #[test]
    fn long_and_endless_types_are_cut() {
        let letters: Vec<String> = (0..30).map(|number| format!("v{number}")).collect();
        let words = of(&ActionSchema::new(json!({})), &json!({ "enum": letters }));
        assert!(words.ends_with("\"v11\" and 18 more"), "{words}");
        let endless = json!({ "type": "array", "items": { "$ref": "#" } });
        let words = of(&ActionSchema::new(endless.clone()), &endless);
        assert_eq!(words, "list of list of list of list");
    }
}
