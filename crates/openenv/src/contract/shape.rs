//! One type as its callers see it.

use std::marker::PhantomData;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;
use serde_path_to_error::{Path, Segment};

use super::base::Base;
use super::check;
use super::compiled::Compiled;
use super::schema;
use super::validate::{validate, value_error};
use super::violation::abridged;
use crate::error::{Error, Result};
use crate::error::{Location, Violation};
use crate::json::{self, Document, Input};

/// A type as callers see it: its published schema and the parser that enforces it.
#[derive(Debug)]
pub(crate) struct Shape<T> {
    schema: Value,
    compiled: Compiled,
    /// Properties of the type itself.
    declared: Vec<String>,
    /// Properties that are accepted but kept from the type, which does not know them.
    withheld: Vec<String>,
    /// Whether the type is `()` or a unit struct.
    unit: bool,
    of: PhantomData<fn() -> T>,
}

impl<T: JsonSchema> Shape<T> {
    /// # Errors
    /// If the type is not an object.
    pub(crate) fn new(base: Base) -> Result<Self> {
        let published = schema::publish::<T>(base)?;
        let withheld: Vec<String> = base
            .properties()
            .into_iter()
            .map(|(name, _)| name)
            .filter(|name| !published.declared.contains(name))
            .collect();
        let compiled = Compiled::new(&published.schema, &withheld).map_err(|reason| {
            Error::configuration(format!("schema of type `{}`: {reason}", T::schema_name()))
        })?;
        Ok(Self {
            schema: published.schema,
            compiled,
            declared: published.declared,
            withheld,
            unit: published.unit,
            of: PhantomData,
        })
    }

    /// The shape of a type of the library's own.
    pub(crate) fn fixed(base: Base) -> Self {
        Self::new(base).expect("the library's own types are objects")
    }

    pub(crate) fn schema(&self) -> &Value {
        &self.schema
    }

    /// The schema for agents, who need no titles, and know from the tool what its
    /// arguments are together. MCP clients insist on an object at its root, also
    /// where each of several forms is one.
    pub(crate) fn untitled(&self) -> Value {
        let mut schema = self.schema.clone();
        schema::remove_titles(&mut schema);
        if let Value::Object(root) = &mut schema {
            root.shift_remove("description");
            root.entry("type").or_insert_with(|| "object".into());
        }
        schema
    }

    /// Whether the author's type itself has the property.
    pub(crate) fn declares(&self, property: &str) -> bool {
        self.declared.iter().any(|declared| declared == property)
    }
}

impl<T: DeserializeOwned + JsonSchema> Shape<T> {
    /// # Errors
    /// Everything that does not fit, in the order of the fields.
    pub(crate) fn parse(&self, input: &Input<'_>) -> Result<T, Vec<Violation>> {
        match input {
            Input::Raw(text) => match self.parse_as_it_is(text) {
                Some(value) => Ok(value),
                None => self.parse_leniently(&read(text)?),
            },
            Input::Lenient(document) => self.parse_leniently(document),
        }
    }

    /// What nearly every message takes: no value in between, nothing coerced.
    fn parse_as_it_is(&self, text: &str) -> Option<T> {
        if !check::fits(&self.compiled, text) {
            return None;
        }
        serde_json::from_str(if self.unit { "null" } else { text }).ok()
    }

    fn parse_leniently(&self, document: &Document) -> Result<T, Vec<Violation>> {
        let mut value = validate(&self.compiled, document)?;
        if let Value::Object(fields) = &mut value {
            for name in &self.withheld {
                fields.shift_remove(name);
            }
        }
        if self.unit {
            value = Value::Null;
        }
        serde_path_to_error::deserialize(value).map_err(|error| {
            let (location, input) = locate(error.path(), &document.value);
            let broken = value_error(&error.inner().to_string());
            vec![Violation::new(broken, location, abridged(input))]
        })
    }
}

fn read(text: &str) -> Result<Document, Vec<Violation>> {
    if let Ok(value) = serde_json::from_str(text) {
        return Ok(Document {
            value,
            non_finite: Vec::new(),
        });
    }
    json::read(text).map_err(|error| {
        let broken = value_error(&error.to_string());
        vec![Violation::new(broken, Vec::new(), Value::Null)]
    })
}

/// The location that serde complained about, and the value there.
fn locate<'a>(path: &Path, document: &'a Value) -> (Vec<Location>, &'a Value) {
    let mut location = Vec::new();
    let mut value = document;
    for segment in path {
        let step = match segment {
            Segment::Seq { index } => Location::Index(*index),
            Segment::Map { key } => Location::Field(key.clone()),
            Segment::Enum { variant } => Location::Field(variant.clone()),
            Segment::Unknown => break,
        };
        value = match &step {
            Location::Index(index) => value.get(*index),
            Location::Field(name) => value.get(name),
        }
        .unwrap_or(value);
        location.push(step);
    }
    (location, value)
}

#[cfg(test)]
mod tests;
