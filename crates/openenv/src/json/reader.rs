//! The lenient reader: accepts and refuses what Python's `json.loads` does.

use serde_json::{Map, Value};

use super::{Document, JsonError, pointer_step};

/// Levels of nesting, as many as the strict parser has room for.
const MAXIMUM_DEPTH: usize = 128;

/// Reads `text` as Python's `json.loads` does.
///
/// `NaN` and `Infinity` become `null`, and so do numbers too large for a
/// float; the last of several equal keys wins; half a surrogate pair becomes
/// U+FFFD.
pub(crate) fn read(text: &str) -> Result<Document, JsonError> {
    let mut reader = Reader {
        text,
        offset: 0,
        depth: 0,
        pointer: String::new(),
        non_finite: Vec::new(),
    };
    reader
        .document()
        .map_err(|failure| failure.located_in(text))
        .map(|value| Document {
            value,
            non_finite: reader.non_finite,
        })
}

struct Reader<'a> {
    text: &'a str,
    /// In bytes, always at the start of a character.
    offset: usize,
    depth: usize,
    /// Where the value being read will be.
    pointer: String,
    non_finite: Vec<String>,
}

/// What went wrong, at which byte.
struct Failure {
    message: &'static str,
    offset: usize,
}

impl Failure {
    /// Python counts characters, and nobody asks before something fails.
    fn located_in(self, text: &str) -> JsonError {
        let before = &text[..self.offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        JsonError {
            message: self.message,
            position: before.chars().count(),
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }
}

fn fail<T>(message: &'static str, offset: usize) -> Result<T, Failure> {
    Err(Failure { message, offset })
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Value, Failure> {
        if self.text.starts_with('\u{feff}') {
            return fail("Unexpected UTF-8 BOM (decode using utf-8-sig)", 0);
        }
        self.skip_whitespace();
        let value = self.value()?;
        self.skip_whitespace();
        if self.offset < self.text.len() {
            return fail("Extra data", self.offset);
        }
        Ok(value)
    }

    fn value(&mut self) -> Result<Value, Failure> {
        match self.peek() {
            Some(b'{') => self.nested(Self::object),
            Some(b'[') => self.nested(Self::array),
            Some(b'"') => self.string().map(Value::String),
            _ => self.scalar(),
        }
    }

    fn scalar(&mut self) -> Result<Value, Failure> {
        for (literal, value) in [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
        ] {
            if self.accept(literal) {
                return Ok(value);
            }
        }
        if ["NaN", "Infinity", "-Infinity"]
            .iter()
            .any(|literal| self.accept(literal))
        {
            return Ok(self.not_finite());
        }
        let length = number_length(self.rest());
        if length == 0 {
            return fail("Expecting value", self.offset);
        }
        let number = serde_json::from_str(&self.rest()[..length]);
        self.offset += length;
        // What looks like a number and still is refused is too large for a float.
        Ok(number.unwrap_or_else(|_| self.not_finite()))
    }

    fn not_finite(&mut self) -> Value {
        self.non_finite.push(self.pointer.clone());
        Value::Null
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Value, Failure>) -> Result<Value, Failure> {
        if self.depth == MAXIMUM_DEPTH {
            return fail("nested deeper than 128 levels", self.offset);
        }
        self.depth += 1;
        self.offset += 1;
        self.skip_whitespace();
        let value = read(self);
        self.depth -= 1;
        value
    }

    fn object(&mut self) -> Result<Value, Failure> {
        let mut fields = Map::new();
        if self.accept("}") {
            return Ok(Value::Object(fields));
        }
        loop {
            if self.peek() != Some(b'"') {
                return fail(
                    "Expecting property name enclosed in double quotes",
                    self.offset,
                );
            }
            let key = self.string()?;
            self.skip_whitespace();
            if !self.accept(":") {
                return fail("Expecting ':' delimiter", self.offset);
            }
            self.skip_whitespace();
            let known = self.non_finite.len();
            let value = self.below(&pointer_step(&key))?;
            if fields.contains_key(&key) {
                self.forget_before(known, &key);
            }
            fields.insert(key, value);
            if self.ends("}")? {
                return Ok(Value::Object(fields));
            }
        }
    }

    /// An equal key came later: what was recorded below the first is gone.
    fn forget_before(&mut self, known: usize, key: &str) {
        let gone = format!("{}{}", self.pointer, pointer_step(key));
        let mut index = 0;
        self.non_finite.retain(|pointer| {
            index += 1;
            let below = pointer
                .strip_prefix(&gone)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
            index > known || !below
        });
    }

    fn array(&mut self) -> Result<Value, Failure> {
        let mut items = Vec::new();
        if self.accept("]") {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.below(&format!("/{}", items.len()))?);
            if self.ends("]")? {
                return Ok(Value::Array(items));
            }
        }
    }

    fn below(&mut self, step: &str) -> Result<Value, Failure> {
        let length = self.pointer.len();
        self.pointer.push_str(step);
        let value = self.value();
        self.pointer.truncate(length);
        value
    }

    /// Whether the container ends here; otherwise a comma must follow.
    fn ends(&mut self, bracket: &str) -> Result<bool, Failure> {
        self.skip_whitespace();
        if self.accept(bracket) {
            return Ok(true);
        }
        if !self.accept(",") {
            return fail("Expecting ',' delimiter", self.offset);
        }
        self.skip_whitespace();
        Ok(false)
    }

    fn string(&mut self) -> Result<String, Failure> {
        let start = self.offset;
        let unterminated = "Unterminated string starting at";
        let mut string = String::new();
        self.offset += 1;
        loop {
            let plain = self
                .rest()
                .find(|c: char| c == '"' || c == '\\' || c < ' ')
                .unwrap_or(self.rest().len());
            string.push_str(&self.rest()[..plain]);
            self.offset += plain;
            match self.peek() {
                None => return fail(unterminated, start),
                Some(b'"') => {
                    self.offset += 1;
                    return Ok(string);
                }
                Some(b'\\') => match self.rest()[1..].chars().next() {
                    None => return fail(unterminated, start),
                    Some('u') => string.push(self.unicode_escape()?),
                    Some(escape) => {
                        string.push(match escape {
                            '"' | '\\' | '/' => escape,
                            'b' => '\u{8}',
                            'f' => '\u{c}',
                            'n' => '\n',
                            'r' => '\r',
                            't' => '\t',
                            _ => return fail("Invalid \\escape", self.offset),
                        });
                        self.offset += 2;
                    }
                },
                Some(_) => return fail("Invalid control character at", self.offset),
            }
        }
    }

    fn unicode_escape(&mut self) -> Result<char, Failure> {
        let Some(unit) = code_unit(self.rest()) else {
            return fail("Invalid \\uXXXX escape", self.offset + 1);
        };
        self.offset += 6;
        let low = code_unit(self.rest()).filter(|low| (0xDC00..0xE000).contains(low));
        if let (0xD800..0xDC00, Some(low)) = (unit, low) {
            self.offset += 6;
            let code_point = 0x1_0000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
            return Ok(char::from_u32(code_point).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        // Half a surrogate pair, which Python keeps, has no place in UTF-8.
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn skip_whitespace(&mut self) {
        let rest = self.rest();
        let content = rest.trim_start_matches([' ', '\t', '\n', '\r']);
        self.offset += rest.len() - content.len();
    }

    fn accept(&mut self, literal: &str) -> bool {
        let found = self.rest().starts_with(literal);
        if found {
            self.offset += literal.len();
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.offset).copied()
    }

    fn rest(&self) -> &str {
        &self.text[self.offset..]
    }
}

/// The unit of `\uXXXX` at the start of `text`.
///
/// Python wants at least one character after the digits, if only the quote.
fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.as_bytes().get(..5)?;
    digits[..4].iter().try_fold(0, |unit, digit| {
        Some(unit * 16 + char::from(*digit).to_digit(16)?)
    })
}

/// Bytes of the longest number at the start of `text`; 0 if there is none.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        rest.iter().take_while(|byte| byte.is_ascii_digit()).count()
    };
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let mut length = match bytes.get(sign) {
        Some(b'0') => sign + 1,
        Some(b'1'..=b'9') => sign + digits(sign),
        _ => return 0,
    };
    if bytes.get(length) == Some(&b'.') && digits(length + 1) > 0 {
        length += 1 + digits(length + 1);
    }
    if let Some(b'e' | b'E') = bytes.get(length) {
        let sign = usize::from(matches!(bytes.get(length + 1), Some(b'+' | b'-')));
        let exponent = digits(length + 1 + sign);
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    length
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    /// Every message was printed by `CPython` 3.11.
    #[test]
    fn refusals_read_as_in_python() {
        for (text, expected) in [
            ("", "Expecting value: line 1 column 1 (char 0)"),
            ("  ", "Expecting value: line 1 column 3 (char 2)"),
            (
                "{bad",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            (
                "{'a':1}",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            (
                "{\"a\":1,}",
                "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
            ),
            ("[1,]", "Expecting value: line 1 column 4 (char 3)"),
            ("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"),
            (
                "{\"a\" 1}",
                "Expecting ':' delimiter: line 1 column 6 (char 5)",
            ),
            ("{\"a\":}", "Expecting value: line 1 column 6 (char 5)"),
            (
                "{\"a\":1 \"b\":2}",
                "Expecting ',' delimiter: line 1 column 8 (char 7)",
            ),
            (
                "{\"a\":1",
                "Expecting ',' delimiter: line 1 column 7 (char 6)",
            ),
            ("[1", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
            ("[", "Expecting value: line 1 column 2 (char 1)"),
            (
                "{",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            (
                "{\"a\"",
                "Expecting ':' delimiter: line 1 column 5 (char 4)",
            ),
            ("{\"a\":", "Expecting value: line 1 column 6 (char 5)"),
            (
                "\"abc",
                "Unterminated string starting at: line 1 column 1 (char 0)",
            ),
            (
                "\"a\nb\"",
                "Invalid control character at: line 1 column 3 (char 2)",
            ),
            ("\"\\x\"", "Invalid \\escape: line 1 column 2 (char 1)"),
            (
                "\"\\u12\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            (
                "\"\\u12G4\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            (
                "\"\\",
                "Unterminated string starting at: line 1 column 1 (char 0)",
            ),
            ("\"\\u", "Invalid \\uXXXX escape: line 1 column 3 (char 2)"),
            ("nul", "Expecting value: line 1 column 1 (char 0)"),
            ("-", "Expecting value: line 1 column 1 (char 0)"),
            ("-a", "Expecting value: line 1 column 1 (char 0)"),
            ("01", "Extra data: line 1 column 2 (char 1)"),
            ("1.", "Extra data: line 1 column 2 (char 1)"),
            ("1.e5", "Extra data: line 1 column 2 (char 1)"),
            ("1e", "Extra data: line 1 column 2 (char 1)"),
            (".5", "Expecting value: line 1 column 1 (char 0)"),
            ("+1", "Expecting value: line 1 column 1 (char 0)"),
            ("truefalse", "Extra data: line 1 column 5 (char 4)"),
            ("true x", "Extra data: line 1 column 6 (char 5)"),
            (
                "{\"type\":\"state\"} x",
                "Extra data: line 1 column 18 (char 17)",
            ),
            (
                "{\n  \"type\": state }",
                "Expecting value: line 2 column 11 (char 12)",
            ),
            ("\"é\" x", "Extra data: line 1 column 5 (char 4)"),
            ("😀", "Expecting value: line 1 column 1 (char 0)"),
            ("\"😀\" 1", "Extra data: line 1 column 5 (char 4)"),
            (
                "[1,\n\n 2 3]",
                "Expecting ',' delimiter: line 3 column 4 (char 8)",
            ),
            (
                "{\"a\":1,\n}",
                "Expecting property name enclosed in double quotes: line 2 column 1 (char 8)",
            ),
            (
                "{\"a\":1, ",
                "Expecting property name enclosed in double quotes: line 1 column 9 (char 8)",
            ),
            ("[1, ", "Expecting value: line 1 column 5 (char 4)"),
            (
                "{,}",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            ("[,]", "Expecting value: line 1 column 2 (char 1)"),
            (
                "{\"a\":1,,}",
                "Expecting property name enclosed in double quotes: line 1 column 8 (char 7)",
            ),
            ("-Inf", "Expecting value: line 1 column 1 (char 0)"),
            (
                "\u{feff}{}",
                "Unexpected UTF-8 BOM (decode using utf-8-sig): line 1 column 1 (char 0)",
            ),
            ("\u{a0}1", "Expecting value: line 1 column 1 (char 0)"),
            (
                "{1:2}",
                "Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
            ),
            ("[1}", "Expecting ',' delimiter: line 1 column 3 (char 2)"),
            (
                "{\"a\":1]",
                "Expecting ',' delimiter: line 1 column 7 (char 6)",
            ),
            (
                "\"\\u+123\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            (
                "\"\\u 123\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            (
                "\"\t\"",
                "Invalid control character at: line 1 column 2 (char 1)",
            ),
            ("1 \u{b}", "Extra data: line 1 column 3 (char 2)"),
            (
                "\"\\ud83d\\u12\"",
                "Invalid \\uXXXX escape: line 1 column 9 (char 8)",
            ),
            (
                "\"abc\\",
                "Unterminated string starting at: line 1 column 1 (char 0)",
            ),
            ("--1", "Expecting value: line 1 column 1 (char 0)"),
            ("-01", "Extra data: line 1 column 3 (char 2)"),
            ("1.5.2", "Extra data: line 1 column 4 (char 3)"),
            (
                "{\"a\":\"b",
                "Unterminated string starting at: line 1 column 6 (char 5)",
            ),
            ("\"\\U0041\"", "Invalid \\escape: line 1 column 2 (char 1)"),
            ("[1,\r\n x]", "Expecting value: line 2 column 2 (char 6)"),
            (
                "\"\\ud83d\\",
                "Unterminated string starting at: line 1 column 1 (char 0)",
            ),
            (
                "{\"a\":1, \"b",
                "Unterminated string starting at: line 1 column 9 (char 8)",
            ),
            (
                "\"a\\u00",
                "Invalid \\uXXXX escape: line 1 column 4 (char 3)",
            ),
            ("\"a\\q\"x", "Invalid \\escape: line 1 column 3 (char 2)"),
            (
                "\"\\u1_23\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            ("0x10", "Extra data: line 1 column 2 (char 1)"),
            (
                "\"\u{0}\"",
                "Invalid control character at: line 1 column 2 (char 1)",
            ),
            (
                "\"\\u1234",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
            (
                "\"\\u123é\"",
                "Invalid \\uXXXX escape: line 1 column 3 (char 2)",
            ),
        ] {
            let error = read(text).expect_err(text);
            assert_eq!(error.to_string(), expected, "{text:?}");
        }
    }

    #[test]
    fn accepts_what_python_accepts() {
        for (text, value, non_finite) in [
            ("NaN", json!(null), vec![""]),
            ("-Infinity", json!(null), vec![""]),
            ("1e400", json!(null), vec![""]),
            ("[1, NaN]", json!([1, null]), vec!["/1"]),
            (
                r#"{"a":{"b~/":Infinity}}"#,
                json!({"a": {"b~/": null}}),
                vec!["/a/b~0~1"],
            ),
            (r#"{"a":NaN,"a":null}"#, json!({"a": null}), vec![]),
            (r#"{"a":1,"a":NaN}"#, json!({"a": null}), vec!["/a"]),
            (r#"{"a":1,"b":2,"a":3}"#, json!({"a": 3, "b": 2}), vec![]),
            (r#""\ud800""#, json!("\u{fffd}"), vec![]),
            (r#""\ud83d\ude00\ud83dA""#, json!("😀\u{fffd}A"), vec![]),
            (r#""\ud83d\u0041""#, json!("\u{fffd}A"), vec![]),
            ("\"\u{7f}\"", json!("\u{7f}"), vec![]),
            ("18446744073709551615", json!(u64::MAX), vec![]),
            (
                "1180591620717411303424",
                json!(1_180_591_620_717_411_303_424_f64),
                vec![],
            ),
            (" {\"a\"\t:\t1}\r\n", json!({"a": 1}), vec![]),
        ] {
            let document = read(text).expect(text);
            assert_eq!(document.value, value, "{text}");
            assert_eq!(document.non_finite, non_finite, "{text}");
        }
    }

    #[test]
    fn survives_deep_nesting() {
        for unit in ["[", "{\"a\":", "[{\"a\":"] {
            let error = read(&unit.repeat(1_000_000)).unwrap_err();
            assert_eq!(error.message, "nested deeper than 128 levels");
        }
        let deepest = format!("{}{}", "[".repeat(128), "]".repeat(128));
        assert!(read(&deepest).is_ok());
    }

    fn documents() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 5, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                prop::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn agrees_with_the_strict_parser(document in documents(), pretty: bool) {
            let text = if pretty { format!("{document:#}") } else { document.to_string() };
            let strict: Value = serde_json::from_str(&text).unwrap();
            let lenient = read(&text).unwrap();
            prop_assert_eq!(lenient.value, strict);
            prop_assert!(lenient.non_finite.is_empty());
        }

        #[test]
        fn never_panics(text in r#"([\[\]{}:,"\\ \nu0-9eE+.a-]|NaN|-Infinity|true|é|😀|\\ud83d|\PC){0,40}"#) {
            let lenient = read(&text);
            if let Ok(strict) = serde_json::from_str::<Value>(&text) {
                prop_assert_eq!(lenient.unwrap().value, strict);
            }
        }
    }
}
