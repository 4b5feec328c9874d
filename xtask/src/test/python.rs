//! The pytest suite with one generation of the reference client.

use std::process::Command;

use anyhow::Result;

use super::{
    cargo::check,
    suite::{Context, Outcome},
};
use crate::venv::{Generation, REFERENCE, Setup};

pub(super) fn run(generation: &Generation, context: &Context) -> Result<Outcome> {
    let venv = match generation.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let mut pytest = Command::new(venv.program("python"));
    pytest
        .current_dir(generation.tests())
        .args(["-m", "pytest"])
        .env("OPENENV_BIN", context.binary()?);
    if context.against_reference() {
        match REFERENCE.set_up()? {
            Setup::Ready(reference) => pytest
                .env("PATH", reference.search_path()?)
                .env("OPENENV_BIN_IS_REFERENCE", "1"),
            Setup::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
        };
    }
    check(&mut pytest)
}
