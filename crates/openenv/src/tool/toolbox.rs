//! The tools of one environment, checked and ready to be called.

use std::any::TypeId;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::compiled::{Function, Listing};
use super::{CallTool, ListToolsAction, NoAction, Progress, Tool, ToolFailure, ToolOutput, Tools};
use crate::contract::{Base, Shape};
use crate::env::erased::BoxFuture;
use crate::env::{Environment, Mode};
use crate::error::{Error, Kind, Result};
use crate::json::Input;

/// Names that mean something else wherever tools are called.
const RESERVED: [&str; 4] = ["close", "reset", "state", "step"];

/// How long a call that is a step may take, if nobody says otherwise.
const STEP_TIMEOUT: Duration = Duration::from_secs(30);

static CALL: LazyLock<Shape<CallTool>> = LazyLock::new(|| Shape::fixed(Base::Action));
static LIST: LazyLock<Shape<ListToolsAction>> = LazyLock::new(|| Shape::fixed(Base::Action));

/// What is known of an environment's tools without the environment.
#[derive(Debug)]
pub(crate) struct Catalogue {
    listings: Vec<Listing>,
    steps: Steps,
    /// Whether no call depends on an earlier one.
    #[cfg_attr(
        not(feature = "mcp"),
        expect(dead_code, reason = "only MCP has versions without sessions")
    )]
    stateless: bool,
}

/// What becomes of an action where there are tools.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Steps {
    /// The calls of tools are told from the environment's own actions.
    Beside,
    /// There are no other actions than the calls of tools.
    Only,
    /// All of them go to the environment. Its tools are its own business, and
    /// need not be the same in each session.
    Environment,
}

/// An action, as far as the tools are concerned.
#[derive(Debug)]
pub(crate) enum Action<'a> {
    /// One of the environment's own.
    Own(Input<'a>),
    /// `list_tools`.
    List,
    /// `call_tool`.
    Call {
        name: String,
        arguments: Box<RawValue>,
    },
}

impl Catalogue {
    /// The tools of an environment that takes their calls as its own actions.
    #[cfg(all(unix, feature = "python"))]
    pub(crate) fn told(listings: Vec<Listing>) -> Self {
        Self {
            listings,
            steps: Steps::Environment,
            stateless: false,
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.listings.is_empty()
    }

    #[cfg(feature = "mcp")]
    pub(crate) fn are_stateless(&self) -> bool {
        self.stateless
    }

    #[cfg(all(unix, feature = "python"))]
    pub(crate) fn infos(&self) -> impl Iterator<Item = super::ToolInfo> {
        self.listings.iter().map(|tool| super::ToolInfo {
            name: tool.name.clone(),
            title: tool.title.clone(),
            description: tool.description.clone(),
            input_schema: tool.input_schema.clone(),
            output_schema: tool.output_schema.clone(),
        })
    }

    /// Whether a session may have other tools than those listed here.
    pub(crate) fn vary(&self) -> bool {
        self.steps == Steps::Environment
    }

    /// The tools that callers see in `mode`.
    pub(crate) fn visible(&self, mode: Mode) -> impl Iterator<Item = &Listing> {
        self.listings.iter().filter(move |tool| tool.is_in(mode))
    }

    /// Looks a tool up by its name.
    pub(crate) fn find(&self, name: &str, mode: Mode) -> Result<(usize, &Listing)> {
        let mut elsewhere = false;
        for (position, tool) in self.listings.iter().enumerate() {
            if tool.name == name {
                if tool.is_in(mode) {
                    return Ok((position, tool));
                }
                elsewhere = true;
            }
        }
        let message = if elsewhere {
            format!("Tool '{name}' not available in {mode} mode")
        } else {
            format!("Unknown tool: '{name}'")
        };
        Err(Error::of(Kind::Tool(ToolFailure::NotFound), message))
    }

    /// Looks a tool up that is about to be called: `None` is one that only the
    /// environment may know.
    pub(crate) fn look_up(&self, name: &str, mode: Mode) -> Result<Option<&Listing>> {
        match self.find(name, mode) {
            Err(_) if self.steps == Steps::Environment => Ok(None),
            found => found.map(|(_, listing)| Some(listing)),
        }
    }

    /// How long a call may take that is a step, given what its caller asks for.
    pub(crate) fn step_timeout(&self, name: &str, mode: Mode, asked: Option<Duration>) -> Duration {
        let own = self
            .find(name, mode)
            .ok()
            .and_then(|(_, tool)| tool.timeout);
        match (own, asked) {
            (Some(own), Some(asked)) => own.min(asked),
            (own, asked) => own.or(asked).unwrap_or(STEP_TIMEOUT),
        }
    }

    /// Tells the calls of tools from the environment's own actions.
    pub(crate) fn action<'a>(&self, action: Input<'a>) -> Result<Action<'a>> {
        if self.is_empty() || self.steps == Steps::Environment {
            return Ok(Action::Own(action));
        }
        match kind(&action).as_deref() {
            Some("list_tools") => {
                LIST.parse(&action).map_err(Error::validation)?;
                Ok(Action::List)
            }
            Some("call_tool") => call(&action),
            _ if self.steps == Steps::Only => call(&action),
            _ => Ok(Action::Own(action)),
        }
    }
}

