//! JSON as Python's parser reads it: for input that the strict parser refused.

use std::borrow::Cow;
use std::fmt;

use serde_json::Value;

mod reader;

pub(crate) use reader::read;

/// JSON input on its way into a type.
#[derive(Debug, Clone)]
pub(crate) enum Input<'a> {
    /// Text that is valid JSON.
    Raw(Cow<'a, str>),
    /// A document that only the lenient reader accepts.
    Lenient(Document),
}

impl<'a> Input<'a> {
    pub(crate) fn raw(text: &'a str) -> Self {
        Self::Raw(Cow::Borrowed(text))
    }

    /// The input as JSON, with `null` for what JSON does not have.
    pub(crate) fn to_json(&self) -> Cow<'_, str> {
        match self {
            Self::Raw(text) => Cow::Borrowed(text),
            Self::Lenient(document) => Cow::Owned(document.value.to_string()),
        }
    }

    /// The same input, without borrowing it.
    pub(crate) fn into_owned(self) -> Input<'static> {
        match self {
            Self::Raw(text) => Input::Raw(Cow::Owned(text.into_owned())),
            Self::Lenient(document) => Input::Lenient(document),
        }
    }
}

/// A document that was read leniently.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    /// The value, with `null` for every `NaN` and `Infinity`.
    pub(crate) value: Value,
    /// JSON pointers of those `null`s, with what stands there as Python writes it.
    pub(crate) non_finite: Vec<(String, &'static str)>,
}

impl Document {
    /// The document below one key of an object, pointers included.
    pub(crate) fn member(&self, key: &str) -> Option<Self> {
        let value = self.value.get(key)?.clone();
        let prefix = pointer_step(key);
        let non_finite = self
            .non_finite
            .iter()
            .filter_map(|(pointer, what)| Some((pointer.strip_prefix(&prefix)?, *what)))
            .filter(|(rest, _)| rest.is_empty() || rest.starts_with('/'))
            .map(|(rest, what)| (rest.to_owned(), what))
            .collect();
        Some(Self { value, non_finite })
    }
}

/// Why a text is not JSON, in the words of Python's parser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JsonError {
    /// `Expecting value` and the like.
    pub(crate) message: &'static str,
    /// Character at which it was noticed, from 0.
    pub(crate) position: usize,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

impl JsonError {
    /// The error at the end of `before`, which is the text up to there.
    pub(crate) fn after(before: &str, message: &'static str) -> Self {
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            message,
            position: before.chars().count(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

impl fmt::Display for JsonError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            message,
            position,
            line,
            column,
        } = self;
        write!(
            f,
            "{message}: line {line} column {column} (char {position})"
        )
    }
}

/// One step of a JSON pointer, with its slash.
pub(crate) fn pointer_step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The value as Python would print it.
pub(crate) fn python_repr(value: &Value) -> String {
    let list = |parts: Vec<String>| parts.join(", ");
    match value {
        Value::Null => "None".to_owned(),
        Value::Bool(true) => "True".to_owned(),
        Value::Bool(false) => "False".to_owned(),
        Value::Number(number) => number.to_string(),
        Value::String(text) => python_string(text),
        Value::Array(items) => format!("[{}]", list(items.iter().map(python_repr).collect())),
        Value::Object(fields) => {
            let field = |(key, value): (&String, &Value)| {
                format!("{}: {}", python_string(key), python_repr(value))
            };
            format!("{{{}}}", list(fields.iter().map(field).collect()))
        }
    }
}

/// Python prefers single quotes and takes double ones to avoid escapes.
fn python_string(text: &str) -> String {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    let mut printed = String::with_capacity(text.len() + 2);
    printed.push(quote);
    for character in text.chars() {
        match character {
            '\\' => printed.push_str("\\\\"),
            '\n' => printed.push_str("\\n"),
            '\r' => printed.push_str("\\r"),
            '\t' => printed.push_str("\\t"),
            _ if character == quote => printed.extend(['\\', quote]),
            _ if character.is_control() => {
                let code = format!("\\x{:02x}", u32::from(character));
                printed.push_str(&code);
            }
            _ => printed.push(character),
        }
    }
    printed.push(quote);
    printed
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_print_as_in_python() {
        for (value, expected) in [
            (json!(null), "None"),
            (json!(true), "True"),
            (json!(5), "5"),
            (json!(2.0), "2.0"),
            (json!("abc"), "'abc'"),
            (json!("it's"), "\"it's\""),
            (json!("both ' and \""), "'both \\' and \"'"),
            (json!("a\nb\u{1}"), "'a\\nb\\x01'"),
            (json!({"a": 1}), "{'a': 1}"),
            (json!([1, 2]), "[1, 2]"),
        ] {
            assert_eq!(python_repr(&value), expected);
        }
    }

    #[test]
    fn a_member_keeps_its_own_pointers() {
        let document = read(r#"{"data":{"a/b":NaN},"database":NaN}"#).unwrap();
        let member = document.member("data").unwrap();
        assert_eq!(member.value, json!({"a/b": null}));
        assert_eq!(member.non_finite, [("/a~1b".to_owned(), "NaN")]);
        assert_eq!(document.member("missing"), None);
    }
}
