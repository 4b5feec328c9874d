//! Messages as they travel: frames of a WebSocket, bodies of HTTP.
//!
//! Reading borrows ([`Incoming`]), writing appends to the reply's buffer: a
//! step passes through without an intermediate document on either side.

use serde::Serialize;

use crate::env::{Ending, Step};
use crate::error::{Error, Result};

mod incoming;
pub(crate) mod jsonrpc;
pub(crate) mod request;
pub(crate) mod tool;

pub(crate) use incoming::{Incoming, Request};

/// Which of the two spellings of an observation a caller gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// `reward` keeps its type, empty `metadata` is left out.
    WebSocket,
    /// `reward` is a float, empty `metadata` is `null`.
    Http,
}

/// Appends `{"observation":{…},"reward":…,"done":…}` to `out`.
///
/// `own_metadata` says that the observation has a `metadata` field itself.
pub(crate) fn write_step<O: Serialize>(
    out: &mut Vec<u8>,
    step: &Step<O>,
    form: Form,
    own_metadata: bool,
) -> Result<()> {
    let mut metadata = Vec::new();
    if step.ending == Ending::Truncated && !step.metadata.contains_key("truncated") {
        let mut entries = step.metadata.clone();
        entries.insert("truncated".to_owned(), true.into());
        serde_json::to_writer(&mut metadata, &entries)?;
    } else if !step.metadata.is_empty() {
        serde_json::to_writer(&mut metadata, &step.metadata)?;
    }

    out.extend_from_slice(b"{\"observation\":");
    let mut object = ObjectWriter::begin(out);
    if !own_metadata {
        object.raw(
            "metadata",
            if metadata.is_empty() {
                b"{}"
            } else {
                &metadata
            },
        );
    }
    object.finish_with(&step.observation)?;

    out.extend_from_slice(b",\"reward\":");
    match form {
        Form::WebSocket => serde_json::to_writer(&mut *out, &step.reward)?,
        Form::Http => serde_json::to_writer(&mut *out, &step.reward.map(crate::Reward::as_f64))?,
    }
    out.extend_from_slice(if step.is_done() {
        b",\"done\":true"
    } else {
        b",\"done\":false"
    });
    if !metadata.is_empty() {
        out.extend_from_slice(b",\"metadata\":");
        out.extend_from_slice(&metadata);
    } else if form == Form::Http {
        out.extend_from_slice(b",\"metadata\":null");
    }
    out.push(b'}');
    Ok(())
}

/// Appends the state as an object, with the fields that the server keeps.
pub(crate) fn write_state<S: Serialize>(
    out: &mut Vec<u8>,
    state: &S,
    episode_id: Option<&Option<String>>,
    step_count: Option<u64>,
) -> Result<()> {
    let mut object = ObjectWriter::begin(out);
    if let Some(episode_id) = episode_id {
        object.raw("episode_id", &serde_json::to_vec(episode_id)?);
    }
    if let Some(step_count) = step_count {
        object.raw("step_count", &serde_json::to_vec(&step_count)?);
    }
    object.finish_with(state)
}

/// Appends an error frame.
pub(crate) fn write_error(out: &mut Vec<u8>, error: &Error) {
    out.extend_from_slice(b"{\"type\":\"error\",\"data\":");
    out.extend_from_slice(&error_data(error));
    out.push(b'}');
}

/// What a client is told of an error, as an object.
pub(crate) fn error_data(error: &Error) -> Vec<u8> {
    #[derive(Serialize)]
    struct Data<'a> {
        message: &'a str,
        code: &'a str,
        #[serde(flatten)]
        details: serde_json::Map<String, serde_json::Value>,
    }
    let data = Data {
        message: error.message(),
        code: error.code(),
        details: error.details(),
    };
    serde_json::to_vec(&data).expect("strings and JSON values always serialise")
}

/// Writes one object out of single fields and a type that is an object itself.
///
/// This is what `#[serde(flatten)]` would do by way of an intermediate copy.
struct ObjectWriter<'a> {
    out: &'a mut Vec<u8>,
    start: usize,
}

impl<'a> ObjectWriter<'a> {
    fn begin(out: &'a mut Vec<u8>) -> Self {
        let start = out.len();
        out.push(b'{');
        Self { out, start }
    }

    fn raw(&mut self, key: &str, json: &[u8]) {
        if !self.is_empty() {
            self.out.push(b',');
        }
        self.out.push(b'"');
        self.out.extend_from_slice(key.as_bytes());
        self.out.extend_from_slice(b"\":");
        self.out.extend_from_slice(json);
    }

    fn is_empty(&self) -> bool {
        self.out.len() == self.start + 1
    }

    /// Adds the fields of `value`, which is an object or nothing, and ends the object.
    fn finish_with<T: Serialize>(self, value: &T) -> Result<()> {
        let first = self.is_empty();
        let position = self.out.len();
        serde_json::to_writer(&mut *self.out, value)?;
        match &self.out[position..] {
            b"null" | b"{}" => {
                self.out.truncate(position);
                self.out.push(b'}');
            }
            // `{"k":0` + `{"a":1}` becomes `{"k":0,"a":1}` by one byte.
            [b'{', ..] if !first => self.out[position] = b',',
            [b'{', ..] => drop(self.out.remove(position)),
            _ => {
                return Err(Error::new(format!(
                    "`{}` must serialise to a JSON object",
                    std::any::type_name::<T>()
                )));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn step_json<O: Serialize>(step: &Step<O>, form: Form) -> Value {
        let mut out = Vec::new();
        write_step(&mut out, step, form, false).unwrap();
        serde_json::from_slice(&out).unwrap()
    }

    #[test]
    fn an_observation_without_fields_still_has_metadata() {
        let expected = json!({"observation": {"metadata": {}}, "reward": null, "done": false});
        assert_eq!(step_json(&Step::new(()), Form::WebSocket), expected);
        assert_eq!(step_json(&Step::new(json!({})), Form::WebSocket), expected);
    }

    #[test]
    fn truncation_shows_in_both_metadata() {
        let step = Step::new(json!({"x": 1})).reward(2).truncated();
        assert_eq!(
            step_json(&step, Form::Http),
            json!({
                "observation": {"metadata": {"truncated": true}, "x": 1},
                "reward": 2.0, "done": true, "metadata": {"truncated": true},
            })
        );
    }

    #[test]
    fn numbers_that_json_does_not_have_become_null() {
        let step = Step::new(json!({})).reward(f64::NAN);
        assert_eq!(step_json(&step, Form::WebSocket)["reward"], Value::Null);
        assert_eq!(step_json(&step, Form::Http)["reward"], Value::Null);
    }

    #[test]
    fn an_observation_that_is_no_object_is_refused() {
        let mut out = Vec::new();
        let error = write_step(&mut out, &Step::new("text"), Form::Http, false).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("must serialise to a JSON object")
        );
    }

    #[test]
    fn the_server_adds_the_state_fields_it_keeps() {
        let mut out = Vec::new();
        write_state(&mut out, &(), Some(&Some("e".to_owned())), Some(3)).unwrap();
        assert_eq!(out, br#"{"episode_id":"e","step_count":3}"#);
        out.clear();
        write_state(&mut out, &json!({"a": 1}), None, Some(3)).unwrap();
        assert_eq!(out, br#"{"step_count":3,"a":1}"#);
    }
}
