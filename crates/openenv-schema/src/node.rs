//! One place in a schema, with all that applies there brought together.

use serde_json::{Map, Value, json};

use super::ActionSchema;
use super::merge::combine;
use super::misfit::Misfit;

/// More references for one place than this lead nowhere.
const MAX_REFERENCES: usize = 64;

type Keywords = Map<String, Value>;

/// The keywords of one place: references are followed, `allOf` is merged.
///
/// The merge is simple: what cannot be merged is left out. It says what to try and what to show;
/// whether a value fits, [`super::check`] decides on the schema itself.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    keywords: Keywords,
}

/// A type of JSON, where whole numbers are one of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Null,
    Boolean,
    Integer,
    Number,
    Text,
    List,
    Object,
}

impl Kind {
    pub(super) fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "null" => Self::Null,
            "boolean" => Self::Boolean,
            "integer" => Self::Integer,
            "number" => Self::Number,
            "string" => Self::Text,
            "array" => Self::List,
            "object" => Self::Object,
            _ => return None,
        })
    }
}

impl ActionSchema {
    /// # Errors
    /// If a reference leads nowhere.
    pub(super) fn node(&self, schema: &Value) -> Result<Node, Misfit> {
        let mut node = Node::default();
        self.collect(schema, &mut node, &mut { MAX_REFERENCES })?;
        Ok(node)
    }

    /// For what is only shown.
    pub(super) fn node_or_anything(&self, schema: &Value) -> Node {
        self.node(schema).unwrap_or_default()
    }

    /// The schema that `$ref` names.
    pub(super) fn referenced(&self, reference: &str) -> Result<&Value, Misfit> {
        reference
            .strip_prefix('#')
            .and_then(|pointer| self.root.pointer(&percent_decoded(pointer)))
            .ok_or_else(|| Misfit::new(format!("the schema has no `{reference}`")))
    }

    fn collect(
        &self,
        schema: &Value,
        node: &mut Node,
        references: &mut usize,
    ) -> Result<(), Misfit> {
        let Some(keywords) = schema.as_object() else {
            if schema == &Value::Bool(false) {
                node.forbid();
            }
            return Ok(());
        };
        node.merge(keywords);
        let parts = keywords.get("allOf").and_then(Value::as_array);
        for part in parts.into_iter().flatten() {
            self.collect(part, node, references)?;
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            *references = references
                .checked_sub(1)
                .ok_or_else(|| Misfit::new(format!("`{reference}` refers to itself")))?;
            self.collect(self.referenced(reference)?, node, references)?;
        }
        Ok(())
    }
}

impl Node {
    pub(super) fn get(&self, keyword: &str) -> Option<&Value> {
        self.keywords.get(keyword)
    }

    pub(super) fn text(&self, keyword: &str) -> Option<&str> {
        self.get(keyword).and_then(Value::as_str)
    }

    pub(super) fn number(&self, keyword: &str) -> Option<f64> {
        self.get(keyword).and_then(Value::as_f64)
    }

    /// The value of a keyword that counts, such as `minItems`.
    pub(super) fn count(&self, keyword: &str) -> Option<usize> {
        let count = self.get(keyword)?.as_u64()?;
        Some(usize::try_from(count).unwrap_or(usize::MAX))
    }

    pub(super) fn flag(&self, keyword: &str) -> bool {
        self.get(keyword) == Some(&Value::Bool(true))
    }

    /// Whether nothing can fit.
    pub(super) fn is_forbidden(&self) -> bool {
        matches!(self.get("not"), Some(Value::Bool(true)))
            || self.get("not") == Some(&Value::Object(Map::new()))
    }

    /// The types that are declared, or that the other keywords speak of; none for anything.
    pub(super) fn kinds(&self) -> Vec<Kind> {
        match self.get("type") {
            Some(Value::String(name)) => Kind::from_name(name).into_iter().collect(),
            Some(Value::Array(names)) => names
                .iter()
                .filter_map(|name| Kind::from_name(name.as_str()?))
                .collect(),
            _ => self.implied_kind().into_iter().collect(),
        }
    }

    fn implied_kind(&self) -> Option<Kind> {
        let has = |keywords: &[&str]| keywords.iter().any(|keyword| self.get(keyword).is_some());
        if has(&["properties", "required", "additionalProperties"]) {
            Some(Kind::Object)
        } else if has(&[
            "items",
            "prefixItems",
            "minItems",
            "maxItems",
            "uniqueItems",
        ]) {
            Some(Kind::List)
        } else if has(&["minLength", "maxLength", "pattern", "format"]) {
            Some(Kind::Text)
        } else if has(&[
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
        ]) {
            Some(Kind::Number)
        } else {
            None
        }
    }

    /// The one value that is allowed, if it is just one.
    pub(super) fn fixed(&self) -> Option<&Value> {
        match (self.get("const"), self.get("enum")) {
            (Some(value), _) => Some(value),
            (None, Some(Value::Array(values))) if values.len() == 1 => values.first(),
            _ => None,
        }
    }

