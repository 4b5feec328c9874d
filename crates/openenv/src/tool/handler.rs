//! Functions that can stand behind a tool.

use std::future::Future;
use std::pin::Pin;

use super::Progress;
use crate::error::Result;

/// A function that can stand behind a tool.
///
/// Implemented for functions and closures `(&mut E, A) -> Result<R>`, `async` or
/// not, with or without a [`Progress`] as the third parameter; there is no need
/// to implement it for anything else. `M` only tells the four apart.
#[diagnostic::on_unimplemented(
    message = "this function cannot stand behind a tool",
    label = "expected a function of `&mut` the environment and one argument that returns `openenv::Result`",
    note = "a tool is `fn(&mut E, A) -> openenv::Result<R>`, `async` or not, with an optional third parameter of type `openenv::Progress`; a tool without arguments takes `()`"
)]
pub trait ToolHandler<'a, E: 'a, A, R, M>: Send + Sync + 'static {
    /// Calls the function.
    fn call(&self, environment: &'a mut E, arguments: A, progress: Progress) -> Called<'a, R>;
}

/// A call under way.
type Called<'a, R> = Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>>;

/// Marks functions that answer at once.
#[derive(Debug)]
pub struct Immediate;

/// Marks functions that answer at once and report progress.
#[derive(Debug)]
pub struct ImmediateReporting;

/// Marks `async` functions.
#[derive(Debug)]
pub struct Awaited;

/// Marks `async` functions that report progress.
#[derive(Debug)]
pub struct AwaitedReporting;

impl<'a, E, A, R, F> ToolHandler<'a, E, A, R, Immediate> for F
where
    E: 'a,
    R: Send + 'a,
    F: Fn(&'a mut E, A) -> Result<R> + Send + Sync + 'static,
{
    fn call(&self, environment: &'a mut E, arguments: A, _: Progress) -> Called<'a, R> {
        Box::pin(std::future::ready(self(environment, arguments)))
    }
}

impl<'a, E, A, R, F> ToolHandler<'a, E, A, R, ImmediateReporting> for F
where
    E: 'a,
    R: Send + 'a,
    F: Fn(&'a mut E, A, Progress) -> Result<R> + Send + Sync + 'static,
{
    fn call(&self, environment: &'a mut E, arguments: A, progress: Progress) -> Called<'a, R> {
        Box::pin(std::future::ready(self(environment, arguments, progress)))
    }
}

impl<'a, E, A, R, F, C> ToolHandler<'a, E, A, R, Awaited> for F
where
    E: 'a,
    F: Fn(&'a mut E, A) -> C + Send + Sync + 'static,
    C: Future<Output = Result<R>> + Send + 'a,
{
    fn call(&self, environment: &'a mut E, arguments: A, _: Progress) -> Called<'a, R> {
        Box::pin(self(environment, arguments))
    }
}

impl<'a, E, A, R, F, C> ToolHandler<'a, E, A, R, AwaitedReporting> for F
where
    E: 'a,
    F: Fn(&'a mut E, A, Progress) -> C + Send + Sync + 'static,
    C: Future<Output = Result<R>> + Send + 'a,
{
    fn call(&self, environment: &'a mut E, arguments: A, progress: Progress) -> Called<'a, R> {
        Box::pin(self(environment, arguments, progress))
    }
}
