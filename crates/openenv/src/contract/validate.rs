//! The slow path: every violation of a schema, and the coerced value.

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::coerce::{self, Mode};
use super::compiled::{Compiled, Discriminator, List, Node, NodeId, Object, Union};
use super::rules::{Broken, plural};
use super::violation::abridged;
use crate::error::{Location, Violation};
use crate::json::{Document, pointer_step, python_repr};

/// Branches that one validation may try before it gives up.
///
/// Unions inside of unions multiply: without an end to it, a small document
/// could keep a thread busy for hours.
const MAXIMUM_ATTEMPTS: usize = 10_000;

/// Violations that are reported; nobody reads more, and each holds its input.
const MAXIMUM_VIOLATIONS: usize = 1_000;

/// The document in the shape that its type wants.
///
/// # Errors
/// Every violation, in the order of the fields, unknown fields last.
pub(super) fn validate(compiled: &Compiled, document: &Document) -> Result<Value, Vec<Violation>> {
    let mut validation = Validation {
        compiled,
        non_finite: document
            .non_finite
            .iter()
            .map(|(pointer, _)| &**pointer)
            .collect(),
        location: Vec::new(),
        pointer: String::new(),
        violations: Vec::new(),
        refused: 0,
        mode: Mode::Lax,
        attempts: 0,
    };
    let value = validation.value(0, &document.value);
    if validation.refused == 0 {
        Ok(value)
    } else {
        Err(validation.violations)
    }
}

struct Validation<'a> {
    compiled: &'a Compiled,
    non_finite: HashSet<&'a str>,
    /// Where the value is, as it is reported.
    location: Vec<Location>,
    /// Where the value is in the document.
    pointer: String,
    violations: Vec<Violation>,
    /// How many values do not fit, whether reported or not.
    refused: usize,
    mode: Mode,
    attempts: usize,
}

impl<'a> Validation<'a> {
    fn value(&mut self, id: NodeId, input: &Value) -> Value {
        let checked = match self.compiled.node(id) {
            Node::Anything => Ok(input.clone()),
            Node::List(list) => return self.list(list, input),
            Node::Object(object) => return self.object(object, input),
            Node::Union(union) => return self.union(union, input),
            Node::Integer(_) | Node::Number(_) if self.is_non_finite(input) => {
                Err(coerce::not_finite())
            }
            Node::Integer(limits) => coerce::integer(input, self.mode)
                .and_then(|(value, number)| limits.broken(number).map_or(Ok(value), Err)),
            Node::Number(limits) => coerce::float(input, self.mode)
                .and_then(|(value, number)| limits.broken(number).map_or(Ok(value), Err)),
            Node::Boolean => coerce::boolean(input, self.mode),
            Node::Null if input.is_null() => Ok(Value::Null),
            Node::Null => Err(none_required()),
            Node::Choice(choices) if choices.contains(input) => Ok(input.clone()),
            Node::Choice(choices) => Err(literal_error(choices)),
            Node::Text(rules) => match input.as_str() {
                Some(text) => rules.broken(text).map_or(Ok(input.clone()), Err),
                None => Err(Broken::new("string_type", "Input should be a valid string")),
            },
        };
        checked.unwrap_or_else(|broken| self.refuse(broken, input))
    }

    /// Notes a violation; the value is of no use afterwards.
    fn refuse(&mut self, broken: Broken, input: &Value) -> Value {
        self.refused += 1;
        if self.violations.len() < MAXIMUM_VIOLATIONS {
            let violation = Violation::new(broken, self.location.clone(), abridged(input));
            self.violations.push(violation);
        }
        Value::Null
    }

    /// Runs `check` for what is one step further into the document.
    fn below<T>(&mut self, step: Location, check: impl FnOnce(&mut Self) -> T) -> T {
        let length = self.pointer.len();
        match &step {
            Location::Field(name) => self.pointer.push_str(&pointer_step(name)),
            Location::Index(index) => self.pointer.extend(["/", &index.to_string()]),
        }
        self.location.push(step);
        let result = check(self);
        self.location.pop();
        self.pointer.truncate(length);
        result
    }

    fn is_non_finite(&self, input: &Value) -> bool {
        input.is_null() && self.non_finite.contains(self.pointer.as_str())
    }

    fn list(&mut self, list: &'a List, input: &Value) -> Value {
        let Value::Array(items) = input else {
            return self.refuse(
                Broken::new("list_type", "Input should be a valid list"),
                input,
            );
        };
        let mut checked = Vec::with_capacity(items.len());
        for (index, item) in items.iter().enumerate() {
            let node = list.prefix.get(index).copied().unwrap_or(list.items);
            checked.push(self.below(Location::Index(index), |below| below.value(node, item)));
        }
        for index in items.len()..list.prefix.len() {
            self.below(Location::Index(index), |below| {
                below.refuse(missing(), input)
            });
        }
        let kind = if list.prefix.is_empty() {
            "List"
        } else {
            "Tuple"
        };
        let length = items.len();
        match (list.minimum, list.maximum) {
            (Some(minimum), _) if length < minimum && list.prefix.is_empty() => {
                let message = format!("{kind} should have at least {}", plural(minimum, "item"));
                self.refuse(
                    wrong_length("too_short", &message, kind, length).with("min_length", minimum),
                    input,
                )
            }
            (_, Some(maximum)) if length > maximum => {
                let message = format!("{kind} should have at most {}", plural(maximum, "item"));
                self.refuse(
                    wrong_length("too_long", &message, kind, length).with("max_length", maximum),
                    input,
                )
            }
            _ => Value::Array(checked),
        }
    }