    /// The values that are listed, if they are.
    pub(super) fn choices(&self) -> Option<Vec<&Value>> {
        match (self.get("const"), self.get("enum")) {
            (Some(value), _) => Some(vec![value]),
            (None, Some(Value::Array(values))) => Some(values.iter().collect()),
            _ => None,
        }
    }

    /// What `anyOf` or `oneOf` offers, each with what holds for all of them.
    pub(super) fn alternatives(&self, schema: &ActionSchema) -> Option<Result<Vec<Self>, Misfit>> {
        let keyword = ["oneOf", "anyOf"]
            .into_iter()
            .find(|keyword| self.get(keyword).is_some_and(Value::is_array))?;
        let offered = self.get(keyword)?.as_array()?;
        let mut common = self.keywords.clone();
        for keyword in [keyword, "default", "discriminator"] {
            common.remove(keyword);
        }
        let alternative = |offered: &Value| {
            let mut node = schema.node(offered)?;
            node.merge(&common);
            Ok(node)
        };
        Some(offered.iter().map(alternative).collect())
    }

    pub(super) fn properties(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.get("properties")
            .and_then(Value::as_object)
            .into_iter()
            .flatten()
            .map(|(name, property)| (name.as_str(), property))
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.get("required")
            .and_then(Value::as_array)
            .is_some_and(|names| names.iter().any(|required| required == name))
    }

    /// Asks for one more rule: that texts match the pattern.
    pub(super) fn require_pattern(&mut self, pattern: &str) {
        self.merge(&Map::from_iter([("pattern".to_owned(), json!(pattern))]));
    }

    fn forbid(&mut self) {
        self.keywords.insert("not".to_owned(), json!({}));
    }

    fn merge(&mut self, others: &Keywords) {
        for (keyword, theirs) in others {
            match self.keywords.get_mut(keyword) {
                // Followed by who collects, and only looked up from the root.
                _ if matches!(keyword.as_str(), "$ref" | "allOf" | "$defs" | "definitions") => {}
                None => {
                    self.keywords.insert(keyword.clone(), theirs.clone());
                }
                Some(ours) => combine(keyword, ours, theirs),
            }
        }
        if self.get("type") == Some(&json!([])) {
            self.forbid();
        }
    }
}

/// Names with signs in them are percent-encoded in references.
fn percent_decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let code = tail.get(..2).filter(|_| *first == b'%');
        let code = code.and_then(|code| str::from_utf8(code).ok());
        if let Some(byte) = code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            bytes.push(byte);
            rest = &tail[2..];
        } else {
            bytes.push(*first);
            rest = tail;
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_are_followed_and_merged() {
        let schema = ActionSchema::new(json!({
            "$defs": { "A<b/c>": { "type": "integer", "minimum": 1, "title": "A" } },
            "$ref": "#/$defs/A%3Cb~1c%3E",
            "title": "mine",
            "allOf": [{ "minimum": 3, "maximum": 9 }, { "maximum": 7, "type": ["number", "null"] }],
        }));
        let node = schema.node(&schema.root).unwrap();
        assert_eq!(node.kinds(), [Kind::Integer]);
        assert_eq!(node.number("minimum"), Some(3.0));
        assert_eq!(node.number("maximum"), Some(7.0));
        assert_eq!(node.text("title"), Some("mine"));
    }

    #[test]
    fn references_to_nowhere_are_noticed() {
        let schema = ActionSchema::new(json!({
            "$defs": { "A": { "$ref": "#/$defs/B" }, "B": { "$ref": "#/$defs/A" } },
        }));
        for (reference, message) in [
            ("#/$defs/A", "`#/$defs/A` refers to itself"),
            ("#/$defs/C", "the schema has no `#/$defs/C`"),
            ("other.json", "the schema has no `other.json`"),
        ] {
            let error = schema.node(&json!({ "$ref": reference })).unwrap_err();
            assert_eq!(error.to_string(), message);
        }
    }

    #[test]
    fn contradictions_allow_nothing() {
        let schema = ActionSchema::new(json!({}));
        let both = json!({ "allOf": [{ "type": "string" }, { "type": "integer" }] });
        assert!(schema.node(&both).unwrap().is_forbidden());
        assert!(schema.node(&json!(false)).unwrap().is_forbidden());
        assert!(!schema.node(&json!(true)).unwrap().is_forbidden());
    }

    #[test]
    fn alternatives_inherit_what_holds_for_all() {
        let schema = ActionSchema::new(json!({}));
        let union = json!({
            "type": "object",
            "title": "Both",
            "default": {},
            "oneOf": [{ "title": "One" }, { "properties": { "a": {} } }],
        });
        let node = schema.node(&union).unwrap();
        let alternatives = node.alternatives(&schema).unwrap().unwrap();
        let titles: Vec<_> = alternatives.iter().map(|node| node.text("title")).collect();
        assert_eq!(titles, [Some("One"), Some("Both")]);
        assert!(
            alternatives
                .iter()
                .all(|node| node.kinds() == [Kind::Object])
        );
        assert!(
            alternatives
                .iter()
                .all(|node| node.get("default").is_none())
        );
    }
}
