//! The Rust client and the commands that use it, against the reference server.

use std::process::Command;

use anyhow::Result;

use super::{
    cargo::check,
    suite::{Context, Outcome},
};
use crate::{
    server::Server,
    venv::{REFERENCE, Setup, Venv},
    workspace::{self, Profile, cargo},
};

pub(super) fn run(context: &Context) -> Result<Outcome> {
    let venv = match REFERENCE.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    match library(&venv)? {
        Outcome::Passed => commands(&venv, context),
        outcome => Ok(outcome),
    }
}

/// The tests that are left out elsewhere because they need the reference.
fn library(venv: &Venv) -> Result<Outcome> {
    let mut command = cargo();
    command
        .args(["test", "--package", "openenv", "--all-features"])
        .args(["--test", "it", "--", "--ignored", "reference::"])
        .env("OPENENV_REFERENCE_PYTHON", venv.program("python"));
    check(&mut command)
}

/// `bench` and `play` on the reference; both end with 1 if a call fails.
fn commands(venv: &Venv, context: &Context) -> Result<Outcome> {
    let binary = if context.against_reference() {
        workspace::build_binary(Profile::Dev)?
    } else {
        context.binary()?
    };
    let mut serve = Command::new(venv.program("python"));
    serve
        .arg(workspace::reference_binary())
        .args(["serve", "echo"]);
    let server = Server::start(serve, "client")?;
    for arguments in [
        &["bench", "--sessions", "8", "--duration", "2"][..],
        &["bench", "--sessions", "8", "--duration", "1", "--hold"],
        &["play", "--random", "20", "--seed", "7"],
    ] {
        let mut command = Command::new(&binary);
        command.args(arguments).arg(server.url());
        if let Outcome::Failed(reason) = check(&mut command)? {
            let command = arguments.join(" ");
            return Ok(Outcome::Failed(format!("openenv {command}: {reason}")));
        }
    }
    Ok(Outcome::Passed)
}
