//! The lenient reader: accepts and refuses what Python's `json.loads` does.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{Document, JsonError, pointer_step};

/// Levels of nesting, as many as the strict parser has room for.
const MAXIMUM_DEPTH: usize = 128;

/// Bytes of the pointers to all that is not finite.
///
/// Honest documents have a handful; others could name a long key a million times.
const MAXIMUM_POINTERS: usize = 1 << 20;

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
        recorded: 0,
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
    non_finite: Vec<(String, &'static str)>,
    /// Bytes of all pointers so far.
    recorded: usize,
}

/// What went wrong, at which byte.
struct Failure {
    message: &'static str,
    offset: usize,
}

impl Failure {
    /// Python counts characters, and nobody asks before something fails.
    fn located_in(self, text: &str) -> JsonError {
        JsonError::after(&text[..self.offset], self.message)
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
        let start = self.offset;
        for (literal, value) in [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
        ] {
            if self.accept(literal) {
                return Ok(value);
            }
        }
        for literal in ["NaN", "Infinity", "-Infinity"] {
            if self.accept(literal) {
                return self.not_finite(start, literal);
            }
        }
        let length = number_length(self.rest());
        if length == 0 {
            return fail("Expecting value", self.offset);
        }
        let number = serde_json::from_str(&self.rest()[..length]);
        self.offset += length;
        // What looks like a number and still is refused is too large for a float.
        number.or_else(|_| {
            let is_negative = self.text[start..].starts_with('-');
            self.not_finite(start, if is_negative { "-Infinity" } else { "Infinity" })
        })
    }

    fn not_finite(&mut self, start: usize, what: &'static str) -> Result<Value, Failure> {
        self.recorded += self.pointer.len() + 1;
        if self.recorded > MAXIMUM_POINTERS {
            return fail("too many numbers that are not finite", start);
        }
        self.non_finite.push((self.pointer.clone(), what));
        Ok(Value::Null)
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
        let mut non_finite = BTreeMap::new();
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
            // The last of several equal keys wins, and so does what is below it.
            let found = self.non_finite.split_off(known);
            if !found.is_empty() || non_finite.contains_key(&key) {
                non_finite.insert(key.clone(), found);
            }
            fields.insert(key, value);
            if self.ends("}")? {
                self.non_finite.extend(non_finite.into_values().flatten());
                return Ok(Value::Object(fields));
            }
        }
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
mod tests;
