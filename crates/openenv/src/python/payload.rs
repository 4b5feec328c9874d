//! What goes with a call, as a worker reads it.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::{Map, Value};

use crate::env::StepOptions;
use crate::json::{Document, Input, pointer_step};

/// Input as text. What is no JSON is written as Python's parser knows it.
pub(super) fn text(input: Input<'_>) -> Cow<'_, str> {
    match input {
        Input::Raw(text) => text,
        Input::Lenient(document) if document.non_finite.is_empty() => {
            Cow::Owned(document.value.to_string())
        }
        Input::Lenient(document) => {
            let mut writer = Writer::new(&document);
            writer.value(&document.value);
            Cow::Owned(writer.text)
        }
    }
}

/// Writes a document with numbers in it that are not finite.
struct Writer<'a> {
    non_finite: HashMap<&'a str, &'static str>,
    pointer: String,
    text: String,
}

impl<'a> Writer<'a> {
    fn new(document: &'a Document) -> Self {
        let non_finite = document.non_finite.iter();
        Self {
            non_finite: non_finite.map(|(at, what)| (&**at, *what)).collect(),
            pointer: String::new(),
            text: String::new(),
        }
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Null if self.non_finite.contains_key(&*self.pointer) => {
                self.text.push_str(self.non_finite[&*self.pointer]);
            }
            Value::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.separate(index);
                    self.below(&format!("/{index}"), item);
                }
                self.text.push(']');
            }
            Value::Object(fields) => {
                self.text.push('{');
                for (index, (key, field)) in fields.iter().enumerate() {
                    self.separate(index);
                    self.text.push_str(&Value::from(key.as_str()).to_string());
                    self.text.push(':');
                    self.below(&pointer_step(key), field);
                }
                self.text.push('}');
            }
            value => self.text.push_str(&value.to_string()),
        }
    }

    fn separate(&mut self, index: usize) {
        if index > 0 {
            self.text.push(',');
        }
    }

    fn below(&mut self, step: &str, value: &Value) {
        let length = self.pointer.len();
        self.pointer.push_str(step);
        self.value(value);
        self.pointer.truncate(length);
    }
}

/// The keywords that come with an action; most often there are none.
pub(super) fn of_step(options: StepOptions) -> Option<String> {
    let mut keywords: Map<String, Value> = options.extra;
    if let Some(timeout) = options.timeout {
        keywords.insert("timeout_s".to_owned(), timeout.as_secs_f64().into());
    }
    if let Some(request_id) = options.request_id {
        keywords.insert("request_id".to_owned(), request_id.into());
    }
    (!keywords.is_empty()).then(|| Value::Object(keywords).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json;

    #[test]
    fn what_only_python_reads_is_written_for_it() {
        let sent = r#"{"a": [NaN, 1, {"b/c": -Infinity}], "d": 1e999, "e": null, "é\"": "\n"}"#;
        let document = json::read(sent).unwrap();
        assert_eq!(
            text(Input::Lenient(document)),
            r#"{"a":[NaN,1,{"b/c":-Infinity}],"d":Infinity,"e":null,"é\"":"\n"}"#
        );
    }
}
