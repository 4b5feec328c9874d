//! Servers in containers, on a real engine: the tests that need one.

mod engine;
mod image;

use std::path::Path;

use anyhow::{Context as _, Result};

use super::{
    cargo::{check, has_nextest},
    suite::Outcome,
};
use crate::{
    debian,
    venv::{self, REFERENCE, Setup},
    workspace::cargo,
};
use engine::Engine;
use image::Image;

pub(super) fn run() -> Result<Outcome> {
    if let Setup::Unavailable(reason) = REFERENCE.set_up()? {
        return Ok(Outcome::Skipped(reason));
    }
    let debian = match debian::archive() {
        Ok(debian) => debian,
        Err(reason) => return Ok(Outcome::Skipped(format!("{reason:#}"))),
    };
    let runtime = tokio::runtime::Runtime::new().context("could not start a runtime")?;
    let engine = match runtime.block_on(Engine::ensure())? {
        Ok(engine) => engine,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let image = runtime.block_on(Image::build(&engine))?;
    let outcome = test(&engine, &image, &debian);
    runtime.block_on(image.remove())?;
    outcome
}

/// They are ignored, so no other suite runs them.
fn test(engine: &Engine, image: &Image, debian: &Path) -> Result<Outcome> {
    let mut command = cargo();
    command
        .env("DOCKER_HOST", engine.address())
        .env("OPENENV_TEST_IMAGE", image.name())
        .env("OPENENV_TEST_DEBIAN", debian)
        .env("OPENENV_TEST_VENVS", venv::directory());
    if has_nextest() {
        command
            .args(["nextest", "run", "--workspace", "--all-features"])
            .args(["--run-ignored", "only"])
            .args(["--filterset", "test(/(^|::)docker/)"]);
    } else {
        command
            .args(["test", "--workspace", "--all-features"])
            .args(["--lib", "--bins", "--tests", "--examples"])
            .args(["--", "--ignored", "docker"]);
    }
    check(&mut command)
}
