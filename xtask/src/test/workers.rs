//! Environments in Python, served by the library and by the command: the tests that need packages of Python.

use anyhow::Result;

use super::{
    cargo::{check, has_nextest},
    suite::Outcome,
};
use crate::{
    venv::{self, GENERATIONS, STANDIN, Setup},
    workspace::cargo,
};

pub(super) fn run() -> Result<Outcome> {
    for generation in GENERATIONS.iter().chain([&STANDIN]) {
        if let Setup::Unavailable(reason) = generation.set_up()? {
            return Ok(Outcome::Skipped(reason));
        }
    }
    let mut command = cargo();
    command.env("OPENENV_TEST_VENVS", venv::directory());
    // They are ignored, so no other suite runs them.
    if has_nextest() {
        command
            .args(["nextest", "run", "--workspace", "--all-features"])
            .args(["--test", "it", "--run-ignored", "only"])
            .args(["--filterset", "test(/^python::/)"]);
    } else {
        command
            .args(["test", "--workspace", "--all-features"])
            .args(["--test", "it", "--", "--ignored", "python::"]);
    }
    check(&mut command)
}
