//! Where a project in Rust gets the crates of openenv from.

use std::fs;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use semver::VersionReq;
use serde::Deserialize;

const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Where the crates come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// A working copy of their repository.
    Checkout(PathBuf),
    /// The registry, in this version.
    Version(String),
    /// A repository, by its URL.
    Git(String),
}

impl Default for Source {
    /// The checkout that this command was built from if that is still there, else the registry.
    fn default() -> Self {
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .filter(|root| version(root).as_deref() == Some(VERSION));
        match built_from.map(checkout) {
            Some(Ok(found)) => found,
            _ => Self::Version(VERSION.to_owned()),
        }
    }
}

impl Source {
    /// What a manifest says of one of the crates.
    pub(super) fn dependency(&self, name: &str) -> String {
        match self {
            Self::Checkout(root) => {
                let path = root.join("crates").join(name);
                format!("path = {}", quoted(&path.to_string_lossy()))
            }
            Self::Version(version) => format!("version = {}", quoted(version)),
            Self::Git(url) => format!("git = {}", quoted(url)),
        }
    }
}

impl FromStr for Source {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(url) = text.strip_prefix("git+") {
            return Ok(Self::Git(url.to_owned()));
        }
        if VersionReq::parse(text).is_ok() {
            return Ok(Self::Version(text.to_owned()));
        }
        checkout(Path::new(text))
    }
}

/// A directory that has the crates in it.
fn checkout(root: &Path) -> Result<Source, String> {
    if !root.join("crates/openenv/Cargo.toml").is_file() {
        return Err("no version, no `git+URL`, and no directory with `crates/openenv`".to_owned());
    }
    let root = fs::canonicalize(root).map_err(|error| error.to_string())?;
    Ok(Source::Checkout(root))
}

/// The version of the crates in a checkout.
fn version(root: &Path) -> Option<String> {
    #[derive(Deserialize)]
    struct Manifest {
        workspace: Workspace,
    }
    #[derive(Deserialize)]
    struct Workspace {
        package: Package,
    }
    #[derive(Deserialize)]
    struct Package {
        version: String,
    }
    let text = fs::read_to_string(root.join("Cargo.toml")).ok()?;
    let manifest: Manifest = toml::from_str(&text).ok()?;
    Some(manifest.workspace.package.version)
}

/// A string as TOML has it, which takes the escapes of JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_repositories_and_checkouts_are_told_apart() {
        for (text, expected) in [
            ("0.2", r#"version = "0.2""#),
            ("=0.1.0", r#"version = "=0.1.0""#),
            ("git+https://host/o/r", r#"git = "https://host/o/r""#),
        ] {
            let source: Source = text.parse().unwrap();
            assert_eq!(source.dependency("openenv"), expected);
        }
        // Tests run in the directory of their crate.
        let source: Source = "../..".parse().unwrap();
        assert_eq!(source, Source::default());
        assert!(
            source
                .dependency("openenv-serve")
                .ends_with("/crates/openenv-serve\"")
        );
        assert!(Source::from_str("src").unwrap_err().contains("git+URL"));
    }

    #[test]
    fn strings_are_quoted() {
        assert_eq!(quoted(r#"C:\a "b""#), r#""C:\\a \"b\"""#);
    }
}
