//! Whether a value fits a schema.
//!
//! Covers what pydantic and schemars write. Unknown keywords allow everything, and so does `format`:
//! the server has the last word anyway.

mod limits;

use serde_json::{Map, Value};

use super::ActionSchema;
use super::misfit::Misfit;
use super::words;

pub(super) use self::limits::is_multiple;

/// Schemas and values that nest deeper than this are not looked into.
const MAX_DEPTH: usize = 200;
/// Schemas that refer to themselves in many ways could keep a check busy for ever.
const MAX_STEPS: usize = 100_000;

impl ActionSchema {
    /// # Errors
    /// With the first place that does not fit.
    pub(super) fn check(&self, schema: &Value, value: &Value) -> Result<(), Misfit> {
        let mut check = Check {
            schema: self,
            depth: 0,
            steps: 0,
        };
        check.value(schema, value)
    }

    /// # Errors
    /// With the first place of the action that does not fit.
    pub(super) fn check_action(&self, action: &Value) -> Result<(), Misfit> {
        self.check(&self.root, action)
    }
}

struct Check<'a> {
    schema: &'a ActionSchema,
    depth: usize,
    steps: usize,
}

impl<'a> Check<'a> {
    fn value(&mut self, schema: &'a Value, value: &Value) -> Result<(), Misfit> {
        self.steps += 1;
        if self.depth == MAX_DEPTH || self.steps > MAX_STEPS {
            return Err(Misfit::new("the schema nests too deeply"));
        }
        self.depth += 1;
        let outcome = match schema {
            Value::Bool(false) => Err(Misfit::new("nothing is allowed here")),
            Value::Object(keywords) => self.keywords(schema, keywords, value),
            _ => Ok(()),
        };
        self.depth -= 1;
        outcome
    }

    fn keywords(
        &mut self,
        schema: &'a Value,
        keywords: &'a Map<String, Value>,
        value: &Value,
    ) -> Result<(), Misfit> {
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            self.value(self.schema.referenced(reference)?, value)?;
        }
        if !limits::allow(keywords, value) {
            return Err(self.expected(schema));
        }
        self.combinations(schema, keywords, value)?;
        match value {
            Value::Array(items) => self.items(keywords, items),
            Value::Object(fields) => self.fields(keywords, fields),
            _ => Ok(()),
        }
    }

    fn combinations(
        &mut self,
        schema: &'a Value,
        keywords: &'a Map<String, Value>,
        value: &Value,
    ) -> Result<(), Misfit> {
        for part in list(keywords, "allOf") {
            self.value(part, value)?;
        }
        if let Some(Value::Array(parts)) = keywords.get("anyOf")
            && !parts.iter().any(|part| self.value(part, value).is_ok())
        {
            return Err(self.none_of(schema, parts, value));
        }
        if let Some(Value::Array(parts)) = keywords.get("oneOf") {
            let fitting = parts
                .iter()
                .filter(|part| self.value(part, value).is_ok())
                .count();
            match fitting {
                0 => return Err(self.none_of(schema, parts, value)),
                1 => {}
                _ => return Err(Misfit::new("fits more than one variant")),
            }
        }
        if let Some(not) = keywords.get("not")
            && self.value(not, value).is_ok()
        {
            return Err(Misfit::new("is one of the values that are excluded"));
        }
        if let Some(condition) = keywords.get("if") {
            let branch = match self.value(condition, value) {
                Ok(()) => "then",
                Err(_) => "else",
            };
            if let Some(branch) = keywords.get(branch) {
                self.value(branch, value)?;
            }
        }
        Ok(())
    }

    fn items(&mut self, keywords: &'a Map<String, Value>, items: &[Value]) -> Result<(), Misfit> {
        // Before 2020-12, a list of `items` was what `prefixItems` is now.
        let (first, rest) = match keywords.get("items") {
            Some(Value::Array(first)) => (first.as_slice(), keywords.get("additionalItems")),
            rest => (list(keywords, "prefixItems"), rest),
        };
        for (index, item) in items.iter().enumerate() {
            if let Some(schema) = first.get(index).or(rest) {
                self.value(schema, item)
                    .map_err(|misfit| misfit.in_item(index))?;
            }
        }
        Ok(())
    }

    fn fields(
        &mut self,
        keywords: &'a Map<String, Value>,
        fields: &Map<String, Value>,
    ) -> Result<(), Misfit> {
        for name in list(keywords, "required").iter().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                return Err(Misfit::new("is missing").in_field(name));
            }
        }
        let object = |keyword: &str| keywords.get(keyword).and_then(Value::as_object);
        for (name, value) in fields {
            if let Some(names) = keywords.get("propertyNames") {
                self.value(names, &Value::String(name.clone()))
                    .map_err(|misfit| misfit.in_field(name))?;
            }
            let declared = object("properties").and_then(|known| known.get(name));
            let matched: Vec<&Value> = object("patternProperties")
                .into_iter()
                .flatten()
                .filter(|(pattern, _)| limits::matches(pattern, name))
                .map(|(_, schema)| schema)
                .collect();
            let other = match (declared, matched.is_empty()) {
                (None, true) => keywords.get("additionalProperties"),
                _ => None,
            };
            if other == Some(&Value::Bool(false)) {
                return Err(Misfit::new("is no field of it").in_field(name));
            }
            for schema in declared.into_iter().chain(matched).chain(other) {
                self.value(schema, value)
                    .map_err(|misfit| misfit.in_field(name))?;
            }
        }
        Ok(())
    }

    /// The most telling reason: that of the only variant which is of the value's type.
    fn none_of(&mut self, schema: &'a Value, parts: &'a [Value], value: &Value) -> Misfit {
        let candidates: Vec<&Value> = parts
            .iter()
            .filter(|part| {
                let kinds = self.schema.node_or_anything(part).kinds();
                kinds.is_empty() || kinds.iter().any(|kind| limits::is_of(value, *kind))
            })
            .collect();
        match candidates.as_slice() {
            [only] => self.value(only, value).err(),
            _ => None,
        }
        .unwrap_or_else(|| self.expected(schema))
    }

    fn expected(&self, schema: &Value) -> Misfit {
        Misfit::new(format!("expected {}", words::of(self.schema, schema)))
    }
}

