//! One field of an action, as it is shown to a person and asked for.

use serde_json::Value;

use super::ActionSchema;
use super::node::{Kind, Node};
use super::words;

/// A field of an action.
#[derive(Debug)]
pub struct Field<'a> {
    /// Its key in the action.
    pub name: String,
    /// Its type in words, such as `whole number, 1 to 100`.
    pub words: String,
    /// Whether it has to be there.
    pub required: bool,
    /// What the server takes if the field is left out, where the schema tells.
    pub default: Option<Value>,
    /// What the schema says about it.
    pub description: Option<String>,
    /// The values to choose from; empty if they are not listed.
    pub choices: Vec<Value>,
    /// Who gives it its value.
    pub entry: Entry,
    pub(super) schema: &'a ActionSchema,
    pub(super) place: Value,
    pub(super) node: Node,
}

/// How a field gets its value.
#[derive(Debug, Clone, PartialEq)]
pub enum Entry {
    /// A person gives it.
    Asked,
    /// There is one value only, such as the tag of a variant. It is sent without asking, even if the
    /// field is not required: pydantic needs it to tell variants apart.
    Fixed(Value),
    /// Left out: `metadata`, which every action has and no environment needs.
    Skipped,
}

impl<'a> Field<'a> {
    pub(super) fn new(schema: &'a ActionSchema, name: &str, place: &Value, required: bool) -> Self {
        let node = schema.node_or_anything(place);
        let choices = node.choices().unwrap_or_default();
        Self {
            name: name.to_owned(),
            words: words::of(schema, place),
            required,
            default: node.get("default").cloned(),
            description: node.text("description").map(str::to_owned),
            choices: choices.into_iter().cloned().collect(),
            entry: entry(name, &node, required),
            schema,
            place: place.clone(),
            node,
        }
    }
}

fn entry(name: &str, node: &Node, required: bool) -> Entry {
    if is_base_metadata(name, node, required) {
        Entry::Skipped
    } else if let Some(value) = node.fixed() {
        Entry::Fixed(value.clone())
    } else {
        Entry::Asked
    }
}

/// Whether this is the field that the reference's base class gives to all actions.
pub(super) fn is_base_metadata(name: &str, node: &Node, required: bool) -> bool {
    name == "metadata" && !required && node.kinds() == [Kind::Object]
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::Variant;
    use super::*;

    #[test]
    fn fields_tell_what_the_schema_tells() {
        let schema = ActionSchema::new(json!({
            "title": "MoveAction",
            "description": "Moves.",
            "$defs": { "Direction": { "enum": ["north", "south"], "type": "string" } },
            "properties": {
                "metadata": { "type": "object", "additionalProperties": true },
                "kind": { "const": "move", "default": "move" },
                "direction": { "$ref": "#/$defs/Direction", "description": "Where to" },
                "speed": { "type": "number", "default": 1.0 },
            },
            "required": ["direction"],
        }));
        assert_eq!(schema.title(), Some("MoveAction"));
        assert_eq!(schema.description(), Some("Moves."));
        let variants = schema.variants();
        let [variant] = variants.as_slice() else {
            panic!("one variant, not {variants:?}");
        };
        assert_eq!(variant.label().as_deref(), Some("move"));
        assert_eq!(variant.description(), Some("Moves."));
        let fields = variant.fields();
        let [metadata, kind, direction, speed] = fields.as_slice() else {
            panic!("four fields, not {fields:?}");
        };
        assert_eq!(metadata.entry, Entry::Skipped);
        assert_eq!(kind.entry, Entry::Fixed(json!("move")));
        assert_eq!(direction.name, "direction");
        assert_eq!(direction.words, "one of \"north\", \"south\"");
        assert_eq!(direction.description.as_deref(), Some("Where to"));
        assert_eq!(direction.choices, ["north", "south"]);
        assert!(direction.required);
        assert_eq!(direction.entry, Entry::Asked);
        assert_eq!(speed.default, Some(json!(1.0)));
        assert!(!speed.required);
    }

    #[test]
    fn unions_have_variants() {
        let schema = ActionSchema::new(json!({
            "oneOf": [
                { "title": "Look", "properties": { "kind": { "const": "look" } } },
                { "title": "Take", "properties": { "kind": { "const": "take" }, "what": {} } },
                { "title": "Wait" },
            ],
        }));
        let variants = schema.variants();
        let labels: Vec<_> = variants.iter().filter_map(Variant::label).collect();
        assert_eq!(labels, ["look", "take", "Wait"]);
        assert_eq!(variants[1].fields().len(), 2);
    }
}
