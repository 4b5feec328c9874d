//! The compiler that a package is built with, and what it can build for.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use crate::error::{Error, Result};
use crate::output;

/// The compiler, as it says of itself.
#[derive(Debug)]
pub(super) struct Toolchain {
    /// The platform that it runs on
    pub(super) host: String,
    /// Where it is installed
    pub(super) sysroot: PathBuf,
}

impl Toolchain {
    /// Asks the compiler that is used in a directory.
    pub(super) async fn of(directory: &Path) -> Result<Self> {
        let mut version = Command::new("rustc");
        version.arg("-vV").current_dir(directory);
        let mut sysroot = Command::new("rustc");
        sysroot.args(["--print", "sysroot"]).current_dir(directory);
        let version = output::read(version).await?;
        let version = String::from_utf8_lossy(&version);
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let Some(host) = host else {
            return Err(Error::new("`rustc -vV` names no host"));
        };
        let sysroot = output::read(sysroot).await?;
        Ok(Self {
            host: host.to_owned(),
            sysroot: PathBuf::from(String::from_utf8_lossy(&sysroot).trim()),
        })
    }

    /// The platform for programs that need nothing of the system that they run on.
    ///
    /// musl is made for that; the C library of most systems can be linked like that as
    /// well, if its archive is installed.
    pub(super) fn static_target(&self) -> Result<String> {
        let mut parts = self.host.split('-');
        let (architecture, system) = (parts.next().unwrap_or_default(), parts.nth(1));
        if system != Some("linux") {
            return Err(Error::new(format!(
                "a program for a container is built on Linux, and this is `{}`",
                self.host
            ))
            .with_hint("write a Dockerfile that compiles it, and name it with `--dockerfile`"));
        }
        let musl = format!("{architecture}-unknown-linux-musl");
        let standard_library = self.sysroot.join("lib/rustlib").join(&musl).join("lib");
        Ok(if standard_library.is_dir() {
            musl
        } else {
            self.host.clone()
        })
    }
}
