//! What a person types for a field, as JSON.

use serde_json::Value;

use super::ActionSchema;
use super::field::Field;
use super::node::{Kind, Node};

impl Field<'_> {
    /// Reads a line as a value of the field; `None` leaves the field out.
    ///
    /// Text is taken as it is, without quotes (`""` is the empty text). Listed values can be given by
    /// their number, truth values as `yes` or `no`, lists with commas, all else as JSON. An empty line
    /// is the default of an optional field, or null, or the empty text, whichever the field can have.
    ///
    /// # Errors
    /// With what was expected instead.
    pub fn parse(&self, line: &str) -> Result<Option<Value>, String> {
        let line = line.trim();
        if line.is_empty() && !self.required {
            return Ok(None);
        }
        if let Some(choice) = self.choice(line) {
            return Ok(Some(choice.clone()));
        }
        candidates(self.schema, &self.node, line)
            .into_iter()
            .find(|value| self.schema.check(&self.place, value).is_ok())
            .map(Some)
            .ok_or_else(|| self.expected(line))
    }

    /// One of the listed values: as it is written, or else in another case, or else by its number.
    fn choice(&self, line: &str) -> Option<&Value> {
        let written = |value: &Value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let by_value = |value: &&Value| written(value) == line;
        let in_other_case = |value: &&Value| written(value).eq_ignore_ascii_case(line);
        let by_number = || {
            // Next to numbers as values, numbers of values would only confuse.
            let confusing = self.choices.iter().any(Value::is_number);
            let number: usize = line.parse().ok().filter(|_| !confusing)?;
            self.choices.get(number.checked_sub(1)?)
        };
        let choices = || self.choices.iter();
        choices()
            .find(by_value)
            .or_else(|| choices().find(in_other_case))
            .or_else(by_number)
    }

    fn expected(&self, line: &str) -> String {
        let expected = format!("expected {}", self.words);
        if !line.starts_with(['{', '[']) {
            return expected;
        }
        let reason = match serde_json::from_str(line) {
            Ok(value) => self
                .schema
                .check(&self.place, &value)
                .err()
                .map_or_else(String::new, |misfit| misfit.to_string()),
            Err(error) => format!("not JSON: {error}"),
        };
        if reason == expected {
            return expected;
        }
        format!("{expected}; {reason}")
    }
}

/// What the line could mean, the likeliest first.
fn candidates(schema: &ActionSchema, node: &Node, line: &str) -> Vec<Value> {
    let literal = Value::String(line.to_owned());
    if line.is_empty() || line == "\"\"" {
        let empty = Value::String(String::new());
        let mut candidates = vec![Value::Null, empty];
        if line == "\"\"" {
            candidates.swap(0, 1);
        }
        return candidates;
    }
    if node.kinds() == [Kind::Text] {
        return vec![literal];
    }
    let mut candidates = Vec::new();
    candidates.extend(serde_json::from_str::<Value>(line));
    candidates.extend(truth(line).map(Value::Bool));
    candidates.extend(line.parse::<i64>().map(Value::from));
    candidates.extend(line.parse::<f64>().map(Value::from));
    candidates.extend(list(schema, node, line));
    candidates.push(literal);
    candidates
}

fn truth(line: &str) -> Option<bool> {
    match line.to_ascii_lowercase().as_str() {
        "true" | "yes" | "y" => Some(true),
        "false" | "no" | "n" => Some(false),
        _ => None,
    }
}

/// The line as a list with commas, if the field can be a list of something plain.
fn list(schema: &ActionSchema, node: &Node, line: &str) -> Option<Value> {
    let alternatives = node.alternatives(schema).and_then(Result::ok);
    let node = match &alternatives {
        Some(alternatives) => alternatives.iter().find(|node| is_list(node))?,
        None => node,
    };
    if !is_list(node) || line.starts_with(['[', '{']) {
        return None;
    }
    let place = node.get("items").unwrap_or(&Value::Bool(true));
    let item_node = schema.node(place).ok()?;
    let item = |part: &str| {
        candidates(schema, &item_node, part.trim())
            .into_iter()
            .find(|value| schema.check(place, value).is_ok())
    };
    line.split(',')
        .map(item)
        .collect::<Option<Vec<_>>>()
        .map(Value::Array)
}

