//! Functions that can stand behind a tool.

use std::future::Future;
use std::pin::Pin;

use super::Progress;
use crate::error::Result;

/// A function that can stand behind a tool.
///
/// Implemented for functions and closures `async (&mut E, A) -> Result<R>` and
/// `async (&mut E, A, Progress) -> Result<R>`; there is no need to implement it
/// for anything else. `M` only tells the two apart.
pub trait ToolHandler<'a, E: 'a, A, R, M>: Send + Sync + 'static {
    /// Calls the function.
    fn call(
        &self,
        environment: &'a mut E,
        arguments: A,
        progress: Progress,
    ) -> Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>>;
}

/// Marks functions that do not report progress.
#[derive(Debug)]
pub struct Silent;

/// Marks functions that report progress.
#[derive(Debug)]
pub struct Reporting;

impl<'a, E, A, R, F, C> ToolHandler<'a, E, A, R, Silent> for F
where
    E: 'a,
    F: Fn(&'a mut E, A) -> C + Send + Sync + 'static,
    C: Future<Output = Result<R>> + Send + 'a,
{
    fn call(
        &self,
        environment: &'a mut E,
        arguments: A,
        _: Progress,
    ) -> Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>> {
        Box::pin(self(environment, arguments))
    }
}

impl<'a, E, A, R, F, C> ToolHandler<'a, E, A, R, Reporting> for F
where
    E: 'a,
    F: Fn(&'a mut E, A, Progress) -> C + Send + Sync + 'static,
    C: Future<Output = Result<R>> + Send + 'a,
{
    fn call(
        &self,
        environment: &'a mut E,
        arguments: A,
        progress: Progress,
    ) -> Pin<Box<dyn Future<Output = Result<R>> + Send + 'a>> {
        Box::pin(self(environment, arguments, progress))
    }
}
