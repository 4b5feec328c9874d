//! JSON as Python's parser reads it: for input that the strict parser refused.

use serde_json::Value;

/// JSON input on its way into a type.
#[derive(Debug, Clone)]
pub(crate) enum Input<'a> {
    /// Text that is valid JSON.
    Raw(&'a str),
    /// A document that only the lenient reader accepts.
    Lenient(Document),
}

/// A document that was read leniently.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Document {
    /// The value, with `null` for every `NaN` and `Infinity`.
    pub(crate) value: Value,
    /// JSON pointers of those `null`s.
    pub(crate) non_finite: Vec<String>,
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

/// Reads `text` as Python's `json.loads` does.
pub(crate) fn read(text: &str) -> Result<Document, JsonError> {
    serde_json::from_str(text)
        .map(|value| Document {
            value,
            non_finite: Vec::new(),
        })
        .map_err(|_| JsonError {
            message: "Expecting value",
            position: 0,
            line: 1,
            column: 1,
        })
}

pub(crate) fn python_repr(value: &Value) -> String {
    value.to_string()
}
impl Input<'_> {
    pub(crate) fn into_owned(self) -> Input<'static> {
        match self {
            Input::Raw(text) => Input::Lenient(read(text).unwrap()),
            Input::Lenient(d) => Input::Lenient(d),
        }
    }
}
impl std::fmt::Display for JsonError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.message)
    }
}
