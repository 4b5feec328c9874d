//! Actions made up from their schema.

mod number;
mod pattern;
mod text;

use std::error::Error;
use std::fmt;

use fastrand::Rng;
use serde_json::{Map, Value};

use super::ActionSchema;
use super::field::is_base_metadata;
use super::misfit::Misfit;
use super::node::{Kind, Node};

/// From this depth on, the smallest choice is taken: schemas may contain themselves.
const SHALLOW: usize = 3;
/// Schemas that still go on after so many objects, lists and unions have no end.
const DEEPEST: usize = 48;
/// Values to try for one action; what needs more is either endless or no fun to look at.
const MAX_VALUES: usize = 20_000;
/// Not every rule is kept on purpose, so a draft that breaks one is thrown away.
const MAX_DRAFTS: usize = 100;
/// An optional field is filled in once in so many times.
const OPTIONAL_ONE_IN: usize = 4;
/// Lists get up to so many items more than they must have.
const MORE_ITEMS: usize = 3;

/// No action could be made up from a schema.
#[derive(Debug)]
pub struct Unmakeable(Option<Misfit>);

impl fmt::Display for Unmakeable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("could not make up an action")?;
        match &self.0 {
            Some(misfit) => write!(f, ": {misfit}"),
            None => Ok(()),
        }
    }
}

impl Error for Unmakeable {}

/// Makes up valid actions; the same ones for the same seed.
#[derive(Debug)]
pub struct Sampler<'a> {
    schema: &'a ActionSchema,
    rng: Rng,
}

impl<'a> Sampler<'a> {
    /// Chooses by the seed.
    pub fn new(schema: &'a ActionSchema, seed: u64) -> Self {
        Self {
            schema,
            rng: Rng::with_seed(seed),
        }
    }

    /// A random action. Optional fields are mostly left out, `metadata` always.
    ///
    /// # Errors
    /// If the schema asks for what cannot be made up, or for contradictions.
    pub fn action(&mut self) -> Result<Value, Unmakeable> {
        self.draw(Manner::Random)
    }

    fn draw(&mut self, manner: Manner) -> Result<Value, Unmakeable> {
        let mut manner = manner;
        let mut misfit = None;
        let mut values = 0;
        for _ in 0..MAX_DRAFTS {
            let mut draft = Draft {
                schema: self.schema,
                rng: &mut self.rng,
                manner,
                values,
                nesting: 0,
            };
            let checked = draft.action().and_then(|action| {
                self.schema.check_action(&action)?;
                Ok(action)
            });
            values = draft.values;
            match checked {
                Ok(action) => return Ok(action),
                // Later drafts fail for the same reason, or because there were too many.
                Err(error) => misfit.get_or_insert(error),
            };
            if values > MAX_VALUES {
                break;
            }
            // Where the plainest breaks a rule, some other may not.
            manner = Manner::Random;
        }
        Err(Unmakeable(misfit))
    }
}

/// The plainest valid action: required fields only, with their default or smallest values.
///
/// # Errors
/// If the schema asks for what cannot be made up, or for contradictions.
pub fn simplest(schema: &ActionSchema) -> Result<Value, Unmakeable> {
    // The seed matters for what follows a pattern only; any will do, as long as it stays.
    Sampler::new(schema, 0).draw(Manner::Plain)
}

/// How to choose where there is a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Manner {
    /// By chance.
    Random,
    /// What is smallest.
    Plain,
}

/// One attempt at an action.
#[derive(Debug)]
struct Draft<'a> {
    schema: &'a ActionSchema,
    rng: &'a mut Rng,
    manner: Manner,
    values: usize,
    nesting: usize,
}

