//! An environment that is ready to be served, with what is said of it.

use std::fmt;
use std::net::SocketAddr;

use openenv::{Environment, ServerBuilder};
use openenv_schema::ActionSchema;
use serde_json::Value;

const IN_JSON: [&str; 3] = ["null", "true", "false"];
const IN_PYTHON: [&str; 3] = ["None", "True", "False"];

/// An environment that is ready to be served.
pub struct Service {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) version: Option<String>,
    pub(crate) has_tools: bool,
    pub(crate) example: Option<Example>,
    facts: Box<dyn Fn(usize) -> Vec<Fact> + Send>,
    add: Box<dyn FnOnce(ServerBuilder, SocketAddr) -> ServerBuilder + Send>,
}

/// An action to try, as two languages write it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Example {
    pub(crate) json: String,
    pub(crate) python: String,
}

/// A line that the banner has about an environment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact {
    /// What it is about, in a word.
    pub label: &'static str,
    /// What there is to know.
    pub fact: String,
    /// What to make of it.
    pub remark: String,
}

impl Service {
    /// An environment in Rust, made anew for every session by `factory`.
    pub fn native<E: Environment>(
        name: impl Into<String>,
        factory: impl Fn() -> E + Send + Sync + 'static,
    ) -> Self {
        let name = name.into();
        let metadata = E::metadata();
        let added = name.clone();
        let mut service = Self::new(name, move |builder, _| builder.environment(added, factory))
            .description(metadata.description)
            .tools(!E::tools().is_empty());
        service.version = metadata.version;
        let schema = ActionSchema::new(schemars::schema_for!(E::Action).to_value());
        match Example::simplest(&schema) {
            Some(example) => service.example(example),
            None => service,
        }
    }

    /// Anything that `add` adds to a server that listens at the address.
    pub fn new(
        name: impl Into<String>,
        add: impl FnOnce(ServerBuilder, SocketAddr) -> ServerBuilder + Send + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            description: String::new(),
            version: None,
            has_tools: false,
            example: None,
            facts: Box::new(|_| Vec::new()),
            add: Box::new(add),
        }
    }

    /// What it is, in a line. Default: nothing is said.
    #[must_use]
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.description = description.into();
        self
    }

    /// Whether agents can call tools. Default: no.
    #[must_use]
    pub fn tools(mut self, has_tools: bool) -> Self {
        self.has_tools = has_tools;
        self
    }

    /// An action to try. Default: none is shown.
    #[must_use]
    pub fn example(mut self, example: Example) -> Self {
        self.example = Some(example);
        self
    }

    /// What else to say, once it is known how many sessions there can be.
    #[must_use]
    pub fn facts(mut self, facts: impl Fn(usize) -> Vec<Fact> + Send + 'static) -> Self {
        self.facts = Box::new(facts);
        self
    }

    /// What it is called in URLs.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Adds it to a server that listens at the address; gives what is said of it.
    pub(crate) fn add_to(
        self,
        builder: ServerBuilder,
        address: SocketAddr,
    ) -> (ServerBuilder, Served) {
        let builder = (self.add)(builder, address);
        let served = Served {
            name: self.name,
            description: self.description,
            has_tools: self.has_tools,
            example: self.example,
            sessions: 0,
            facts: self.facts,
        };
        (builder, served)
    }
}

impl fmt::Debug for Service {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Service")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What the banner says of an environment.
pub(crate) struct Served {
    pub(crate) name: String,
    pub(crate) description: String,
    pub(crate) has_tools: bool,
    pub(crate) example: Option<Example>,
    /// Most sessions at the same time.
    pub(crate) sessions: usize,
    facts: Box<dyn Fn(usize) -> Vec<Fact> + Send>,
}

impl Served {
    pub(crate) fn facts(&self) -> Vec<Fact> {
        (self.facts)(self.sessions)
    }
}

impl Example {
    /// From JSON that is written as people write it.
    pub fn new(action: &Value) -> Self {
        Self {
            json: written(action, IN_JSON),
            python: written(action, IN_PYTHON),
        }
    }

    /// The simplest that a schema allows, if it can be made up; calls of tools are shown elsewhere.
    pub fn simplest(schema: &ActionSchema) -> Option<Self> {
        let action = openenv_schema::simplest(schema).ok()?;
        action.is_object().then(|| Self::new(&action))
    }
}

/// A value with the words of a language for nothing, true and false.
fn written(value: &Value, words: [&str; 3]) -> String {
    let [nothing, yes, no] = words;
    match value {
        Value::Null => nothing.to_owned(),
        Value::Bool(true) => yes.to_owned(),
        Value::Bool(false) => no.to_owned(),
        Value::Number(_) | Value::String(_) => value.to_string(),
        Value::Array(items) => {
            let items = items.iter().map(|item| written(item, words));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| {
                format!("{}: {}", Value::from(&**name), written(value, words))
            };
            let fields = fields.iter().map(field);
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_written_as_python_writes_them() {
        let value = json!({ "a": [true, null, 1.5], "b": { "c": "\"ü" } });
        let example = Example::new(&value);
        assert_eq!(
            example.python,
            r#"{"a": [True, None, 1.5], "b": {"c": "\"ü"}}"#
        );
        assert_eq!(
            example.json,
            r#"{"a": [true, null, 1.5], "b": {"c": "\"ü"}}"#
        );
    }
}
