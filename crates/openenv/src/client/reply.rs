//! What a server answers, as types.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::env::{Ending, Reward, Step};
use crate::error::{Error, Kind, Result, Violation};

/// What an episode looks like from outside.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct EpisodeState<S> {
    /// Name of the episode; none before the first reset.
    pub episode_id: Option<String>,
    /// Steps taken since the reset.
    pub step_count: u64,
    /// The environment's own part.
    pub state: S,
}

#[derive(Deserialize)]
struct Frame<'a, T> {
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    data: T,
}

#[derive(Deserialize)]
struct StepData<O> {
    observation: O,
    #[serde(default)]
    reward: Option<Reward>,
    #[serde(default)]
    done: Option<bool>,
    #[serde(default)]
    metadata: Option<Map<String, Value>>,
}

/// Fields that a server adds to what an environment's own type has.
const ADDED_TO_OBSERVATION: [&str; 1] = ["metadata"];
const ADDED_TO_STATE: [&str; 2] = ["episode_id", "step_count"];

/// Reads the answer to a reset or a step.
pub(super) fn step<O: DeserializeOwned>(text: &str) -> Result<Step<O>> {
    // One pass, straight into the type; whatever is unusual is read again.
    match serde_json::from_str::<Frame<'_, StepData<O>>>(text) {
        Ok(frame) if frame.r#type == "observation" => Ok(frame.data.into()),
        _ => step_patiently(text),
    }
}

fn step_patiently<O: DeserializeOwned>(text: &str) -> Result<Step<O>> {
    let data = data_of(text, "observation")?;
    let data: StepData<Value> =
        serde_json::from_str(data).map_err(|error| unreadable(text, error))?;
    Ok(StepData {
        observation: typed(data.observation, &ADDED_TO_OBSERVATION, "observation")?,
        reward: data.reward,
        done: data.done,
        metadata: data.metadata,
    }
    .into())
}

/// Reads the answer to the question for the state.
pub(super) fn state<S: DeserializeOwned>(text: &str) -> Result<EpisodeState<S>> {
    let data = data_of(text, "state")?;
    let state: Value = serde_json::from_str(data).map_err(|error| unreadable(text, error))?;
    Ok(EpisodeState {
        episode_id: state["episode_id"].as_str().map(str::to_owned),
        step_count: state["step_count"].as_u64().unwrap_or_default(),
        state: typed(state, &ADDED_TO_STATE, "state")?,
    })
}

/// Reads the frame around the answer to a JSON-RPC request.
pub(super) fn mcp(text: &str) -> Result<&str> {
    data_of(text, "mcp")
}

/// The error that a text is about, if it is about one.
pub(super) fn error(text: &str) -> Option<Error> {
    data_of(text, "error").ok().map(read_error)
}

impl<O> From<StepData<O>> for Step<O> {
    fn from(data: StepData<O>) -> Self {
        let metadata = data.metadata.unwrap_or_default();
        let ending = match (data.done, metadata.get("truncated")) {
            (None | Some(false), _) => Ending::Running,
            (_, Some(Value::Bool(true))) => Ending::Truncated,
            _ => Ending::Terminated,
        };
        Self {
            observation: data.observation,
            reward: data.reward,
            ending,
            metadata,
        }
    }
}

/// The `data` of a message, which is of the given type; an error message is an error.
fn data_of<'a>(text: &'a str, kind: &str) -> Result<&'a str> {
    let frame: Frame<'a, &'a RawValue> =
        serde_json::from_str(text).map_err(|error| unreadable(text, error))?;
    let data = frame.data.get();
    match &*frame.r#type {
        known if known == kind => Ok(data),
        "error" => Err(read_error(data)),
        other => Err(Error::of(
            Kind::Answer,
            format!("the server answered with `{other}` instead of `{kind}`"),
        )),
    }
}

/// Reads a value into the caller's type, which need not know what the server adds to it.
fn typed<T: DeserializeOwned>(value: Value, added: &[&str], what: &str) -> Result<T> {
    let mut own = value.clone();
    let refusal = match serde_path_to_error::deserialize(value) {
        Ok(typed) => return Ok(typed),
        Err(refusal) => refusal,
    };
    if let Value::Object(fields) = &mut own {
        fields.retain(|name, _| !added.contains(&name.as_str()));
        if fields.is_empty() {
            // The type of an environment that has nothing to say is `()`.
            own = Value::Null;
        }
    }
    serde_json::from_value(own).map_err(|_| {
        let place = refusal.path().to_string();
        let place = match place.as_str() {
            "." => what.to_owned(),
            path => format!("{what}.{path}"),
        };
        Error::of(
            Kind::Answer,
            format!(
                "the answer does not fit `{}`: {place}: {}",
                std::any::type_name::<T>(),
                refusal.inner()
            ),
        )
    })
}

