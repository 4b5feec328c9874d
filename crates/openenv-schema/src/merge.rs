//! Two rules that hold at once, as one rule.

use serde_json::{Value, json};

/// Makes `ours` say what both say; titles and the like stay as they are.
pub(super) fn combine(keyword: &str, ours: &mut Value, theirs: &Value) {
    match keyword {
        _ if ours == theirs => {}
        "minimum" | "exclusiveMinimum" | "minLength" | "minItems" | "minProperties"
            if theirs.as_f64() > ours.as_f64() =>
        {
            *ours = theirs.clone();
        }
        "maximum" | "exclusiveMaximum" | "maxLength" | "maxItems" | "maxProperties"
            if theirs.as_f64() < ours.as_f64() =>
        {
            *ours = theirs.clone();
        }
        "required" => {
            if let (Value::Array(ours), Value::Array(theirs)) = (ours, theirs) {
                ours.extend(theirs.iter().cloned());
            }
        }
        "enum" => {
            if let (Value::Array(ours), Value::Array(theirs)) = (ours, theirs) {
                ours.retain(|value| theirs.contains(value));
            }
        }
        "type" => *ours = common_types(ours, theirs),
        "properties" => {
            if let (Value::Object(ours), Value::Object(theirs)) = (ours, theirs) {
                for (name, theirs) in theirs {
                    let both = match ours.get(name) {
                        Some(ours) => json!({ "allOf": [ours, theirs] }),
                        None => theirs.clone(),
                    };
                    ours.insert(name.clone(), both);
                }
            }
        }
        "items" | "additionalProperties" => *ours = json!({ "allOf": [ours, theirs] }),
        _ => {}
    }
}

fn common_types(ours: &Value, theirs: &Value) -> Value {
    let list = |types: &Value| match types {
        Value::Array(types) => types.clone(),
        other => vec![other.clone()],
    };
    let (ours, theirs) = (list(ours), list(theirs));
    let within = |name: &Value, others: &[Value]| {
        others.contains(name) || (name == "integer" && others.contains(&json!("number")))
    };
    let mut common: Vec<Value> = Vec::new();
    common.extend(ours.iter().filter(|name| within(name, &theirs)).cloned());
    common.extend(
        theirs
            .iter()
            .filter(|name| within(name, &ours) && !ours.contains(name))
            .cloned(),
    );
    match <[Value; 1]>::try_from(common) {
        Ok([only]) => only,
        Err(several) => Value::Array(several),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stricter_rule_holds() {
        for (keyword, ours, theirs, both) in [
            ("minimum", json!(1), json!(2.5), json!(2.5)),
            ("maxLength", json!(1), json!(2), json!(1)),
            ("required", json!(["a"]), json!(["b"]), json!(["a", "b"])),
            ("enum", json!([1, 2]), json!([2, 3]), json!([2])),
            ("type", json!("number"), json!("integer"), json!("integer")),
            (
                "type",
                json!(["integer", "null"]),
                json!("number"),
                json!("integer"),
            ),
            ("type", json!("string"), json!("null"), json!([])),
            ("title", json!("ours"), json!("theirs"), json!("ours")),
            (
                "properties",
                json!({ "a": true, "b": {} }),
                json!({ "b": true, "c": {} }),
                json!({ "a": true, "b": { "allOf": [{}, true] }, "c": {} }),
            ),
        ] {
            let mut combined = ours;
            combine(keyword, &mut combined, &theirs);
            assert_eq!(combined, both, "{keyword}");
        }
    }
}
