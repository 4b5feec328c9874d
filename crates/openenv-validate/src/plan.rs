//! `validation/runtime.json`: the episode that an author wants to be played.

use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use serde::Serialize;
use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use crate::manifest::Execution;

/// Bytes that a plan may have.
const MAX_BYTES: usize = 65_536;
/// Actions that it may have.
const MAX_ACTIONS: usize = 100;
/// How deeply it may nest.
const MAX_DEPTH: usize = 32;
/// Values that it may have, those inside of others included.
const MAX_VALUES: usize = 10_000;
/// Characters of an episode's name.
const MAX_EPISODE_ID: usize = 128;

/// An episode to be played.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "so it is called in files")]
pub(crate) struct Plan {
    plan_schema_version: &'static str,
    pub(crate) reset: PlannedReset,
    pub(crate) actions: Vec<Value>,
}

/// How it begins.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct PlannedReset {
    pub(crate) episode_id: String,
    pub(crate) seed: u64,
    pub(crate) options: Map<String, Value>,
}

impl Plan {
    /// Reads the plan of a package.
    ///
    /// # Errors
    /// With what is wrong with it.
    pub(crate) fn load(root: &Path, execution: &Execution) -> Result<Self, String> {
        let unreadable = |error: io::Error| {
            let file = &execution.probe_path;
            format!("runtime plan `{file}` could not be read: {error}")
        };
        let root = root.canonicalize().map_err(unreadable)?;
        let path = root
            .join(&execution.probe_path)
            .canonicalize()
            .map_err(unreadable)?;
        if !path.starts_with(&root) || !path.is_file() {
            return Err("runtime plan must be a regular file inside of the package".to_owned());
        }
        let mut bytes = Vec::new();
        let limit = u64::try_from(MAX_BYTES + 1).unwrap_or(u64::MAX);
        File::open(&path)
            .and_then(|file| file.take(limit).read_to_end(&mut bytes))
            .map_err(unreadable)?;
        Self::parse(&bytes)
    }

    /// Reads the text of a plan.
    ///
    /// # Errors
    /// With what is wrong with it.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > MAX_BYTES {
            return Err(format!("runtime plan exceeds {MAX_BYTES} bytes"));
        }
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let Unambiguous(plan) = serde_json::from_slice(bytes)
            .map_err(|error| format!("runtime plan is not valid JSON: {error}"))?;
        let mut budget = MAX_VALUES;
        if !is_small(&plan, 0, &mut budget) {
            return Err(format!(
                "runtime plan nests more than {MAX_DEPTH} deep or has more than {MAX_VALUES} values"
            ));
        }
        let plan = read(plan).map_err(|problems| {
            format!(
                "runtime plan does not fit its schema: {}",
                problems.join("; ")
            )
        })?;
        let written = serde_json::to_string(&plan).map_err(|error| error.to_string())?;
        if written.len() > MAX_BYTES {
            return Err(format!("runtime plan exceeds {MAX_BYTES} bytes"));
        }
        Ok(plan)
    }
}

/// Nothing is converted here: a plan says what it means.
fn read(plan: Value) -> Result<Plan, Vec<String>> {
    let Value::Object(mut plan) = plan else {
        return Err(vec!["the plan must be an object".to_owned()]);
    };
    let mut problems = Vec::new();
    match plan.remove("plan_schema_version") {
        Some(Value::String(version)) if version == "1" => {}
        Some(_) => problems.push("plan_schema_version: must be the text \"1\"".to_owned()),
        None => problems.push("plan_schema_version: is missing".to_owned()),
    }
    let reset = match plan.remove("reset") {
        Some(Value::Object(reset)) => read_reset(reset, &mut problems),
        Some(_) => {
            problems.push("reset: must be an object".to_owned());
            None
        }
        None => {
            problems.push("reset: is missing".to_owned());
            None
        }
    };
    let actions = match plan.remove("actions") {
        Some(Value::Array(actions)) => actions,
        Some(_) => {
            problems.push("actions: must be a list".to_owned());
            Vec::new()
        }
        None => {
            problems.push("actions: is missing".to_owned());
            Vec::new()
        }
    };
    if problems.is_empty() && !(1..=MAX_ACTIONS).contains(&actions.len()) {
        problems.push(format!("actions: must be 1 to {MAX_ACTIONS}"));
    }
    for (index, _) in actions
        .iter()
        .enumerate()
        .filter(|(_, action)| !action.is_object())
    {
        problems.push(format!("actions.{index}: must be an object"));
    }
    problems.extend(
        plan.keys()
            .map(|key| format!("{key}: is no part of a plan")),
    );
    match reset {
        Some(reset) if problems.is_empty() => Ok(Plan {
            plan_schema_version: "1",
            reset,
            actions,
        }),
        _ => Err(problems),
    }
}

fn read_reset(mut reset: Map<String, Value>, problems: &mut Vec<String>) -> Option<PlannedReset> {
    let before = problems.len();
    let episode_id = match reset.remove("episode_id") {
        Some(Value::String(id)) if (1..=MAX_EPISODE_ID).contains(&id.chars().count()) => id,
        _ => {
            let limit = format!("must be a text of 1 to {MAX_EPISODE_ID} characters");
            problems.push(format!("reset.episode_id: {limit}"));
            String::new()
        }
    };
    let seed = reset.remove("seed").as_ref().and_then(Value::as_u64);
    let seed = seed.filter(|seed| u32::try_from(*seed).is_ok());
    if seed.is_none() {
        let limit = u32::MAX;
        problems.push(format!("reset.seed: must be a whole number, 0 to {limit}"));
    }
    let options = match reset.remove("options") {
        None => Map::new(),
        Some(Value::Object(options)) => options,
        Some(_) => {
            problems.push("reset.options: must be an object".to_owned());
            Map::new()
        }
    };
    if options.contains_key("seed") || options.contains_key("episode_id") {
        problems.push("reset.options: cannot contain seed or episode_id".to_owned());
    }
    let unknown = reset.keys();
    problems.extend(unknown.map(|key| format!("reset.{key}: is no part of a reset")));
    let seed = seed.filter(|_| problems.len() == before)?;
    Some(PlannedReset {
        episode_id,
        seed,
        options,
    })
}

fn is_small(value: &Value, depth: usize, budget: &mut usize) -> bool {
    if *budget == 0 || depth > MAX_DEPTH {
        return false;
    }
    *budget -= 1;
    match value {
        Value::Array(items) => items.iter().all(|item| is_small(item, depth + 1, budget)),
        Value::Object(fields) => fields
            .values()
            .all(|field| is_small(field, depth + 1, budget)),
        _ => true,
    }
}

/// JSON in which no object has a key twice.
struct Unambiguous(Value);

impl<'de> Deserialize<'de> for Unambiguous {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(UnambiguousVisitor).map(Self)
    }
}

struct UnambiguousVisitor;

impl<'de> Visitor<'de> for UnambiguousVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(Unambiguous(item)) = items.next_element()? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut object = Map::new();
        while let Some(key) = entries.next_key::<String>()? {
            let Unambiguous(value) = entries.next_value()?;
            if object.contains_key(&key) {
                return Err(A::Error::custom(format_args!("`{key}` is there twice")));
            }
            object.insert(key, value);
        }
        Ok(Value::Object(object))
    }
}
