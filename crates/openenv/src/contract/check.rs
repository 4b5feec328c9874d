//! The fast check: one pass over the text, without building a value.
//!
//! It only ever answers "certainly fits" or "not sure"; whoever is not sure
//! asks the validation, which also knows how to say what is wrong.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use super::compiled::{Compiled, Discriminator, List, Node, NodeId, Object};
use super::rules::Numeric;

/// Whether `text` certainly fits without any coercion.
pub(super) fn fits(compiled: &Compiled, text: &str) -> bool {
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let check = Check { compiled, node: 0 };
    check.deserialize(&mut deserializer).is_ok() && deserializer.end().is_ok()
}

#[derive(Clone, Copy)]
struct Check<'a> {
    compiled: &'a Compiled,
    node: NodeId,
}

fn unsure<T, E: Error>() -> Result<T, E> {
    Err(E::custom("not sure"))
}

fn certain<E: Error>(fits: bool) -> Result<(), E> {
    if fits { Ok(()) } else { unsure() }
}

impl<'a> Check<'a> {
    fn at(self, node: NodeId) -> Self {
        Self { node, ..self }
    }

    /// The same, without the unions that only say that the value may be null.
    fn not_null(self) -> Self {
        let mut node = self.node;
        while let Some(only) = self.compiled.only_branch(node) {
            node = only;
        }
        self.at(node)
    }

    /// The node that decides about a kind of value, if there is exactly one.
    fn deciding<E: Error>(self, decides: impl Fn(&Node) -> bool) -> Result<&'a Node, E> {
        let node = self.compiled.node(self.not_null().node);
        let Node::Union(union) = node else {
            return Ok(node);
        };
        let nodes = union.branches.iter().map(|(_, id)| self.compiled.node(*id));
        let mut candidates = nodes.filter(|node| {
            // A union in a union may or may not decide: better not to guess.
            matches!(node, Node::Anything | Node::Union(_)) || decides(node)
        });
        match (candidates.next(), candidates.next()) {
            (Some(Node::Union(_)) | None, _) | (_, Some(_)) => unsure(),
            (Some(node), None) => Ok(node),
        }
    }

    fn number<E: Error>(self, value: Numeric, integral: bool) -> Result<(), E> {
        let integer = self.deciding::<E>(|node| integral && matches!(node, Node::Integer(_)));
        let number = || {
            let number = |node: &Node| matches!(node, Node::Number(_) | Node::Choice(_));
            self.deciding::<E>(number)
        };
        match integer.or_else(|_| number())? {
            Node::Anything => Ok(()),
            Node::Integer(limits) => certain(integral && limits.hold(value)),
            Node::Number(limits) => certain(limits.hold(value)),
            Node::Choice(choices) => certain(
                choices
                    .iter()
                    .any(|choice| choice.as_number().and_then(Numeric::of) == Some(value)),
            ),
            _ => unsure(),
        }
    }

    fn fields<'de, A: MapAccess<'de>>(
        self,
        object: &Object,
        mut present: u64,
        mut fields: A,
    ) -> Result<(), A::Error> {
        while let Some(position) = fields.next_key_seed(Key(object))? {
            self.field(object, position, &mut present, &mut fields)?;
        }
        let missing = |(position, property): (usize, &super::compiled::Property)| {
            property.required && (position >= 64 || present & (1 << position) == 0)
        };
        certain(!object.properties.iter().enumerate().any(missing))
    }

    fn field<'de, A: MapAccess<'de>>(
        self,
        object: &Object,
        position: Option<usize>,
        present: &mut u64,
        fields: &mut A,
    ) -> Result<(), A::Error> {
        let Some(position) = position else {
            return match object.additional {
                Some(node) => fields.next_value_seed(self.at(node)),
                None => unsure(),
            };
        };
        let property = &object.properties[position];
        if property.withheld {
            return unsure();
        }
        if position < 64 {
            *present |= 1 << position;
        }
        fields.next_value_seed(self.at(property.node))
    }

    fn items<'de, A: SeqAccess<'de>>(self, list: &List, mut items: A) -> Result<(), A::Error> {
        let mut length = 0;
        loop {
            let node = list.prefix.get(length).copied().unwrap_or(list.items);
            if items.next_element_seed(self.at(node))?.is_none() {
                break;
            }
            length += 1;
        }
        certain(
            length >= list.prefix.len()
                && list.minimum.is_none_or(|minimum| length >= minimum)
                && list.maximum.is_none_or(|maximum| length <= maximum),
        )
    }
}

