//! YAML as a tree: numbers that are not finite and keys that are no text are kept.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use serde_saphyr::DuplicateKeyPolicy;
use serde_saphyr::options::NonFiniteFloatPolicy;

/// A value in YAML.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Yaml {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    Text(String),
    List(Vec<Self>),
    Map(Vec<(Self, Self)>),
}

impl Yaml {
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let options = serde_saphyr::options! {
            // The reference's parser takes the last one, so files like that are in use.
            duplicate_keys: DuplicateKeyPolicy::LastWins,
            non_finite_float_policy: NonFiniteFloatPolicy::PassThrough,
            with_snippet: false,
        };
        let parsed: Option<Self> = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| error.to_string())?;
        Ok(parsed.unwrap_or(Self::Null))
    }

    pub(super) fn is_map(&self) -> bool {
        matches!(self, Self::Map(_))
    }

    /// The value of a key, if this is a mapping.
    pub(super) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Map(entries) = self else {
            return None;
        };
        entries
            .iter()
            .find(|(key, _)| matches!(key, Self::Text(key) if key == name))
            .map(|(_, value)| value)
    }

    /// As JSON; what that cannot have is null.
    pub(super) fn to_json(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Int(number) => Number::from_i128(*number).map_or(Value::Null, Value::Number),
            Self::Float(number) => Number::from_f64(*number).map_or(Value::Null, Value::Number),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(items) => Value::Array(items.iter().map(Self::to_json).collect()),
            Self::Map(entries) => {
                let entries = entries.iter();
                let entries = entries.map(|(key, value)| (key.written(), value.to_json()));
                Value::Object(entries.collect::<Map<_, _>>())
            }
        }
    }

    /// A key as text.
    pub(super) fn written(&self) -> String {
        match self {
            Self::Text(text) => text.clone(),
            other => other.to_json().to_string(),
        }
    }
}

impl<'de> Deserialize<'de> for Yaml {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(YamlVisitor)
    }
}

struct YamlVisitor;

impl<'de> Visitor<'de> for YamlVisitor {
    type Value = Yaml;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("YAML")
    }

    fn visit_unit<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_none<E>(self) -> Result<Yaml, E> {
        Ok(Yaml::Null)
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Yaml, D::Error> {
        deserializer.deserialize_any(self)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Yaml, E> {
        Ok(Yaml::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Yaml, E> {
        Ok(Yaml::Int(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Yaml, E> {
        Ok(Yaml::Int(value.into()))
    }

    fn visit_i128<E>(self, value: i128) -> Result<Yaml, E> {
        Ok(Yaml::Int(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Yaml, E> {
        Ok(Yaml::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Yaml, E> {
        Ok(Yaml::Text(value.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Yaml, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Yaml::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Yaml, A::Error> {
        let mut map: Vec<(Yaml, Yaml)> = Vec::new();
        while let Some((key, value)) = entries.next_entry()? {
            match map.iter_mut().find(|(known, _)| *known == key) {
                Some(entry) => entry.1 = value,
                None => map.push((key, value)),
            }
        }
        Ok(Yaml::Map(map))
    }
}