    fn object(&mut self, object: &'a Object, input: &Value) -> Value {
        let Value::Object(fields) = input else {
            return self.refuse(self.not_an_object(object), input);
        };
        let mut checked = fields.clone();
        for property in &object.properties {
            let step = Location::Field(property.name.clone());
            match fields.get(&property.name) {
                Some(field) => {
                    let value = self.below(step, |below| below.value(property.node, field));
                    checked.insert(property.name.clone(), value);
                }
                None if property.required => {
                    self.below(step, |below| below.refuse(missing(), input));
                }
                None => {}
            }
        }
        self.others(object, fields, &mut checked);
        Value::Object(checked)
    }

    fn others(
        &mut self,
        object: &'a Object,
        fields: &Map<String, Value>,
        checked: &mut Map<String, Value>,
    ) {
        for (name, field) in fields {
            if object.position(name).is_some() {
                continue;
            }
            let value = self.below(Location::Field(name.clone()), |below| {
                match object.additional {
                    Some(node) => below.value(node, field),
                    None => below.refuse(
                        Broken::new("extra_forbidden", "Extra inputs are not permitted"),
                        field,
                    ),
                }
            });
            checked.insert(name.clone(), value);
        }
    }

    fn not_an_object(&self, object: &Object) -> Broken {
        match &object.name {
            None => Broken::new("dict_type", "Input should be a valid dictionary"),
            Some(_) if self.pointer.is_empty() => Broken::new(
                "model_attributes_type",
                "Input should be a valid dictionary or object to extract fields from",
            ),
            Some(name) => Broken::new(
                "model_type",
                format!("Input should be a valid dictionary or instance of {name}"),
            )
            .with("class_name", name.as_str()),
        }
    }

    fn union(&mut self, union: &'a Union, input: &Value) -> Value {
        if input.is_null() && union.nullable && !self.is_non_finite(input) {
            return Value::Null;
        }
        match union.branches.as_slice() {
            [] => return self.refuse(none_required(), input),
            [(_, only)] => return self.value(*only, input),
            _ => {}
        }
        match (&union.discriminator, input) {
            (Some(Discriminator::Tag(tag)), Value::Object(fields)) => {
                return self.tagged(union, tag, fields.get(tag), input);
            }
            (Some(Discriminator::Tag(_)), _) => {
                let broken = Broken::new(
                    "model_attributes_type",
                    "Input should be a valid dictionary or object to extract fields from",
                );
                return self.refuse(broken, input);
            }
            (Some(Discriminator::Key), Value::Object(fields)) => {
                if let Some(branch) = fields.keys().find_map(|key| union.branch(key)) {
                    return self.value(branch, input);
                }
            }
            _ => {}
        }
        self.any_of(union, input)
    }

    fn tagged(
        &mut self,
        union: &'a Union,
        name: &str,
        tag: Option<&Value>,
        input: &Value,
    ) -> Value {
        let shown = format!("'{name}'");
        let Some(tag) = tag else {
            let message = format!("Unable to extract tag using discriminator {shown}");
            let broken = Broken::new("union_tag_not_found", message).with("discriminator", shown);
            return self.refuse(broken, input);
        };
        let tag = tag.as_str().map_or_else(|| python_repr(tag), str::to_owned);
        if let Some(branch) = union.branch(&tag) {
            self.location.push(Location::Field(tag));
            let value = self.value(branch, input);
            self.location.pop();
            return value;
        }
        let tags: Vec<String> = union
            .branches
            .iter()
            .map(|(tag, _)| format!("'{tag}'"))
            .collect();
        let tags = tags.join(", ");
        let message = format!(
            "Input tag '{tag}' found using {shown} does not match any of the expected tags: {tags}"
        );
        let broken = Broken::new("union_tag_invalid", message)
            .with("discriminator", shown)
            .with("tag", tag)
            .with("expected_tags", tags);
        self.refuse(broken, input)
    }

    /// The first branch that fits as it is, else the first that fits at all.
    fn any_of(&mut self, union: &'a Union, input: &Value) -> Value {
        let before = self.violations.len();
        let refused = self.refused;
        let outer = self.mode;
        for mode in [Mode::Strict, Mode::Lax] {
            if outer == Mode::Strict && mode == Mode::Lax {
                break;
            }
            self.mode = mode;
            self.violations.truncate(before);
            for (name, branch) in &union.branches {
                let tried = self.refused;
                self.attempts += 1;
                if self.attempts > MAXIMUM_ATTEMPTS {
                    self.mode = outer;
                    self.violations.truncate(before);
                    self.refused = refused;
                    let text = "too many alternatives to try";
                    return self.refuse(value_error(text), input);
                }
                self.location.push(Location::Field(name.clone()));
                let value = self.value(*branch, input);
                self.location.pop();
                if self.refused == tried {
                    self.violations.truncate(before);
                    self.refused = refused;
                    self.mode = outer;
                    return value;
                }
            }
        }
        self.mode = outer;
        Value::Null
    }
}

/// What a type of its own rules found wrong.
pub(super) fn value_error(text: &str) -> Broken {
    Broken::new("value_error", format!("Value error, {text}")).with("error", text)
}

fn none_required() -> Broken {
    Broken::new("none_required", "Input should be None")
}

fn missing() -> Broken {
    Broken::new("missing", "Field required")
}

fn wrong_length(kind: &'static str, message: &str, container: &str, length: usize) -> Broken {
    Broken::new(kind, format!("{message} after validation, not {length}"))
        .with("field_type", container)
        .with("actual_length", length)
}

/// `'plain' or 'upper'`.
fn literal_error(choices: &[Value]) -> Broken {
    let shown: Vec<String> = choices.iter().map(python_repr).collect();
    let expected = match shown.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => shown.concat(),
    };
    Broken::new("literal_error", format!("Input should be {expected}")).with("expected", expected)
}
