//! The light stand-in of `openenv`, compared with the package that it stands in for.

use std::process::Command;

use anyhow::Result;

use super::{cargo::check, suite::Outcome};
use crate::venv::{REFERENCE, STANDIN, Setup};

pub(super) fn run() -> Result<Outcome> {
    let (standin, reference) = match (STANDIN.set_up()?, REFERENCE.set_up()?) {
        (Setup::Ready(standin), Setup::Ready(reference)) => (standin, reference),
        (Setup::Unavailable(reason), _) | (_, Setup::Unavailable(reason)) => {
            return Ok(Outcome::Skipped(reason));
        }
    };
    let mut unittest = Command::new(standin.program("python"));
    unittest
        .current_dir(STANDIN.tests())
        .args(["-m", "unittest"])
        .env("OPENENV_REAL_PYTHON", reference.program("python"));
    check(&mut unittest)
}
