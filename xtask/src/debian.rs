//! A small Debian with Python as an image, made on this machine: no registry is needed.

use std::{fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result, ensure};

use crate::{
    system::{self, succeeds},
    workspace,
};

/// What the image is called.
const TAG: &str = "openenv-debian:bookworm";
const RELEASE: &str = "bookworm";
/// Enough to make virtual environments and to run them.
const PACKAGES: &str = "python3,python3-venv,ca-certificates";

/// The image, made if it is not there yet.
pub(crate) fn image() -> Result<&'static str> {
    if system::output("docker", &["image", "inspect", TAG]).is_some() {
        return Ok(TAG);
    }
    let archive = archive()?;
    let mut import = Command::new("docker");
    import.arg("import").arg(&archive).arg(TAG);
    ensure!(succeeds(&mut import), "`docker import` failed");
    Ok(TAG)
}

/// Its files, which take a minute or two to fetch and are kept.
pub(crate) fn archive() -> Result<PathBuf> {
    let directory = workspace::target().join("xtask");
    let archive = directory.join("debian.tar");
    if archive.is_file() {
        return Ok(archive);
    }
    if system::output("debootstrap", &["--version"]).is_none()
        && let Err(reason) = system::install(&["debootstrap"])
    {
        anyhow::bail!("`debootstrap` is missing: {reason}");
    }
    fs::create_dir_all(&directory)?;
    let root = directory.join("debian");
    // What an interrupted run left.
    let _ = fs::remove_dir_all(&root);
    let mut bootstrap = Command::new("debootstrap");
    bootstrap
        .args([
            "--variant=minbase",
            &format!("--include={PACKAGES}"),
            RELEASE,
        ])
        .arg(&root);
    ensure!(succeeds(&mut bootstrap), "`debootstrap` failed");
    let unfinished = directory.join("debian.tar.part");
    let mut pack = Command::new("tar");
    pack.arg("--create")
        .arg("--file")
        .arg(&unfinished)
        .args(["--exclude=./var/cache/apt", "--exclude=./var/lib/apt/lists"])
        .arg("--directory")
        .arg(&root)
        .arg(".");
    ensure!(succeeds(&mut pack), "`tar` failed");
    fs::remove_dir_all(&root)?;
    fs::rename(&unfinished, &archive).context("could not keep the archive")?;
    Ok(archive)
}
