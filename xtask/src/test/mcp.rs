//! The pytest suite with one major of the SDK of the Model Context Protocol.

use anyhow::Result;

use super::{
    python,
    suite::{Context, Outcome},
};
use crate::venv::Generation;

pub(super) fn run(sdk: &Generation, context: &Context) -> Result<Outcome> {
    if context.against_reference() {
        return Ok(Outcome::Skipped(REFERENCE_IS_NO_MCP_SERVER.into()));
    }
    python::run(sdk, context)
}

pub(super) const REFERENCE_IS_NO_MCP_SERVER: &str =
    "the reference does not know `initialize`, so no MCP client gets to its tools";
