//! Where things are in the repository, and how cargo is called from within cargo.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};

/// How the `openenv` binary is compiled.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Profile {
    /// Quick to build, for the suites.
    Dev,
    /// As it is shipped, for the benchmark.
    Dist,
}

/// The repository's root directory.
pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("the manifest of this crate lies one directory below the root")
}

/// A cargo command that runs at the root as if typed into a shell.
///
/// `cargo run` sets variables that describe this crate. Build scripts that watch them would run again on every change between
/// `cargo xtask` and plain `cargo`, so they are removed.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    for (name, _) in env::vars_os() {
        let described_by_cargo = name.to_str().is_some_and(|name| {
            name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
        });
        if described_by_cargo {
            command.env_remove(name);
        }
    }
    command
}

/// Builds the `openenv` binary and tells where it is.
pub(crate) fn build_binary(profile: Profile) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--package", "openenv-cli"]);
    let directory = match profile {
        Profile::Dev => "debug",
        Profile::Dist => {
            command.args(["--profile", "dist"]);
            "dist"
        }
    };
    let status = command.status().context("could not run `cargo build`")?;
    ensure!(status.success(), "could not build `openenv-cli`");
    let binary = target().join(directory).join("openenv");
    ensure!(binary.is_file(), "no binary at `{}`", binary.display());
    Ok(binary)
}

/// Builds the examples of a package and tells in which directory they are.
pub(crate) fn build_examples(package: &str) -> Result<PathBuf> {
    let mut command = cargo();
    command.args(["build", "--package", package, "--examples"]);
    let status = command.status().context("could not run `cargo build`")?;
    ensure!(
        status.success(),
        "could not build the examples of `{package}`"
    );
    Ok(target().join("debug/examples"))
}

/// The stand-in that answers to `openenv serve …` with the reference server.
pub(crate) fn reference_binary() -> PathBuf {
    root().join("bench/reference/openenv")
}

/// The directory that holds what cargo builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
