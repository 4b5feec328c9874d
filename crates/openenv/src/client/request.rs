//! What a client asks, as text.

use serde::ser::{Serialize, SerializeMap, Serializer};

use crate::env::ResetOptions;
use crate::error::{Error, Result};

pub(super) const STATE: &str = r#"{"type":"state"}"#;
pub(super) const CLOSE: &str = r#"{"type":"close"}"#;

pub(super) fn reset(options: &ResetOptions) -> Result<String> {
    write("reset", &ResetArguments(options))
}

pub(super) fn step(action: &impl Serialize) -> Result<String> {
    write("step", action)
}

/// A JSON-RPC request in a frame.
pub(super) fn mcp(request: &str) -> String {
    format!(r#"{{"type":"mcp","data":{request}}}"#)
}

fn write(kind: &str, data: &impl Serialize) -> Result<String> {
    #[derive(serde::Serialize)]
    struct Message<'a, T> {
        r#type: &'a str,
        data: &'a T,
    }
    let message = Message { r#type: kind, data };
    serde_json::to_string(&message).map_err(|error| {
        Error::invalid("data", format!("a `{kind}` that is no JSON: {error}")).because(error)
    })
}

/// The options as one object: the named ones only if they are set.
struct ResetArguments<'a>(&'a ResetOptions);

impl Serialize for ResetArguments<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let ResetOptions {
            seed,
            episode_id,
            extra,
        } = self.0;
        let mut map = serializer.serialize_map(None)?;
        if let Some(seed) = seed {
            map.serialize_entry("seed", seed)?;
        }
        if let Some(episode_id) = episode_id {
            map.serialize_entry("episode_id", episode_id)?;
        }
        for (name, value) in extra {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_are_not_set_are_not_sent() {
        let nothing = reset(&ResetOptions::default()).unwrap();
        assert_eq!(nothing, r#"{"type":"reset","data":{}}"#);
        let all = ResetOptions::default()
            .with("task", "maze")
            .with_seed(u64::MAX)
            .with_episode_id("e");
        let expected = r#"{"type":"reset","data":{"seed":18446744073709551615,"episode_id":"e","task":"maze"}}"#;
        assert_eq!(reset(&all).unwrap(), expected);
    }
}
