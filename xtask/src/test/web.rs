//! The web page: its logic in Node.js, all of it in a browser.

use std::{fs, process::Command};

use anyhow::{Context as _, Result};

use super::{
    cargo::check,
    suite::{Context, Outcome},
};
use crate::{
    browser, node,
    venv::{REFERENCE, STANDIN, Setup, WEB},
    workspace,
};

pub(super) fn run(context: &Context) -> Result<Outcome> {
    if context.against_reference() {
        return Ok(Outcome::Skipped(
            "the reference has a page of its own".into(),
        ));
    }
    if let Err(reason) = node::ensure() {
        return Ok(Outcome::Skipped(reason));
    }
    match logic()? {
        Outcome::Passed => page(context),
        outcome => Ok(outcome),
    }
}

/// The modules of the page that need no browser.
fn logic() -> Result<Outcome> {
    let directory = WEB.tests().join("unit");
    let mut tests = Vec::new();
    for entry in fs::read_dir(&directory)
        .with_context(|| format!("could not read `{}`", directory.display()))?
    {
        let path = entry?.path();
        if path
            .file_name()
            .is_some_and(|name| name.to_string_lossy().ends_with(".test.mjs"))
        {
            tests.push(path);
        }
    }
    tests.sort();
    check(
        Command::new("node")
            .args(["--test", "--test-reporter=dot"])
            .args(tests),
    )
}

fn page(context: &Context) -> Result<Outcome> {
    let chromium = match browser::ensure() {
        Ok(chromium) => chromium,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let (web, reference, standin) = match (WEB.set_up()?, REFERENCE.set_up()?, STANDIN.set_up()?) {
        (Setup::Ready(web), Setup::Ready(reference), Setup::Ready(standin)) => {
            (web, reference, standin)
        }
        (Setup::Unavailable(reason), _, _)
        | (_, Setup::Unavailable(reason), _)
        | (_, _, Setup::Unavailable(reason)) => return Ok(Outcome::Skipped(reason)),
    };
    let screenshots = workspace::target().join("web-screenshots");
    fs::create_dir_all(&screenshots)?;
    let outcome = check(
        Command::new(web.program("python"))
            .current_dir(WEB.tests())
            .args(["-m", "pytest"])
            .env("OPENENV_BIN", context.binary()?)
            .env(
                "OPENENV_EXAMPLES",
                workspace::build_examples("openenv-serve")?,
            )
            .env("OPENENV_CHROMIUM", chromium)
            .env("OPENENV_REFERENCE_PYTHON", reference.program("python"))
            .env("OPENENV_STANDIN_PYTHON", standin.program("python"))
            .env("OPENENV_SCREENSHOTS", &screenshots),
    )?;
    println!("screenshots are in `{}`", screenshots.display());
    Ok(outcome)
}
