//! An echo that can do everything an environment should and should not do.

use std::path::Path;
use std::time::Duration;

use openenv::{
    Environment, Error, Metadata, ResetOptions, Result, Reward, Seed, Step, StepOptions,
};
use schemars::JsonSchema;
use serde::ser::Error as _;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::{Map, Value, json};

#[derive(Debug, Default)]
pub(crate) struct EchoEnv {
    state: EchoState,
}

#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct EchoAction {
    /// Text to echo
    #[schemars(length(min = 1, max = 100_000))]
    message: String,
    /// Reward multiplier
    #[serde(default = "one")]
    #[schemars(range(min = 0, max = 10))]
    amount: i64,
    #[serde(default)]
    mode: EchoMode,
}

fn one() -> i64 {
    1
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum EchoMode {
    #[default]
    Plain,
    Upper,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[schemars(default)]
pub(crate) struct EchoObservation {
    /// Echoed text
    echoed: String,
    length: i64,
    #[schemars(with = "Value")]
    payload: Payload,
}

/// Any JSON, or something that fails to become JSON.
#[derive(Debug)]
enum Payload {
    Json(Value),
    Unserializable(&'static str),
}

impl Default for Payload {
    fn default() -> Self {
        Self::Json(Value::Null)
    }
}

impl Serialize for Payload {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Json(json) => json.serialize(serializer),
            Self::Unserializable(text) => Err(S::Error::custom(text)),
        }
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[schemars(default)]
pub(crate) struct EchoResetObservation {
    greeting: &'static str,
    #[schemars(with = "Option<i64>")]
    seed: Option<Seed>,
    // Always sent, but without a default in the schema.
    #[schemars(skip_serializing_if = "Map::is_empty")]
    extra: Map<String, Value>,
}

impl Default for EchoResetObservation {
    fn default() -> Self {
        Self {
            greeting: "ready",
            seed: None,
            extra: Map::new(),
        }
    }
}

// Declares the base fields because it sets them itself.
#[derive(Debug, Default, Clone, Serialize, JsonSchema)]
#[schemars(default)]
pub(crate) struct EchoState {
    /// Unique identifier for the current episode
    episode_id: Option<String>,
    /// Number of steps taken in the current episode
    step_count: u64,
    last_message: Option<String>,
    total_reward: f64,
}

impl EchoEnv {
    /// Fails or sleeps if the file says so.
    pub(crate) fn flagged(flag: &Path) -> Result<Self> {
        if let Ok(order) = std::fs::read_to_string(flag) {
            let Some(seconds) = order.strip_prefix("sleep:") else {
                return Err(Error::new(format!("factory said: {order}")));
            };
            std::thread::sleep(seconds_of(seconds)?);
        }
        Ok(Self::default())
    }
}

impl Environment for EchoEnv {
    type Action = EchoAction;
    type Observation = EchoObservation;
    type ResetObservation = EchoResetObservation;
    type State = EchoState;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<EchoResetObservation>> {
        if options.extra.get("explode") == Some(&json!(true)) {
            return Err("reset exploded".into());
        }
        let episode_id = options.episode_id.filter(|id| !id.is_empty());
        self.state = EchoState {
            episode_id: Some(episode_id.unwrap_or_else(|| "ep-default".to_owned())),
            ..EchoState::default()
        };
        Ok(Step::new(EchoResetObservation {
            seed: options.seed,
            extra: options.extra,
            ..EchoResetObservation::default()
        }))
    }

    async fn step(&mut self, action: EchoAction, _: StepOptions) -> Result<Step<EchoObservation>> {
        let message = action.message;
        self.state.step_count += 1;
        self.state.last_message = Some(message.chars().take(200).collect());

        let length = i64::try_from(message.chars().count()).expect("a short message");
        #[expect(clippy::cast_precision_loss, reason = "at most 10 times 100 000")]
        let mut reward = Some(Reward::Float((action.amount * length) as f64));
        let mut payload = Payload::default();
        let mut metadata = Map::new();
        match message.split_once(':').unwrap_or((&message, "")) {
            ("raise", _) => return Err("boom from env".into()),
            ("raise-empty", _) => return Err("".into()),
            ("valerr", _) => {
                serde_json::from_value::<i64>(json!("not a number"))?;
            }
            ("sleep", seconds) => tokio::time::sleep(seconds_of(seconds)?).await,
            ("done", _) => reward = Some(Reward::Float(1.0)),
            ("reward", kind) => reward = reward_of(kind)?,
            ("meta", _) => {
                metadata.insert("k".to_owned(), json!(1));
                metadata.insert("nested".to_owned(), json!({ "a": [1, 2] }));
            }
            ("big", length) => {
                let length: usize = length.parse().map_err(Error::from_source)?;
                return Ok(Step::new(EchoObservation {
                    echoed: "x".repeat(length),
                    length: i64::try_from(length).map_err(Error::from_source)?,
                    payload,
                })
                .reward(0.0));
            }
            ("types", _) => {
                payload = Payload::Json(json!({
                    "f": 1.0, "i": 1, "b": true, "n": null, "u": "é☃😀", "l": [1, "a", null],
                    "t": [1, 2], "model": { "n": 1 },
                }));
            }
            ("bytes", _) => {
                payload =
                    Payload::Json(json!({ "b": "\0abc", "d": "2026-01-02T03:04:05", "s": [1] }));
            }
            ("badbytes", _) => {
                payload = Payload::Unserializable(
                    "Error serializing to JSON: invalid utf-8 sequence of 1 bytes from index 0",
                );
            }
            ("obj", _) => {
                payload =
                    Payload::Unserializable("Unable to serialize unknown type: <class 'object'>");
            }
            ("nanpayload", _) => payload = Payload::Json(json!({ "x": f64::NAN })),
            _ => {}
        }
        if let Some(reward) = reward.map(Reward::as_f64)
            && reward.abs() < 1e308
        {
            self.state.total_reward += reward;
        }
        let done = message == "done";
        let echoed = match action.mode {
            EchoMode::Plain => message,
            EchoMode::Upper => message.to_uppercase(),
        };
        let mut step = Step::new(EchoObservation {
            echoed,
            length,
            payload,
        })
        .done(done);
        step.reward = reward;
        step.metadata = metadata;
        Ok(step)
    }

    fn state(&self) -> EchoState {
        self.state.clone()
    }

    fn metadata() -> Metadata {
        Metadata::new("EchoEnv", "probe echo")
            .version("2.0.0")
            .author("wire")
    }
}

fn seconds_of(text: &str) -> Result<Duration> {
    let seconds = text.parse().map_err(Error::from_source)?;
    Duration::try_from_secs_f64(seconds).map_err(Error::from_source)
}

fn reward_of(kind: &str) -> Result<Option<Reward>> {
    Ok(Some(match kind {
        "none" => return Ok(None),
        "int" => Reward::Int(3),
        "float" => Reward::Float(2.5),
        "bool" => Reward::Bool(true),
        "nan" => Reward::Float(f64::NAN),
        "inf" => Reward::Float(f64::INFINITY),
        "big" => Reward::Float(1e300),
        "neg" => Reward::Int(-1),
        "intfloat" => Reward::Float(4.0),
        other => return Err(format!("'{other}'").into()),
    }))
}

#[cfg(test)]
mod tests {
    use schemars::schema_for;

    use super::*;
    use crate::golden::{Answer, Body, Frame, rows};

    /// Without a server: what the environment itself answers to the recorded actions.
    #[tokio::test]
    async fn steps_as_recorded() {
        let mut steps = 0;
        for row in rows("echo-sim") {
            let (Some(Frame::Text(text)), Answer::Frame(Body::Json(reply))) =
                (&row.request.send, row.answer(""))
            else {
                continue;
            };
            let Ok(mut request) = serde_json::from_str::<Value>(text) else {
                continue;
            };
            if request["type"] != "step" || reply["type"] != "observation" {
                continue;
            }
            // Text for a number is the server's to convert.
            if request["data"]["amount"].is_string() {
                request["data"]["amount"] = json!(2);
            }
            let action = serde_json::from_value(request["data"].take()).unwrap();
            let step = EchoEnv::default()
                .step(action, StepOptions::default())
                .await
                .unwrap();
            let mut observation = serde_json::to_value(&step.observation).unwrap();
            observation["metadata"] = json!(step.metadata);
            let reward = serde_json::to_value(step.reward).unwrap();
            assert_eq!(observation, reply["data"]["observation"], "{}", row.name);
            assert_eq!(reward, reply["data"]["reward"], "{}", row.name);
            assert_eq!(step.is_done(), reply["data"]["done"], "{}", row.name);
            steps += 1;
        }
        assert!(steps > 20, "only {steps} steps were compared");
    }

    /// Fields, defaults and limits; titles and base fields are the server's to add.
    #[test]
    fn schemas_as_recorded() {
        let row = rows("echo-sim")
            .into_iter()
            .find(|row| row.name == "route GET /schema")
            .expect("the schemas were recorded");
        let mut answer = row.answer("");
        let recorded = answer.json_mut().expect("JSON");
        let schemas = [
            ("action", schema_for!(EchoAction)),
            ("observation", schema_for!(EchoObservation)),
            ("reset_observation", schema_for!(EchoResetObservation)),
            ("state", schema_for!(EchoState)),
        ];
        for (kind, schema) in schemas {
            let schema = schema.to_value();
            let recorded = &recorded[kind];
            for key in ["title", "description", "required"] {
                assert_eq!(schema.get(key), recorded.get(key), "{kind}.{key}");
            }
            for (name, property) in schema["properties"].as_object().unwrap() {
                let recorded = &recorded["properties"][name];
                for key in [
                    "default",
                    "description",
                    "enum",
                    "maxLength",
                    "maximum",
                    "minLength",
                    "minimum",
                ] {
                    assert_eq!(property.get(key), recorded.get(key), "{kind}.{name}.{key}");
                }
            }
        }
    }
}