impl<'de> DeserializeSeed<'de> for Check<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        match self.compiled.node(self.node) {
            Node::Anything => deserializer.deserialize_ignored_any(IgnoredAny).map(drop),
            _ => deserializer.deserialize_any(self),
        }
    }
}

impl<'de> Visitor<'de> for Check<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value that fits its schema")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        certain(match self.compiled.node(self.node) {
            Node::Null | Node::Anything => true,
            Node::Choice(choices) => choices.iter().any(serde_json::Value::is_null),
            Node::Union(union) => union.nullable,
            _ => false,
        })
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<(), E> {
        match self.deciding(|node| matches!(node, Node::Boolean | Node::Choice(_)))? {
            Node::Boolean | Node::Anything => Ok(()),
            Node::Choice(choices) => {
                certain(choices.iter().any(|choice| choice.as_bool() == Some(value)))
            }
            _ => unsure(),
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<(), E> {
        self.number(Numeric::Integer(value.into()), true)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<(), E> {
        self.number(Numeric::Integer(value.into()), true)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<(), E> {
        // An integer too large for 64 bits arrives as a float.
        let integral = value.abs() >= 9_223_372_036_854_775_808.0;
        self.number(Numeric::Float(value), integral)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        match self.deciding(|node| matches!(node, Node::Text(_) | Node::Choice(_)))? {
            Node::Anything => Ok(()),
            Node::Text(rules) => certain(rules.hold(text)),
            Node::Choice(choices) => {
                certain(choices.iter().any(|choice| choice.as_str() == Some(text)))
            }
            _ => unsure(),
        }
    }

    fn visit_seq<A: SeqAccess<'de>>(self, items: A) -> Result<(), A::Error> {
        match self.deciding(|node| matches!(node, Node::List(_) | Node::Choice(_)))? {
            Node::List(list) => self.items(list, items),
            _ => unsure(),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut fields: A) -> Result<(), A::Error> {
        let node = self.compiled.node(self.not_null().node);
        let Node::Union(union) = node else {
            return match node {
                Node::Object(object) => self.fields(object, 0, fields),
                _ => unsure(),
            };
        };
        let Some(discriminator) = &union.discriminator else {
            let decides = |node: &Node| matches!(node, Node::Object(_) | Node::Choice(_));
            return match self.deciding(decides)? {
                Node::Object(object) => self.fields(object, 0, fields),
                _ => unsure(),
            };
        };
        // Nothing can be checked before the branch is known, so it has to come first.
        let names = union.branches.iter().map(|(name, _)| name.as_str());
        let (branch, first) = match discriminator {
            Discriminator::Tag(tag) => {
                if fields.next_key_seed(Word([tag.as_str()].into_iter()))? != Some(Some(0)) {
                    return unsure();
                }
                (fields.next_value_seed(Word(names))?, Some(tag))
            }
            Discriminator::Key => (fields.next_key_seed(Word(names))?.flatten(), None),
        };
        let Some((name, id)) = branch.and_then(|branch| union.branches.get(branch)) else {
            return unsure();
        };
        let Node::Object(object) = self.compiled.node(*id) else {
            return unsure();
        };
        let mut present = 0;
        let position = object.position(first.unwrap_or(name));
        if first.is_none() {
            self.field(object, position, &mut present, &mut fields)?;
        } else if let Some(position @ 0..64) = position {
            present = 1 << position;
        }
        self.fields(object, present, fields)
    }
}

/// Reads a key: the position of its property, or `None` for any other.
struct Key<'a>(&'a Object);

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E: Error>(self, key: &str) -> Result<Option<usize>, E> {
        Ok(self.0.position(key))
    }
}

/// Reads a text: its position among known ones.
struct Word<I>(I);

impl<'de, 'a, I: Iterator<Item = &'a str>> DeserializeSeed<'de> for Word<I> {
    type Value = Option<usize>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<usize>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'a, I: Iterator<Item = &'a str>> Visitor<'_> for Word<I> {
    type Value = Option<usize>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a word")
    }

    fn visit_str<E: Error>(mut self, word: &str) -> Result<Option<usize>, E> {
        Ok(self.0.position(|known| known == word))
    }
}
