//! Programs of this machine: whether they are there, what they print, how to get them.

use std::{
    path::Path,
    process::{Command, Stdio},
};

/// What a program prints, if it can be run and succeeds.
pub(crate) fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output = Command::new(program)
        .args(arguments)
        .stderr(Stdio::null())
        .output()
        .ok()?;
    output
        .status
        .success()
        .then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

pub(crate) fn succeeds(command: &mut Command) -> bool {
    command.status().is_ok_and(|status| status.success())
}

/// Installs Debian packages, or says why it cannot: only root may, and only where there is `apt-get`.
pub(crate) fn install(packages: &[&str]) -> Result<(), String> {
    let names = packages.join(" ");
    let superuser = output("id", &["-u"]).is_some_and(|id| id.trim() == "0");
    if !superuser || !Path::new("/usr/bin/apt-get").exists() {
        return Err(format!("install it first (Debian: `{names}`)"));
    }
    println!("installing {names}");
    let mut update = Command::new("apt-get");
    update.args(["update", "--quiet"]);
    let mut install = Command::new("apt-get");
    install
        .args(["install", "--yes", "--quiet"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive");
    if succeeds(&mut update) && succeeds(&mut install) {
        Ok(())
    } else {
        Err(format!("`apt-get install {names}` failed"))
    }
}
