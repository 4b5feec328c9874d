//! A tool without its types: what the server lists and calls.

use std::marker::PhantomData;
use std::time::Duration;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Progress, Structured, ToolHandler, ToolOutput, ToolReturn};
use crate::contract::{Base, Shape};
use crate::env::Mode;
use crate::env::erased::BoxFuture;
use crate::error::{Error, Kind, Result, Violation};
use crate::json::Input;
use crate::tool::ToolFailure;

/// What callers learn of a tool.
#[derive(Debug, Clone)]
pub(crate) struct Listing {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: String,
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    /// Hints of MCP, as `readOnlyHint`: an object, or null.
    pub(crate) annotations: Value,
    /// What only some clients make sense of: an object, or null.
    pub(crate) meta: Value,
    /// The only mode that has it, if it is not in both.
    pub(crate) mode: Option<Mode>,
    pub(crate) timeout: Option<Duration>,
}

impl Listing {
    pub(crate) fn is_in(&self, mode: Mode) -> bool {
        self.mode.is_none_or(|only| only == mode)
    }
}

/// A function whose types were not looked at yet.
pub(crate) trait Draft<E>: Send + Sync {
    fn compile(self: Box<Self>) -> Result<Signature<E>>;
}

/// What the types of a function say.
pub(crate) struct Signature<E> {
    pub(crate) input_schema: Value,
    pub(crate) output_schema: Option<Value>,
    pub(crate) function: Box<dyn Function<E>>,
}

/// A function that takes and gives JSON.
pub(crate) trait Function<E>: Send + Sync {
    fn call<'a>(
        &'a self,
        name: &'a str,
        environment: &'a mut E,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>>;
}

pub(super) fn draft<E, A, R, M, H>(handler: H) -> Box<dyn Draft<E>>
where
    E: Send + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: ToolReturn,
    M: 'static,
    H: for<'a> ToolHandler<'a, E, A, R, M>,
{
    Box::new(Untouched {
        handler,
        types: PhantomData::<fn(A, M) -> R>,
    })
}

struct Untouched<A, R, M, H> {
    handler: H,
    types: PhantomData<fn(A, M) -> R>,
}

impl<E, A, R, M, H> Draft<E> for Untouched<A, R, M, H>
where
    E: Send + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: ToolReturn,
    M: 'static,
    H: for<'a> ToolHandler<'a, E, A, R, M>,
{
    fn compile(self: Box<Self>) -> Result<Signature<E>> {
        let arguments = Shape::<A>::new(Base::Closed)?;
        let output = R::form();
        Ok(Signature {
            input_schema: arguments.untitled(),
            output_schema: output.schema,
            function: Box::new(Typed {
                handler: self.handler,
                arguments,
                structured: output.structured,
                types: self.types,
            }),
        })
    }
}

struct Typed<A, R, M, H> {
    handler: H,
    arguments: Shape<A>,
    structured: Option<Structured>,
    types: PhantomData<fn(A, M) -> R>,
}

impl<E, A, R, M, H> Function<E> for Typed<A, R, M, H>
where
    E: Send + 'static,
    A: DeserializeOwned + JsonSchema + Send + 'static,
    R: ToolReturn,
    M: 'static,
    H: for<'a> ToolHandler<'a, E, A, R, M>,
{
    fn call<'a>(
        &'a self,
        name: &'a str,
        environment: &'a mut E,
        arguments: Input<'a>,
        progress: Progress,
    ) -> BoxFuture<'a, Result<ToolOutput>> {
        // Nothing of the author's runs before the future does: who polls it
        // catches panics.
        Box::pin(async move {
            let arguments = self
                .arguments
                .parse(&arguments)
                .map_err(|violations| invalid_arguments(name, &violations))?;
            let returned = self
                .handler
                .call(environment, arguments, progress)
                .await
                .and_then(|value| value.into_output(self.structured));
            returned.map_err(|error| failed(name, error))
        })
    }
}

/// Every argument that does not fit, one in a line.
fn invalid_arguments(name: &str, violations: &[Violation]) -> Error {
    let mut message = format!(
        "{} validation error{} for call[{name}]",
        violations.len(),
        if violations.len() == 1 { "" } else { "s" },
    );
    for violation in violations {
        message.push('\n');
        message.push_str(&violation.to_string());
    }
    Error::of(Kind::Tool(ToolFailure::InvalidArguments), message)
}

/// The error of a tool under the name of the tool.
fn failed(name: &str, error: Error) -> Error {
    // A tool may find fault with its arguments that their schema cannot express.
    if error.is_validation() {
        return invalid_arguments(name, error.violations());
    }
    let message = format!("Error calling tool '{name}': {error}");
    Error::of(Kind::Tool(ToolFailure::Execution), message).because(error)
}
