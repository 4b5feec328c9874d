//! Fields that the framework adds to the types of authors.

use serde_json::{Map, Value, json};

/// Fields that the framework adds to an author's type, and whether it may have others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Base {
    /// `metadata`; nothing else.
    Action,
    /// `done`, `reward` and `metadata`; nothing else.
    Observation,
    /// `episode_id` and `step_count`; anything else as well.
    State,
    /// Nothing added; nothing else.
    Closed,
    /// Nothing added; anything else as well.
    Open,
}

impl Base {
    /// Title of a type without fields of its own.
    pub(super) fn title(self) -> &'static str {
        match self {
            Self::Action => "Action",
            Self::Observation => "Observation",
            Self::State => "State",
            Self::Closed | Self::Open => "Empty",
        }
    }

    /// Whether fields that nobody declared are welcome.
    pub(super) fn is_open(self) -> bool {
        matches!(self, Self::State | Self::Open)
    }

    /// Whether values of the type are sent rather than received.
    pub(super) fn is_output(self) -> bool {
        matches!(self, Self::Observation | Self::State)
    }

    /// The added properties, in the order in which they are published.
    pub(super) fn properties(self) -> Map<String, Value> {
        let metadata = |whose: &str| {
            json!({
                "additionalProperties": true,
                "description": format!("Additional metadata for the {whose}"),
                "title": "Metadata",
                "type": "object",
            })
        };
        let properties = match self {
            Self::Action => json!({ "metadata": metadata("action") }),
            Self::Observation => json!({
                "done": {
                    "default": false,
                    "description": "Whether the episode has terminated",
                    "title": "Done",
                    "type": "boolean",
                },
                "reward": {
                    "anyOf": [
                        {"type": "boolean"}, {"type": "integer"}, {"type": "number"}, {"type": "null"},
                    ],
                    "default": null,
                    "description": "Reward signal from the last action",
                    "title": "Reward",
                },
                "metadata": metadata("observation"),
            }),
            Self::State => json!({
                "episode_id": {
                    "anyOf": [{"type": "string"}, {"type": "null"}],
                    "default": null,
                    "description": "Unique identifier for the current episode",
                    "title": "Episode Id",
                },
                "step_count": {
                    "default": 0,
                    "description": "Number of steps taken in the current episode",
                    "minimum": 0,
                    "title": "Step Count",
                    "type": "integer",
                },
            }),
            Self::Closed | Self::Open => json!({}),
        };
        match properties {
            Value::Object(properties) => properties,
            _ => Map::new(),
        }
    }
}