impl Draft<'_> {
    fn action(&mut self) -> Result<Value, Misfit> {
        let root = self.schema.node(&self.schema.root)?;
        let is_anything = root.kinds().is_empty()
            && root.choices().is_none()
            && root.alternatives(self.schema).is_none();
        if is_anything {
            // An action is an object, even where the schema does not care to say so.
            return self.object(&root, 0);
        }
        self.value(&root, 0)
    }

    fn place(&mut self, place: &Value, depth: usize) -> Result<Value, Misfit> {
        let node = self.schema.node(place)?;
        self.value(&node, depth)
    }

    fn value(&mut self, node: &Node, depth: usize) -> Result<Value, Misfit> {
        self.values += 1;
        if self.nesting > DEEPEST || self.values > MAX_VALUES {
            return Err(Misfit::new("the schema asks for more and more"));
        }
        self.nesting += 1;
        let value = self.any_value(node, depth);
        self.nesting -= 1;
        value
    }

    fn any_value(&mut self, node: &Node, depth: usize) -> Result<Value, Misfit> {
        if node.is_forbidden() {
            return Err(Misfit::new("the schema allows no value"));
        }
        if self.manner == Manner::Plain
            && let Some(default) = node.get("default")
        {
            return Ok(default.clone());
        }
        if let Some(choices) = node.choices() {
            return self.choice(&choices);
        }
        if let Some(alternatives) = node.alternatives(self.schema) {
            return self.alternative(alternatives?, depth);
        }
        let mut kinds = node.kinds();
        if kinds.is_empty() {
            kinds = vec![Kind::Null, Kind::Boolean, Kind::Integer, Kind::Text];
        }
        let kind = if self.is_small(depth) {
            kinds.into_iter().min()
        } else {
            self.rng.choice(kinds)
        };
        match kind {
            Some(Kind::Boolean) if self.manner == Manner::Plain => Ok(Value::Bool(false)),
            Some(Kind::Boolean) => Ok(Value::Bool(self.rng.bool())),
            Some(Kind::Integer) => number::whole(self.rng, self.manner, node),
            Some(Kind::Number) => number::any(self.rng, self.manner, node),
            Some(Kind::Text) => text::text(self.rng, self.manner, node).map(Value::String),
            Some(Kind::List) => self.list(node, depth),
            Some(Kind::Object) => self.object(node, depth),
            Some(Kind::Null) | None => Ok(Value::Null),
        }
    }

    /// Whether to take the smallest choice.
    fn is_small(&self, depth: usize) -> bool {
        self.manner == Manner::Plain || depth >= SHALLOW
    }

    fn choice(&mut self, choices: &[&Value]) -> Result<Value, Misfit> {
        let choice = match self.manner {
            Manner::Plain => choices.first(),
            Manner::Random => self.rng.choice(choices),
        };
        choice
            .map(|choice| (*choice).clone())
            .ok_or_else(|| Misfit::new("the schema allows no value"))
    }

    /// The first alternative that works out.
    fn alternative(&mut self, mut nodes: Vec<Node>, depth: usize) -> Result<Value, Misfit> {
        if self.is_small(depth) {
            nodes.sort_by_key(size);
        } else {
            self.rng.shuffle(&mut nodes);
        }
        let mut misfit = Misfit::new("the schema allows no value");
        for node in nodes {
            match self.value(&node, depth) {
                Ok(value) => return Ok(value),
                Err(error) => misfit = error,
            }
        }
        Err(misfit)
    }

    fn list(&mut self, node: &Node, depth: usize) -> Result<Value, Misfit> {
        // Before 2020-12, a list of `items` was what `prefixItems` is now.
        let (first, rest) = match (node.get("prefixItems"), node.get("items")) {
            (Some(Value::Array(first)), rest) => (first.as_slice(), rest),
            (_, Some(Value::Array(first))) => (first.as_slice(), node.get("additionalItems")),
            (_, rest) => (&[][..], rest),
        };
        let ends = rest == Some(&Value::Bool(false));
        let minimum = node.count("minItems").unwrap_or(0);
        let most = node.count("maxItems").unwrap_or(usize::MAX);
        let most = if ends { most.min(first.len()) } else { most };
        let wanted = if self.is_small(depth) {
            minimum
        } else {
            // What comes first is what the list is about, such as the parts of a tuple.
            let least = minimum.max(first.len().min(most));
            least
                + self
                    .rng
                    .usize(0..=MORE_ITEMS.min(most.saturating_sub(least)))
        };
        let unique = node.flag("uniqueItems");
        let mut items: Vec<Value> = Vec::new();
        let mut repetitions = 0;
        while items.len() < wanted {
            let index = items.len();
            let place = first.get(index).or(rest).unwrap_or(&Value::Bool(true));
            let item = match self.place(place, depth + 1) {
                Ok(item) => item,
                // An item too many; a schema that contains itself may have no room for it.
                Err(_) if index >= minimum => break,
                Err(misfit) => return Err(misfit.in_item(index)),
            };
            if !(unique && items.contains(&item)) {
                items.push(item);
                continue;
            }
            repetitions += 1;
            if repetitions > MAX_DRAFTS {
                break;
            }
        }
        if items.len() < minimum {
            return Err(Misfit::new(format!("found no {minimum} items that differ")));
        }
        Ok(Value::Array(items))
    }

    fn object(&mut self, node: &Node, depth: usize) -> Result<Value, Misfit> {
        let minimum = node.count("minProperties").unwrap_or(0);
        let mut fields = Map::new();
        let mut left_out = Vec::new();
        for (name, place) in node.properties() {
            let required = node.requires(name);
            let property = match self.schema.node(place) {
                Ok(property) => property,
                Err(misfit) if required => return Err(misfit.in_field(name)),
                Err(_) => continue,
            };
            if depth == 0 && is_base_metadata(name, &property, required) {
                continue;
            }
            // Tags are sent even if they are optional: pydantic tells variants apart by them.
            let always = required || property.fixed().is_some();
            if !always && (self.is_small(depth) || self.rng.usize(..OPTIONAL_ONE_IN) > 0) {
                left_out.push((name, property));
                continue;
            }
            match self.value(&property, depth + 1) {
                Ok(value) => {
                    fields.insert(name.to_owned(), value);
                }
                Err(misfit) if always => return Err(misfit.in_field(name)),
                Err(_) => {}
            }
        }
        for (name, property) in left_out {
            if fields.len() >= minimum {
                break;
            }
            let value = self.value(&property, depth + 1);
            let value = value.map_err(|misfit| misfit.in_field(name))?;
            fields.insert(name.to_owned(), value);
        }
        self.undeclared(node, &mut fields, depth)?;
        Ok(Value::Object(fields))
    }

    /// Adds fields with names of its own: to required names that nothing is said about, to maps.
    fn undeclared(
        &mut self,
        node: &Node,
        fields: &mut Map<String, Value>,
        depth: usize,
    ) -> Result<(), Misfit> {
        let anything = Value::Bool(true);
        let pattern = node.get("patternProperties").and_then(Value::as_object);
        let pattern = pattern.and_then(|patterns| patterns.iter().next());
        let place = pattern
            .map(|(_, place)| place)
            .or(node.get("additionalProperties"))
            .unwrap_or(&anything);
        let required = node.get("required").and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                let value = self.place(place, depth + 1);
                let value = value.map_err(|misfit| misfit.in_field(name))?;
                fields.insert(name.to_owned(), value);
            }
        }
        let mut names = match node.get("propertyNames") {
            Some(names) => self.schema.node(names)?,
            None => Node::default(),
        };
        if let Some((pattern, _)) = pattern {
            names.require_pattern(pattern);
        }
        let minimum = node.count("minProperties").unwrap_or(0);
        let is_map = place.is_object() && node.properties().next().is_none();
        let wanted = if is_map && !self.is_small(depth) {
            let most = node.count("maxProperties").unwrap_or(usize::MAX);
            minimum + self.rng.usize(0..=2.min(most.saturating_sub(minimum)))
        } else {
            minimum
        };
        // Names repeat, so there are more attempts than fields.
        for _ in 0..wanted
            .saturating_mul(2)
            .saturating_add(MAX_DRAFTS)
            .min(MAX_VALUES)
        {
            if fields.len() >= wanted {
                break;
            }
            let name = match names.choices() {
                Some(choices) => self.rng.choice(choices).and_then(Value::as_str),
                None => None,
            };
            let name = match name {
                Some(name) => name.to_owned(),
                None => text::text(self.rng, Manner::Random, &names)?,
            };
            let value = self.place(place, depth + 1);
            let value = value.map_err(|misfit| misfit.in_field(&name))?;
            fields.insert(name, value);
        }
        Ok(())
    }
}

/// How much a value of this node takes at least, roughly.
fn size(node: &Node) -> usize {
    if node.choices().is_some() {
        return 1;
    }
    match node.kinds().into_iter().min() {
        None if node.get("anyOf").or(node.get("oneOf")).is_some() => 4,
        None | Some(Kind::Null) => 0,
        Some(Kind::Boolean | Kind::Integer | Kind::Number | Kind::Text) => 1,
        Some(Kind::List) if node.count("minItems").unwrap_or(0) == 0 => 2,
        Some(Kind::Object) if node.get("required").is_none() => 3,
        Some(Kind::List | Kind::Object) => 4,
    }
}
