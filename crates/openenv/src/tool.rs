//! Tools: what agents call by name.

use std::fmt;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;

use crate::env::Mode;

mod action;
mod call;
mod call_tool;
#[cfg(feature = "server")]
pub(crate) mod compiled;
mod handler;
mod info;
mod output;
mod progress;
mod received;
#[cfg(feature = "server")]
pub(crate) mod toolbox;

#[cfg(feature = "server")]
pub(crate) use action::ListToolsAction;
pub use action::{NoAction, ToolError, ToolFailure, ToolObservation};
pub use call::ToolCall;
pub use call_tool::CallTool;
pub use handler::ToolHandler;
pub use info::ToolInfo;
pub(crate) use output::Structured;
pub use output::{Content, ToolOutput, ToolReturn};
pub use progress::{Progress, ProgressUpdate};

/// The tools of an environment, in the order in which they are listed.
///
/// ```
/// use openenv::{Mode, Result, Tool, Tools};
/// use schemars::JsonSchema;
/// use serde::Deserialize;
///
/// #[derive(Default)]
/// struct Notes {
///     lines: Vec<String>,
/// }
///
/// #[derive(Deserialize, JsonSchema)]
/// struct Note {
///     /// What to remember
///     text: String,
/// }
///
/// impl Notes {
///     fn write(&mut self, note: Note) -> Result<usize> {
///         self.lines.push(note.text);
///         Ok(self.lines.len())
///     }
/// }
///
/// let tools = Tools::new()
///     .add(Tool::new("write", "Writes a note down", Notes::write))
///     .add(Tool::new("read", "Reads all notes", |notes: &mut Notes, (): ()| {
///         Ok(notes.lines.clone())
///     }))
///     .add(
///         Tool::new("forget", "Forgets everything", |notes: &mut Notes, (): ()| {
///             notes.lines.clear();
///             Ok(())
///         })
///         .only(Mode::Simulation),
///     );
/// # let _: Tools<Notes> = tools;
/// ```
#[must_use = "tools do nothing until an environment returns them"]
pub struct Tools<E> {
    tools: Vec<Tool<E>>,
    stateless: bool,
}

impl<E> Tools<E> {
    /// No tools.
    pub fn new() -> Self {
        Self {
            tools: Vec::new(),
            stateless: false,
        }
    }

    /// Adds a tool.
    ///
    /// The same name may stand twice if the tools are for different modes.
    #[expect(
        clippy::should_implement_trait,
        reason = "a list of tools is no number: nobody takes it for `+`"
    )]
    pub fn add(mut self, tool: Tool<E>) -> Self {
        self.tools.push(tool);
        self
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.tools.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.tools.is_empty()
    }

    /// Says that the tools need no session: no call depends on an earlier one.
    ///
    /// MCP clients that can choose then do without a session, and hold no slot.
    pub fn stateless(mut self) -> Self {
        self.stateless = true;
        self
    }
}

impl<E> Default for Tools<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E> fmt::Debug for Tools<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.tools).finish()
    }
}

/// One tool: a name, what it is for, and the function behind it.
///
/// The function, `async` or not, takes the session's environment and one argument, which must
/// deserialise from a JSON object: its fields are the arguments of the tool,
/// described and enforced as an [`Action`](crate::Environment::Action) is. What
/// it returns is any type with a JSON Schema, or a [`ToolOutput`] for images and
/// sound. A third parameter of type [`Progress`] lets it tell how far it is.
#[must_use = "a tool does nothing until it is added to `Tools`"]
pub struct Tool<E> {
    name: String,
    title: Option<String>,
    description: String,
    mode: Option<Mode>,
    timeout: Option<Duration>,
    read_only: bool,
    idempotent: bool,
    #[cfg(feature = "server")]
    draft: Box<dyn compiled::Draft<E>>,
    #[cfg(not(feature = "server"))]
    environment: std::marker::PhantomData<fn(E)>,
}

impl<E: Send + 'static> Tool<E> {
    /// A tool for both modes.
    ///
    /// `name` is made of letters, digits, `_`, `-` and `.`; `close`, `reset`,
    /// `state` and `step` are taken. Agents choose by the description: say what
    /// the tool does and when it is of use.
    pub fn new<A, R, M, H>(
        name: impl Into<String>,
        description: impl Into<String>,
        handler: H,
    ) -> Self
    where
        A: DeserializeOwned + JsonSchema + Send + 'static,
        R: ToolReturn,
        M: 'static,
        H: for<'a> ToolHandler<'a, E, A, R, M>,
    {
        #[cfg(not(feature = "server"))]
        drop(handler);
        Self {
            name: name.into(),
            title: None,
            description: description.into(),
            mode: None,
            timeout: None,
            read_only: false,
            idempotent: false,
            #[cfg(feature = "server")]
            draft: compiled::draft(handler),
            #[cfg(not(feature = "server"))]
            environment: std::marker::PhantomData,
        }
    }

    /// Gives the tool a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Shows the tool in one mode and hides it in the other. Default: both.
    pub fn only(mut self, mode: Mode) -> Self {
        self.mode = Some(mode);
        self
    }

    /// Limits how long one call may take, however it is made.
    ///
    /// Default: 30 seconds for a call that is a step (whose caller may set
    /// another limit), none for a call over MCP.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Tells agents that the tool changes nothing.
    pub fn read_only(mut self) -> Self {
        self.read_only = true;
        self
    }

    /// Tells agents that calling it again with the same arguments changes nothing more.
    pub fn idempotent(mut self) -> Self {
        self.idempotent = true;
        self
    }
}

impl<E> fmt::Debug for Tool<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tool")
            .field("name", &self.name)
            .field("title", &self.title)
            .field("description", &self.description)
            .field("mode", &self.mode)
            .field("timeout", &self.timeout)
            .field("read_only", &self.read_only)
            .field("idempotent", &self.idempotent)
            .finish_non_exhaustive()
    }
}
