//! The image of the tests: a server that is linked statically, and nothing else.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use bollard::{
    Docker, body_full,
    query_parameters::{BuildImageOptionsBuilder, RemoveImageOptionsBuilder},
};
use futures_util::TryStreamExt as _;

use super::engine::Engine;
use crate::workspace::{self, cargo};

const DOCKERFILE: &str =
    "FROM scratch\nCOPY server /server\nEXPOSE 8000\nENTRYPOINT [\"/server\"]\n";

pub(super) struct Image {
    api: Docker,
    name: String,
}

impl Image {
    pub(super) async fn build(engine: &Engine) -> Result<Self> {
        let binary = build_server()?;
        let name = format!("openenv-test-{}:latest", std::process::id());
        let api = engine.api().await?;
        let options = BuildImageOptionsBuilder::new().t(&name).rm(true).build();
        let context = body_full(context(&binary)?.into());
        let building = api.build_image(options, None, Some(context));
        let steps = building.try_collect::<Vec<_>>().await;
        steps.with_context(|| format!("could not build `{name}`"))?;
        Ok(Self { api, name })
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) async fn remove(self) -> Result<()> {
        let options = RemoveImageOptionsBuilder::new().force(true).build();
        let removed = self.api.remove_image(&self.name, Some(options), None).await;
        removed.with_context(|| format!("could not remove `{}`", self.name))?;
        Ok(())
    }
}

/// The server of the tests as a program that needs no other file; the flag is for this one alone, so that
/// nothing it depends on is built again.
fn build_server() -> Result<Vec<u8>> {
    let status = cargo()
        .args(["rustc", "--package", "openenv", "--example", "contained"])
        .args(["--no-default-features", "--features", "server"])
        .args(["--", "-C", "target-feature=+crt-static"])
        .status()
        .context("could not run `cargo rustc`")?;
    ensure!(status.success(), "could not build the server of the tests");
    let binary = workspace::target().join("debug/examples/contained");
    std::fs::read(&binary).with_context(|| format!("could not read `{}`", binary.display()))
}

/// What the engine builds from, as an archive.
fn context(binary: &[u8]) -> Result<Vec<u8>> {
    let mut archive = tar::Builder::new(Vec::new());
    for (name, content, mode) in [
        ("Dockerfile", DOCKERFILE.as_bytes(), 0o644),
        ("server", binary, 0o755),
    ] {
        let mut header = tar::Header::new_gnu();
        header.set_size(content.len().try_into()?);
        header.set_mode(mode);
        archive.append_data(&mut header, Path::new(name), content)?;
    }
    Ok(archive.into_inner()?)
}
