//! The schema of an environment's actions: to be shown, filled in, made up and checked.
//!
//! Servers publish it at `/schema`, as pydantic or schemars wrote it.

mod check;
mod field;
mod form;
mod merge;
mod misfit;
mod node;
mod sample;
mod words;

#[cfg(test)]
mod tests;

use serde_json::Value;

use self::node::Node;

pub use self::field::{Entry, Field};
pub use self::sample::{Sampler, Unmakeable, simplest};

/// What an action must look like.
#[derive(Debug)]
pub struct ActionSchema {
    root: Value,
}

/// One of the shapes that an action can have; most schemas have a single one.
#[derive(Debug)]
pub struct Variant<'a> {
    schema: &'a ActionSchema,
    node: Node,
}

impl ActionSchema {
    /// Takes any JSON: what makes no sense in it is shown as `anything`.
    pub fn new(schema: Value) -> Self {
        Self { root: schema }
    }

    /// What it calls itself.
    pub fn title(&self) -> Option<&str> {
        self.root.get("title").and_then(Value::as_str)
    }

    /// What it says about itself.
    pub fn description(&self) -> Option<&str> {
        self.root.get("description").and_then(Value::as_str)
    }

    /// Whether an action is nothing but the call of a tool.
    pub fn is_tool_call(&self) -> bool {
        self.root.pointer("/properties/type/const") == Some(&Value::from("call_tool"))
    }

    /// Names of the fields that somebody fills in, and whether each has to be there.
    pub fn asked(&self) -> Vec<(String, bool)> {
        let variants = self.variants();
        let fields = variants.iter().flat_map(Variant::fields);
        fields
            .filter(|field| field.entry == Entry::Asked)
            .map(|field| (field.name, field.required))
            .collect()
    }

    /// The shapes to choose from, at least one.
    pub fn variants(&self) -> Vec<Variant<'_>> {
        let root = self.node_or_anything(&self.root);
        let nodes = match root.alternatives(self) {
            Some(Ok(alternatives)) if !alternatives.is_empty() => alternatives,
            _ => vec![root],
        };
        nodes
            .into_iter()
            .map(|node| Variant { schema: self, node })
            .collect()
    }
}

impl<'a> Variant<'a> {
    /// What tells this variant from the others: its tag, or else its title.
    pub fn label(&self) -> Option<String> {
        let tag = self
            .fields()
            .into_iter()
            .find_map(|field| match field.entry {
                Entry::Fixed(Value::String(tag)) => Some(tag),
                _ => None,
            });
        tag.or_else(|| self.node.text("title").map(str::to_owned))
    }

    /// What it says about itself.
    pub fn description(&self) -> Option<&str> {
        self.node.text("description")
    }

    /// The fields of the action, in the order of the schema.
    pub fn fields(&self) -> Vec<Field<'a>> {
        self.node
            .properties()
            .map(|(name, property)| {
                let required = self.node.requires(name);
                Field::new(self.schema, name, property, required)
            })
            .collect()
    }
}
