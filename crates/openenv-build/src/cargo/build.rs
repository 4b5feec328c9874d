//! From a package to its program.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Deserialize;
use tokio::process::Command;

use super::toolchain::Toolchain;
use super::{CargoProject, Metadata};
use crate::error::{Error, Result};
use crate::output;
use crate::progress::{Progress, Tell};

/// Between the flags in the variable, which may contain spaces.
const SEPARATOR: &str = "\u{1f}";

/// How a package is compiled.
#[derive(Debug, Clone, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is an option of cargo by itself"
)]
pub struct CargoOptions {
    /// How well; [`Profile::Dev`] by default
    pub profile: Profile,
    /// Whether the program runs on every Linux of its architecture, without any
    /// library; `false` by default.
    ///
    /// Such a program is also the same each time it is built from the same source: it
    /// names no directory of this machine, and has no symbols.
    ///
    /// Flags for the compiler are kept if they are in `RUSTFLAGS`, or in a file of cargo
    /// under `[target.…]`; those under `[build]` do not count.
    pub static_link: bool,
    /// Whether to do without a network; `false` by default
    pub offline: bool,
    /// Whether `Cargo.lock` has to be there and to fit; `false` by default
    pub locked: bool,
    /// Whether the lines that are told have colours; `false` by default
    pub colour: bool,
}

/// A profile of cargo.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Profile {
    /// Quick to build
    #[default]
    Dev,
    /// Quick to run
    Release,
    /// One that the package defines
    Named(String),
}

impl Profile {
    /// Its name, as `--profile` takes it.
    pub fn name(&self) -> &str {
        match self {
            Self::Dev => "dev",
            Self::Release => "release",
            Self::Named(name) => name,
        }
    }
}

/// A line that cargo writes for programs.
#[derive(Debug, Deserialize)]
struct Message {
    reason: String,
    executable: Option<PathBuf>,
    target: Option<super::Target>,
}

impl CargoProject {
    /// Builds the program, and tells where it is.
    ///
    /// `tell` gets every line that cargo and the compiler write; among them is why it
    /// failed, if it did. Dropping the future ends cargo.
    ///
    /// # Errors
    ///
    /// If cargo cannot be run, or fails.
    pub async fn build(&self, options: &CargoOptions, tell: Tell<'_>) -> Result<PathBuf> {
        let mut command = self.command(options);
        if options.static_link {
            self.link_statically(&mut command, options).await?;
        }
        let mut child = command
            .spawn()
            .map_err(|error| output::not_run("cargo build", &error))?;
        let (messages, lines) = (child.stdout.take(), child.stderr.take());
        let mut executable = None;
        let (status, (), ()) = tokio::try_join!(
            child.wait(),
            output::each_line(messages, |message| {
                executable = self.executable(message).or(executable.take());
            }),
            output::each_line(lines, |line| tell(Progress::Line(line))),
        )?;
        match executable {
            Some(executable) if status.success() => Ok(executable),
            _ if status.success() => Err(Error::new(format!(
                "cargo built no program `{}`",
                self.binary
            ))),
            _ => Err(Error::new(format!(
                "could not build `{}`: `cargo build` ended with {status}",
                self.name
            ))),
        }
    }

    fn command(&self, options: &CargoOptions) -> Command {
        let mut command = Command::new("cargo");
        command
            .args(["build", "--message-format", "json-render-diagnostics"])
            .args(["--package", &self.name, "--bin", &self.binary])
            .args(["--profile", options.profile.name()])
            .args(["--color", if options.colour { "always" } else { "never" }])
            .current_dir(&self.root)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        if options.offline {
            command.arg("--offline");
        }
        if options.locked {
            command.arg("--locked");
        }
        command
    }

    async fn link_statically(&self, command: &mut Command, options: &CargoOptions) -> Result<()> {
        let toolchain = Toolchain::of(&self.root).await?;
        let target = toolchain.static_target()?;
        let mut flags = vec!["-C".to_owned(), "target-feature=+crt-static".to_owned()];
        for (from, to) in self.directories(&toolchain, options).await? {
            flags.push(format!("--remap-path-prefix={}={to}", from.display()));
        }
        // Always with a target, if only the host's: then build scripts and macros, which
        // cannot be linked like that, are built without these flags.
        command.args(["--target", &target]);
        let profile = options.profile.name();
        command.args(["--config", &format!("profile.{profile}.strip=\"symbols\"")]);
        // Cargo takes flags from one place only. Those of a variable win, so they are
        // joined; otherwise it joins those that its files have for a target. Those under
        // `[build]` count only if there are none for the target, so they are lost: cargo
        // tells nobody what they are.
        let given = env::var("CARGO_ENCODED_RUSTFLAGS").ok().or_else(|| {
            let flags = env::var("RUSTFLAGS").ok()?;
            let flags: Vec<&str> = flags.split_whitespace().collect();
            Some(flags.join(SEPARATOR))
        });
        if let Some(given) = given.filter(|given| !given.is_empty()) {
            flags.insert(0, given);
            command.env("CARGO_ENCODED_RUSTFLAGS", flags.join(SEPARATOR));
        } else {
            command.env_remove("CARGO_ENCODED_RUSTFLAGS");
            command.env_remove("RUSTFLAGS");
            let flags = serde_json::to_string(&flags)?;
            command.args(["--config", &format!("target.{target}.rustflags={flags}")]);
        }
        Ok(())
    }

    /// Directories of this machine that the compiler would name in the program, and
    /// what it names instead. The last that fits counts.
    async fn directories(
        &self,
        toolchain: &Toolchain,
        options: &CargoOptions,
    ) -> Result<Vec<(PathBuf, String)>> {
        let mut directories = Vec::new();
        let home = env::var_os("CARGO_HOME").map(PathBuf::from);
        if let Some(home) = home.or_else(|| Some(env::home_dir()?.join(".cargo"))) {
            directories.push((home, "/cargo".to_owned()));
        }
        directories.push((toolchain.sysroot.clone(), "/rust".to_owned()));
        directories.push((self.workspace.clone(), "/source".to_owned()));
        // Packages that are neither downloaded nor in the workspace.
        let mut wanted = vec!["--filter-platform", toolchain.host.as_str()];
        wanted.extend(options.offline.then_some("--offline"));
        wanted.extend(options.locked.then_some("--locked"));
        let metadata = Metadata::read(&self.root, &wanted).await?;
        for package in metadata.packages {
            let elsewhere = |directory: &&Path| {
                package.source.is_none() && !directory.starts_with(&self.workspace)
            };
            if let Some(directory) = package.directory().filter(elsewhere) {
                let name = format!("/source/{}-{}", package.name, package.version);
                directories.push((directory.to_owned(), name));
            }
        }
        Ok(directories)
    }

    fn executable(&self, message: &str) -> Option<PathBuf> {
        // What a package prints while it is built may be here as well.
        let message: Message = serde_json::from_str(message).ok()?;
        let is_it = message.reason == "compiler-artifact" && message.target?.name == self.binary;
        message.executable.filter(|_| is_it)
    }
}