fn call(action: &Input<'_>) -> Result<Action<'static>> {
    let CallTool {
        tool_name: name,
        arguments,
        ..
    } = CALL.parse(action).map_err(Error::validation)?;
    Ok(Action::Call { name, arguments })
}

/// The `type` of an action, if it has one that is a text.
fn kind<'a>(action: &'a Input<'_>) -> Option<std::borrow::Cow<'a, str>> {
    #[derive(Deserialize)]
    struct Tag<'a> {
        #[serde(borrow, default)]
        r#type: Option<std::borrow::Cow<'a, str>>,
    }
    match action {
        Input::Raw(text) => serde_json::from_str::<Tag<'a>>(text).ok()?.r#type,
        Input::Lenient(document) => document.value.get("type")?.as_str().map(Into::into),
    }
}

/// The tools of one type of environment, with the functions behind them.
pub(crate) struct Toolbox<E> {
    pub(crate) catalogue: Arc<Catalogue>,
    functions: Vec<Box<dyn Function<E>>>,
}

impl<E: Environment> Toolbox<E> {
    /// # Errors
    /// If a name is taken, stands twice or does not fit, or a type cannot be published.
    pub(crate) fn new(tools: Tools<E>, own_action: &Value) -> Result<Self> {
        check_names(&tools.tools)?;
        let mut listings = Vec::with_capacity(tools.tools.len());
        let mut functions = Vec::with_capacity(tools.tools.len());
        for tool in tools.tools {
            let signature = tool
                .draft
                .compile()
                .map_err(|error| Error::configuration(format!("tool `{}`: {error}", tool.name)))?;
            listings.push(Listing {
                name: tool.name,
                title: tool.title,
                description: tool.description,
                input_schema: signature.input_schema,
                output_schema: signature.output_schema,
                annotations: annotations(tool.read_only, tool.idempotent),
                meta: Value::Null,
                mode: tool.mode,
                timeout: tool.timeout,
            });
            functions.push(signature.function);
        }
        let only_tools = TypeId::of::<E::Action>() == TypeId::of::<NoAction>();
        if only_tools && listings.is_empty() {
            return Err(Error::configuration(
                "an environment with `NoAction` needs tools: there is nothing else to do in it",
            ));
        }
        if !only_tools && !listings.is_empty() && is_shadowed(own_action) {
            return Err(Error::configuration(
                "an action whose `type` is `call_tool` or `list_tools` would never arrive: \
                 with tools, these are the calls of tools",
            ));
        }
        Ok(Self {
            catalogue: Arc::new(Catalogue {
                listings,
                steps: if only_tools {
                    Steps::Only
                } else {
                    Steps::Beside
                },
                stateless: tools.stateless,
            }),
            functions,
        })
    }

    pub(crate) fn call<'a>(
        &'a self,
        environment: &'a mut E,
        mode: Mode,
        name: &'a str,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        match self.catalogue.find(name, mode) {
            Ok((position, _)) => {
                self.functions[position].call(name, environment, arguments, progress)
            }
            Err(error) => Box::pin(std::future::ready(Err(error))),
        }
    }
}

/// The hints of MCP, as far as a tool gives any.
fn annotations(read_only: bool, idempotent: bool) -> Value {
    let hints: Map<String, Value> = [("readOnlyHint", read_only), ("idempotentHint", idempotent)]
        .into_iter()
        .filter(|(_, given)| *given)
        .map(|(name, given)| (name.to_owned(), given.into()))
        .collect();
    if hints.is_empty() {
        Value::Null
    } else {
        Value::Object(hints)
    }
}

/// Whether an environment's own action bears the `type` of a tool call.
fn is_shadowed(action: &Value) -> bool {
    let variants = ["oneOf", "anyOf"]
        .into_iter()
        .filter_map(|keyword| action.get(keyword)?.as_array())
        .flatten();
    variants.chain([action]).any(|variant| {
        let kind = &variant["properties"]["type"];
        let mut taken = ["call_tool", "list_tools"].into_iter();
        taken.any(|taken| kind["const"] == taken || kind["enum"] == serde_json::json!([taken]))
    })
}

fn check_names<E>(tools: &[Tool<E>]) -> Result<()> {
    let python_list = |names: &[&str]| {
        crate::json::python_repr(&names.iter().map(|name| Value::from(*name)).collect())
    };
    let mut taken: Vec<&str> = tools
        .iter()
        .map(|tool| tool.name.as_str())
        .filter(|name| RESERVED.contains(name))
        .collect();
    taken.sort_unstable();
    taken.dedup();
    if !taken.is_empty() {
        return Err(Error::configuration(format!(
            "MCP tools cannot use reserved names: {}. Reserved names are: {}",
            python_list(&taken),
            python_list(&RESERVED),
        )));
    }
    for (position, tool) in tools.iter().enumerate() {
        let name = &tool.name;
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || name.len() > 128 || !name.chars().all(fits) {
            return Err(Error::configuration(format!(
                "tool name `{name}` does not fit: use up to 128 letters, digits, `-`, `_` and `.`"
            )));
        }
        let twice = tools[..position].iter().any(|other| {
            let meet = match (other.mode, tool.mode) {
                (Some(other), Some(own)) => other == own,
                _ => true,
            };
            other.name == *name && meet
        });
        if twice {
            return Err(Error::configuration(format!(
                "tool name `{name}` stands twice: name the tools apart or give them different modes"
            )));
        }
    }
    Ok(())
}
