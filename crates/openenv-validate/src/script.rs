//! What is played: a reset and some actions.

use openenv_schema::{ActionSchema, Sampler, simplest};
use serde_json::{Map, Value, json};

use crate::plan::Plan;
use crate::tools::Tool;

/// Steps of an episode that is made up.
const STEPS: u64 = 4;
/// Tools that a made up episode calls.
const TOOLS: usize = 2;
/// What made up episodes ask for.
const SEED: u64 = 42;
const EPISODE: &str = "openenv-validate";

/// A reset and the actions after it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Script {
    pub(crate) reset: Map<String, Value>,
    pub(crate) actions: Vec<Value>,
    pub(crate) origin: Origin,
}

/// Where the actions come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// Its author wrote them.
    Plan,
    /// Made up from the schema of the actions.
    Schema,
    /// Made up from the schemas of the tools.
    Tools,
}

impl Script {
    /// What the author planned.
    pub(crate) fn planned(plan: &Plan) -> Self {
        let mut reset = plan.reset.options.clone();
        reset.insert("seed".to_owned(), plan.reset.seed.into());
        let episode = plan.reset.episode_id.clone();
        reset.insert("episode_id".to_owned(), episode.into());
        Self {
            reset,
            actions: plan.actions.clone(),
            origin: Origin::Plan,
        }
    }

    /// Made up from what the server publishes; tools are for environments that take nothing else.
    ///
    /// # Errors
    /// With why no action could be made up.
    pub(crate) fn made_up(schema: &Value, tools: &[Tool]) -> Result<Self, String> {
        let action = ActionSchema::new(schema.clone());
        let (actions, origin) = if action.is_tool_call() {
            (tool_calls(tools)?, Origin::Tools)
        } else {
            let plain = simplest(&action).map_err(|error| error.to_string())?;
            (varied(schema, &action, &plain), Origin::Schema)
        };
        let reset = [("seed", json!(SEED)), ("episode_id", json!(EPISODE))];
        Ok(Self {
            reset: reset
                .map(|(name, value)| (name.to_owned(), value))
                .into_iter()
                .collect(),
            actions,
            origin,
        })
    }

    /// The same with another seed.
    pub(crate) fn with_next_seed(mut self) -> Self {
        let seed = self.reset.get("seed").and_then(Value::as_u64);
        let next = seed.unwrap_or(SEED).wrapping_add(1) % (u64::from(u32::MAX) + 1);
        self.reset.insert("seed".to_owned(), next.into());
        self
    }

    /// The same as an episode of another name.
    pub(crate) fn with_episode(mut self, suffix: &str) -> Self {
        let episode = format!("{}-{suffix}", self.episode_id());
        self.reset.insert("episode_id".to_owned(), episode.into());
        self
    }

    pub(crate) fn episode_id(&self) -> &str {
        let episode = self.reset.get("episode_id").and_then(Value::as_str);
        episode.unwrap_or_default()
    }
}

/// Actions that have the fields of the plainest, with various values.
///
/// Fields that may be left out are: one of them may tell the environment to wait for an hour.
fn varied(schema: &Value, action: &ActionSchema, plain: &Value) -> Vec<Value> {
    let validator = jsonschema::draft202012::options()
        .offline()
        .build(schema)
        .ok();
    let other = |seed: u64| {
        let mut drawn = Sampler::new(action, seed).action().ok()?;
        let fields = plain.as_object()?;
        drawn
            .as_object_mut()?
            .retain(|name, _| fields.contains_key(name));
        validator.as_ref()?.is_valid(&drawn).then_some(drawn)
    };
    let others = (1..STEPS).map(|seed| other(seed).unwrap_or_else(|| plain.clone()));
    std::iter::once(plain.clone()).chain(others).collect()
}

fn tool_calls(tools: &[Tool]) -> Result<Vec<Value>, String> {
    let calls = tools.iter().filter_map(|tool| {
        let arguments = simplest(&ActionSchema::new(tool.schema.clone())).ok()?;
        let name = &tool.name;
        Some(json!({ "type": "call_tool", "tool_name": name, "arguments": arguments }))
    });
    let calls: Vec<Value> = calls.take(TOOLS).collect();
    if calls.is_empty() {
        return Err("actions are calls of tools, but no tool is listed".to_owned());
    }
    Ok(calls)
}
