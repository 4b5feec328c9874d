//! An environment in Rust: a package with a program that serves it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use tokio::process::Command;

use crate::error::{Error, Result};
use crate::output;

mod build;
mod toolchain;

pub use build::{CargoOptions, Profile};

/// The file that makes a directory a package.
const MANIFEST: &str = "Cargo.toml";

/// A package of cargo with the program that serves an environment.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct CargoProject {
    /// Directory of the package, absolute
    pub root: PathBuf,
    /// Directory of the workspace, which is the package's own if there is none
    pub workspace: PathBuf,
    /// Name of the package
    pub name: String,
    /// Version of the package
    pub version: String,
    /// What it is, in a sentence
    pub description: Option<String>,
    /// The licence, as an SPDX expression
    pub license: Option<String>,
    /// Where its source is published
    pub repository: Option<String>,
    /// Name of the program
    pub binary: String,
}

/// What `cargo metadata` answers, as far as it matters here.
#[derive(Debug, Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Debug, Deserialize)]
struct Package {
    name: String,
    version: String,
    description: Option<String>,
    license: Option<String>,
    repository: Option<String>,
    default_run: Option<String>,
    manifest_path: PathBuf,
    /// Where it was downloaded from; nothing for one that is in a directory
    source: Option<String>,
    targets: Vec<Target>,
}

#[derive(Debug, Deserialize)]
struct Target {
    name: String,
    kind: Vec<String>,
}

impl CargoProject {
    /// The package in a directory, or nothing if there is none.
    ///
    /// The program is the one that `cargo run` would run: the one that `default-run`
    /// names, else the only one; else the one that is named like the package. A package
    /// without a program and with a `pyproject.toml` beside it is an extension of a
    /// package in Python, and none.
    ///
    /// # Errors
    ///
    /// If the file is not in order, if there is no program in it or no way to choose
    /// one, or if cargo cannot be run.
    pub async fn find(directory: impl AsRef<Path>) -> Result<Option<Self>> {
        let directory = directory.as_ref();
        let manifest = directory.join(MANIFEST);
        if !manifest.is_file() {
            return Ok(None);
        }
        let unreadable = |error: std::io::Error| {
            Error::new(format!("could not read `{}`: {error}", directory.display()))
        };
        let root = directory.canonicalize().map_err(unreadable)?;
        let metadata = Metadata::read(&root, &["--no-deps"]).await?;
        let package = metadata
            .packages
            .into_iter()
            .find(|package| package.directory() == Some(&root));
        let Some(package) = package else {
            return Err(Error::new(format!(
                "`{}` is a workspace without a package of its own",
                manifest.display()
            ))
            .with_hint("give the directory of one of its packages"));
        };
        let Some(binary) = package.binary()? else {
            if root.join("pyproject.toml").is_file() {
                return Ok(None);
            }
            return Err(
                Error::new(format!("the package `{}` has no program", package.name))
                    .with_hint("add a `src/main.rs` that serves its environment"),
            );
        };
        Ok(Some(Self {
            binary,
            workspace: metadata.workspace_root,
            name: package.name,
            version: package.version,
            description: package.description,
            license: package.license,
            repository: package.repository,
            root,
        }))
    }
}

impl Metadata {
    /// Asks cargo.
    async fn read(root: &Path, options: &[&str]) -> Result<Self> {
        let mut command = Command::new("cargo");
        command
            .args(["metadata", "--format-version", "1"])
            .args(options)
            .current_dir(root);
        let answer = output::read(command).await?;
        serde_json::from_slice(&answer)
            .map_err(|error| Error::new(format!("could not understand `cargo metadata`: {error}")))
    }
}

impl Package {
    fn directory(&self) -> Option<&Path> {
        self.manifest_path.parent()
    }

    fn binary(&self) -> Result<Option<String>> {
        let programs = self.targets.iter();
        let programs = programs.filter(|target| target.kind.iter().any(|kind| kind == "bin"));
        let names: Vec<&str> = programs.map(|target| target.name.as_str()).collect();
        let named = |name: &str| names.contains(&name).then(|| name.to_owned());
        let chosen = match (&self.default_run, names.as_slice()) {
            (_, []) => return Ok(None),
            (Some(name), _) => named(name),
            (None, [only]) => Some((*only).to_owned()),
            (None, _) => named(&self.name),
        };
        let Some(chosen) = chosen else {
            return Err(Error::new(format!(
                "the package `{}` has several programs: {}",
                self.name,
                names.join(", ")
            ))
            .with_hint(format!(
                "say which one serves with `default-run` in `{MANIFEST}`"
            )));
        };
        Ok(Some(chosen))
    }
}