/// Reads the `data` of an error message.
fn read_error(data: &str) -> Error {
    #[derive(Deserialize, Default)]
    #[serde(default)]
    struct Data {
        message: String,
        code: String,
        errors: Value,
        active_sessions: usize,
        max_sessions: usize,
        factory_name: String,
    }
    // What is not as usual is still an error, and its text says what it is about.
    let data: Data = serde_json::from_str(data).unwrap_or_else(|_| Data {
        message: data.to_owned(),
        ..Data::default()
    });
    let kind = match data.code.as_str() {
        "EXECUTION_ERROR" => Kind::Execution,
        "VALIDATION_ERROR" => Kind::Validation(violations(data.errors)),
        "CAPACITY_REACHED" => Kind::Capacity {
            active: data.active_sessions,
            maximum: data.max_sessions,
        },
        "FACTORY_ERROR" => Kind::Factory {
            name: data.factory_name,
        },
        "SESSION_ERROR" => Kind::Session,
        "INVALID_JSON" => Kind::InvalidJson,
        "UNKNOWN_TYPE" => Kind::UnknownType,
        _ => Kind::Remote { code: data.code },
    };
    Error::of(kind, data.message)
}

/// Those that can be read: one of an odd shape must not hide the others.
pub(super) fn violations(errors: Value) -> Vec<Violation> {
    match errors {
        Value::Array(errors) => errors
            .into_iter()
            .filter_map(|error| serde_json::from_value(error).ok())
            .collect(),
        _ => Vec::new(),
    }
}

pub(super) fn unreadable(text: &str, error: serde_json::Error) -> Error {
    const SHOWN: usize = 200;
    let start: String = text.chars().take(SHOWN).collect();
    Error::of(
        Kind::Answer,
        format!("the server's answer could not be read: {error}; it starts with `{start}`"),
    )
    .because(error)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[derive(Debug, PartialEq, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Strict {
        x: u32,
    }

    fn read<O: DeserializeOwned>(data: &Value) -> Result<Step<O>> {
        step(&json!({"type": "observation", "data": data}).to_string())
    }

    #[test]
    fn steps_are_read_in_every_spelling() {
        let whole = read::<Value>(&json!({
            "observation": {"x": 1}, "reward": 3, "done": true, "metadata": {"truncated": true}
        }))
        .unwrap();
        assert_eq!(whole.reward, Some(Reward::Int(3)));
        assert_eq!(whole.ending, Ending::Truncated);
        let spaced = r#"{ "data" : {"observation": {}, "done": true}, "type" : "observation" }"#;
        let spaced = step::<Value>(spaced).unwrap();
        assert_eq!(spaced.reward, None);
        assert_eq!(spaced.ending, Ending::Terminated);
        for (json, reward) in [
            (json!(true), Reward::Bool(true)),
            (json!(0.5), Reward::Float(0.5)),
            (json!(u64::MAX), Reward::Float(18_446_744_073_709_551_615.0)),
        ] {
            let read = read::<Value>(&json!({"observation": {}, "reward": json})).unwrap();
            assert_eq!(read.reward, Some(reward));
        }
    }

    #[test]
    fn a_type_need_not_know_what_the_server_adds() {
        let data = json!({"observation": {"x": 1, "metadata": {}}});
        assert_eq!(read::<Strict>(&data).unwrap().observation, Strict { x: 1 });
        let data = json!({"observation": {"metadata": {}}});
        read::<()>(&data).unwrap();
        let text = r#"{"type":"state","data":{"episode_id":"e","step_count":2}}"#;
        let read = state::<()>(text).unwrap();
        assert_eq!(
            (read.episode_id.as_deref(), read.step_count),
            (Some("e"), 2)
        );
    }

    #[test]
    fn an_observation_that_does_not_fit_says_where() {
        let data = json!({"observation": {"x": "one", "metadata": {}}});
        let error = read::<Strict>(&data).unwrap_err();
        assert_eq!(error.code(), "INVALID_ANSWER");
        let text = error.to_string();
        assert!(
            text.contains("observation.x: invalid type: string"),
            "{text}"
        );
    }

    #[test]
    fn errors_keep_code_message_and_details() {
        let answer = |data: Value| {
            step::<Value>(&json!({"type": "error", "data": data}).to_string()).unwrap_err()
        };
        let full = answer(json!({
            "message": "Server at capacity", "code": "CAPACITY_REACHED",
            "active_sessions": 1, "max_sessions": 1
        }));
        assert!(full.is_capacity());
        let invalid = answer(json!({
            "message": "Invalid message", "code": "VALIDATION_ERROR",
            "errors": [{"type": "missing", "loc": ["a", 0], "msg": "Field required", "input": {}}, 7]
        }));
        assert!(invalid.is_validation());
        assert_eq!(invalid.violations()[0].to_string(), "a.0: Field required");
        let unknown = answer(json!({"message": "no", "code": "NEW_CODE"}));
        assert_eq!((unknown.code(), &*unknown.to_string()), ("NEW_CODE", "no"));
        let odd = answer(json!("what"));
        assert_eq!(odd.to_string(), "\"what\"");
    }

    #[test]
    fn what_is_no_answer_is_shown() {
        let error = step::<Value>("<html>").unwrap_err().to_string();
        assert!(error.contains("<html>"), "{error}");
        let error = step::<Value>(r#"{"type":"state","data":{}}"#).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the server answered with `state` instead of `observation`"
        );
    }
}