fn is_list(node: &Node) -> bool {
    node.kinds().contains(&Kind::List)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parse(place: &Value, required: bool, line: &str) -> Result<Option<Value>, String> {
        let schema = ActionSchema::new(json!({}));
        Field::new(&schema, "field", place, required).parse(line)
    }

    #[test]
    fn lines_become_values() {
        let text = json!({ "type": "string" });
        let whole = json!({ "type": "integer", "minimum": 0 });
        let number = json!({ "type": "number" });
        let truth = json!({ "type": "boolean" });
        let modes = json!({ "enum": ["plain", "UPPER"] });
        let levels = json!({ "enum": [10, 20, null] });
        let nullable = json!({ "anyOf": [whole, { "type": "null" }] });
        let texts = json!({ "type": "array", "items": text });
        let wholes = json!({ "anyOf": [{ "type": "array", "items": whole }, { "type": "null" }] });
        let either = json!({ "anyOf": [whole, text] });
        let object = json!({ "type": "object" });
        for (place, line, expected) in [
            (&text, "  say \"hi\" ", json!("say \"hi\"")),
            (&text, "5", json!("5")),
            (&text, "null", json!("null")),
            (&text, "", json!("")),
            (&text, "\"\"", json!("")),
            (&whole, "12", json!(12)),
            (&whole, "+12", json!(12)),
            (&number, ".5", json!(0.5)),
            (&number, "-1e3", json!(-1e3)),
            (&truth, "Yes", json!(true)),
            (&truth, "n", json!(false)),
            (&truth, "true", json!(true)),
            (&modes, "plain", json!("plain")),
            (&modes, "upper", json!("UPPER")),
            (&modes, "2", json!("UPPER")),
            (&levels, "20", json!(20)),
            (&levels, "null", json!(null)),
            (&nullable, "", json!(null)),
            (&nullable, "null", json!(null)),
            (&nullable, "3", json!(3)),
            (&texts, "a, b c ,d", json!(["a", "b c", "d"])),
            (&texts, "[\"a,b\"]", json!(["a,b"])),
            (&texts, "a", json!(["a"])),
            (&wholes, "1, 2", json!([1, 2])),
            (&either, "7", json!(7)),
            (&either, "seven", json!("seven")),
            (&object, "{\"a\": 1}", json!({ "a": 1 })),
            (&json!({}), "{\"a\": 1}", json!({ "a": 1 })),
            (&json!({}), "word", json!("word")),
        ] {
            assert_eq!(
                parse(place, true, line),
                Ok(Some(expected)),
                "{place} {line}"
            );
        }
    }

    #[test]
    fn optional_fields_can_be_left_out() {
        assert_eq!(parse(&json!({ "type": "string" }), false, " "), Ok(None));
        assert_eq!(
            parse(&json!({ "type": "string" }), false, "\"\""),
            Ok(Some(json!("")))
        );
    }

    #[test]
    fn errors_say_what_was_expected() {
        let point = json!({ "type": "object", "required": ["x"] });
        for (place, line, expected) in [
            (json!({ "type": "integer" }), "1.5", "expected whole number"),
            (json!({ "type": "integer" }), "", "expected whole number"),
            (
                json!({ "type": "number", "maximum": 1 }),
                "nan",
                "expected number, at most 1",
            ),
            (
                json!({ "type": "string", "minLength": 2 }),
                "a",
                "expected text, at least 2 characters",
            ),
            (
                json!({ "enum": ["a", "b"] }),
                "3",
                "expected one of \"a\", \"b\"",
            ),
            (json!({ "enum": [10, 20] }), "1", "expected one of 10, 20"),
            (
                json!({ "type": "boolean" }),
                "maybe",
                "expected true or false",
            ),
            (point.clone(), "x", "expected object"),
            (point.clone(), "{}", "expected object; `x`: is missing"),
            (
                point,
                "{x}",
                "expected object; not JSON: key must be a string at line 1 column 2",
            ),
            (
                json!({ "type": "array", "items": { "type": "integer" } }),
                "1, a",
                "expected list of whole number",
            ),
        ] {
            assert_eq!(
                parse(&place, true, line),
                Err(expected.to_owned()),
                "{place} {line}"
            );
        }
    }
}
