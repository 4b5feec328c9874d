//! The Rust client against the reference server.

use anyhow::Result;

use super::{cargo::check, suite::Outcome};
use crate::{
    venv::{REFERENCE, Setup},
    workspace::cargo,
};

/// The tests that are left out elsewhere because they need the reference.
pub(super) fn run() -> Result<Outcome> {
    let venv = match REFERENCE.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    // As many at once as there are processors: each starts a server of its own.
    let mut command = cargo();
    command
        .args([
            "test",
            "--package",
            "openenv",
            "--all-features",
            "--test",
            "it",
        ])
        .args(["--", "--ignored", "reference::"])
        .env("OPENENV_REFERENCE_PYTHON", venv.program("python"));
    check(&mut command)
}
