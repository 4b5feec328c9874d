//! The suites that are cargo commands.

use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::suite::Outcome;
use crate::workspace::cargo;

/// The features of the library that have to build without the others.
const FEATURES: [&str; 10] = [
    "server",
    "docs",
    "client",
    "blocking",
    "docker",
    "tls",
    "mcp",
    "python",
    "server,mcp",
    "client,mcp",
];

pub(super) fn format() -> Result<Outcome> {
    check(&mut with(&["fmt", "--all", "--check"]))
}

pub(super) fn clippy() -> Result<Outcome> {
    check(&mut with(&[
        "clippy",
        "--workspace",
        "--all-targets",
        "--all-features",
        "--",
        "--deny",
        "warnings",
    ]))
}

/// The library alone without features, then with each one by itself.
pub(super) fn features() -> Result<Outcome> {
    let bare = ["check", "--package", "openenv", "--no-default-features"];
    let mut outcome = check(&mut with(&bare))?;
    for feature in FEATURES {
        if matches!(outcome, Outcome::Passed) {
            outcome = check(with(&bare).args(["--features", feature]))?;
        }
    }
    Ok(outcome)
}

pub(super) fn rust() -> Result<Outcome> {
    let arguments: &[&str] = if has_nextest() {
        &["nextest", "run", "--workspace", "--all-features"]
    } else {
        &[
            "test",
            "--workspace",
            "--all-features",
            "--lib",
            "--bins",
            "--tests",
        ]
    };
    check(&mut with(arguments))
}

/// Whether tests can be run in processes of their own, several at a time.
pub(super) fn has_nextest() -> bool {
    cargo()
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

pub(super) fn doctests() -> Result<Outcome> {
    check(&mut with(&[
        "test",
        "--workspace",
        "--all-features",
        "--doc",
    ]))
}

pub(super) fn docs() -> Result<Outcome> {
    let arguments = ["doc", "--workspace", "--no-deps", "--all-features"];
    check(with(&arguments).env("RUSTDOCFLAGS", "--deny warnings"))
}

/// Runs a command to its end; its output is the reader's.
pub(super) fn check(command: &mut Command) -> Result<Outcome> {
    let status = command
        .status()
        .with_context(|| format!("could not run {}", command.get_program().display()))?;
    Ok(if status.success() {
        Outcome::Passed
    } else {
        Outcome::Failed(format!("ended with {status}"))
    })
}

fn with(arguments: &[&str]) -> Command {
    let mut command = cargo();
    command.args(arguments);
    command
}