fn list<'a>(keywords: &'a Map<String, Value>, keyword: &str) -> &'a [Value] {
    match keywords.get(keyword) {
        Some(Value::Array(list)) => list,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn misfit(schema: Value, value: &Value) -> Option<String> {
        let misfit = ActionSchema::new(schema).check_action(value).err()?;
        Some(misfit.to_string())
    }

    #[test]
    fn fitting_values_pass() {
        for (schema, value) in [
            (json!({}), json!([1, null])),
            (json!({ "type": "integer" }), json!(5.0)),
            (json!({ "type": ["null", "string"] }), json!(null)),
            (json!({ "enum": [1, "a"] }), json!(1.0)),
            (json!({ "multipleOf": 0.1 }), json!(0.3)),
            (json!({ "maxLength": 2 }), json!("äö")),
            (json!({ "pattern": "^(?!x)" }), json!("y")),
            (
                json!({ "prefixItems": [{ "type": "null" }] }),
                json!([null, 1]),
            ),
            (
                json!({ "if": { "const": 1 }, "then": { "minimum": 1 } }),
                json!(1),
            ),
            (json!({ "not": { "type": "string" } }), json!(1)),
        ] {
            assert_eq!(misfit(schema.clone(), &value), None, "{schema} {value}");
        }
    }

    #[test]
    fn misfits_are_explained() {
        let point = json!({
            "type": "object",
            "properties": { "x": { "type": "integer", "exclusiveMaximum": 3 } },
            "required": ["x"],
            "additionalProperties": false,
        });
        for (schema, value, message) in [
            (json!(false), json!(1), "nothing is allowed here"),
            (
                json!({ "type": "integer" }),
                json!(1.5),
                "expected whole number",
            ),
            (json!({ "type": "number" }), json!(true), "expected number"),
            (json!({ "const": "a" }), json!("b"), "expected \"a\""),
            (
                json!({ "uniqueItems": true }),
                json!([1, 1.0]),
                "expected list, no item twice",
            ),
            (point.clone(), json!({}), "`x`: is missing"),
            (
                point.clone(),
                json!({ "x": 3 }),
                "`x`: expected whole number, below 3",
            ),
            (
                point.clone(),
                json!({ "x": 1, "y": 1 }),
                "`y`: is no field of it",
            ),
            (
                json!({ "anyOf": [{ "type": "array", "items": point }, { "type": "null" }] }),
                json!([{ "x": 1 }, { "x": 4 }]),
                "`[1].x`: expected whole number, below 3",
            ),
            (
                json!({ "oneOf": [{}, true] }),
                json!(1),
                "fits more than one variant",
            ),
            (
                json!({ "not": { "type": "integer" } }),
                json!(1),
                "is one of the values that are excluded",
            ),
        ] {
            assert_eq!(misfit(schema, &value).as_deref(), Some(message));
        }
    }

    #[test]
    fn endless_schemas_end() {
        let schema = json!({ "anyOf": [{ "$ref": "#" }, { "$ref": "#" }] });
        assert!(misfit(schema, &json!(1)).is_some());
    }
}
