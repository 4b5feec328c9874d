//! What a package asks to have installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::layout;
use super::pyproject::Pyproject;
use crate::error::{Error, Result};

/// Where requirements may stand besides `pyproject.toml`, in the order they are looked at.
const FILES: [&str; 2] = ["requirements.txt", "server/requirements.txt"];

/// How deep files of requirements may name others: deeper than any does that is no circle.
const DEEPEST: usize = 8;

/// What a package asks to have installed, and where it says so.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Requirements {
    /// The versions of Python that it is for, as `>=3.11`
    pub python: Option<String>,
    /// The dependencies in `pyproject.toml`
    pub dependencies: Vec<String>,
    /// `uv.lock`: the exact versions
    pub lock: Option<PathBuf>,
    /// `requirements.txt` and `server/requirements.txt`, those that exist
    pub files: Vec<PathBuf>,
}

impl Requirements {
    pub(super) fn of(root: &Path, pyproject: Option<&Pyproject>) -> Self {
        let existing = |name: &str| Some(root.join(name)).filter(|file| file.is_file());
        Self {
            python: pyproject.and_then(|it| it.requires_python.clone()),
            dependencies: pyproject.map_or_else(Vec::new, |it| it.dependencies.clone()),
            lock: existing("uv.lock"),
            files: FILES.into_iter().filter_map(existing).collect(),
        }
    }

    /// What is required, a line each, as an installer reads it.
    ///
    /// The dependencies in `pyproject.toml` if there are any: that is what the
    /// image of the environment is built from, and the other files tend to be
    /// left behind.
    pub(super) fn lines(&self, root: &Path) -> Result<Vec<String>> {
        if !self.dependencies.is_empty() {
            let lines = self.dependencies.iter().map(|it| it.trim().to_owned());
            return Ok(lines.filter(|line| !line.is_empty()).collect());
        }
        let mut lines = Vec::new();
        for file in &self.files {
            read_lines(file, root, 0, &mut lines)?;
        }
        Ok(lines)
    }

    /// The exact versions of the lock, for an installer that does not read it.
    pub(super) fn locked(&self) -> Result<Vec<String>> {
        let Some(file) = &self.lock else {
            return Ok(Vec::new());
        };
        let text = layout::read(file)?.unwrap_or_default();
        let lock: Lock = toml::from_str(&text).map_err(|error| {
            let file = file.display();
            Error::configuration(format!(
                "`{file}`: {}; make it anew with `uv lock`, or remove it",
                error.message()
            ))
        })?;
        let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for package in lock.package {
            // Other sources have no versions to choose from, and local versions are not
            // where others look for them.
            if let (Some(version), true) = (package.version, package.source.registry.is_some())
                && !version.contains('+')
            {
                versions.entry(package.name).or_default().push(version);
            }
        }
        let locked = versions.into_iter().filter_map(|(name, versions)| {
            // Several are for several platforms, each under conditions of its own.
            let [version] = &*versions else { return None };
            Some(format!("{name}=={version}"))
        });
        Ok(locked.collect())
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: Option<String>,
    #[serde(default)]
    source: LockedSource,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LockedSource {
    registry: Option<String>,
}

/// The distribution that a line is about, its name as registries compare names.
///
/// `None` for options, and for paths and addresses that do not say.
pub(super) fn name_of(line: &str) -> Option<String> {
    if line.starts_with('-') || is_place(line) {
        let (_, name) = line.split_once("#egg=")?;
        return name_of(name);
    }
    let end = line.find(|it: char| !(it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.')));
    let name = &line[..end.unwrap_or(line.len())];
    (!name.is_empty()).then(|| normal(name))
}

/// Whether it is for some platforms only.
pub(super) fn is_conditional(line: &str) -> bool {
    line.contains(';')
}

/// A name as registries compare names.
fn normal(name: &str) -> String {
    let mut normal = String::with_capacity(name.len());
    for letter in name.chars() {
        match letter {
            '-' | '_' | '.' if normal.ends_with('-') => {}
            '-' | '_' | '.' => normal.push('-'),
            _ => normal.push(letter.to_ascii_lowercase()),
        }
    }
    normal.trim_matches('-').to_owned()
}

/// Whether a line is a path or an address rather than a name.
fn is_place(line: &str) -> bool {
    let first = line.split([' ', ';', '[']).next().unwrap_or_default();
    first.contains('/') || first.starts_with('.') || is_archive(first)
}

fn is_archive(name: &str) -> bool {
    [".whl", ".tar.gz", ".zip"]
        .iter()
        .any(|end| name.ends_with(end))
}

/// Adds the lines of a file, and of those that it names.
fn read_lines(file: &Path, root: &Path, depth: usize, lines: &mut Vec<String>) -> Result<()> {
    if depth > DEEPEST {
        return Err(Error::configuration(format!(
            "`{}` names itself, by way of the files that it names",
            file.display()
        )));
    }
    let Some(text) = layout::read(file)? else {
        return Err(Error::configuration(format!(
            "there is no file `{}`, which other requirements name",
            file.display()
        )));
    };
    let beside = file.parent().unwrap_or(root);
    // A backslash at its end goes on with a line.
    let text = text.replace("\\\r\n", " ").replace("\\\n", " ");
    let written = text.lines().map(|line| without_comment(line).trim());
    for line in written.filter(|line| !line.is_empty()) {
        if let Some(other) = value_of(line, "-r", "--requirement") {
            read_lines(&beside.join(other), root, depth + 1, lines)?;
        } else if let Some(other) = value_of(line, "-c", "--constraint") {
            lines.push(format!("-c {}", beside.join(other).display()));
        } else if let Some(place) = value_of(line, "-e", "--editable") {
            lines.push(format!("-e {}", absolute(place, root)));
        } else {
            lines.push(absolute(line, root));
        }
    }
    Ok(())
}

/// A line without what is said about it.
fn without_comment(line: &str) -> &str {
    if line.trim_start().starts_with('#') {
        return "";
    }
    // An address may have one without space before it.
    line.split_once(" #").map_or(line, |(line, _)| line)
}

/// The value of an option, in any of the ways to write it.
fn value_of<'a>(line: &'a str, short: &str, long: &str) -> Option<&'a str> {
    let rest = match line.strip_prefix(long) {
        Some(rest) => rest.strip_prefix(['=', ' '])?,
        None => line.strip_prefix(short)?,
    };
    Some(rest.trim())
}

/// A path from the root of the package, so that it holds wherever the line is read.
fn absolute(line: &str, root: &Path) -> String {
    if line.starts_with(['-', '/']) || line.contains("://") || !is_place(line) {
        return line.to_owned();
    }
    // Extras and conditions may follow.
    let end = line.find(['[', ' ', ';']).unwrap_or(line.len());
    let (path, rest) = line.split_at(end);
    let place: PathBuf = root.join(path).components().collect();
    format!("{}{rest}", place.display())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    #[test]
    fn names_are_compared_as_registries_do() {
        for (line, name) in [
            ("openenv[core]>=0.2", Some("openenv")),
            (
                "OpenEnv_Core @ git+https://example.org/a.git",
                Some("openenv-core"),
            ),
            ("ruamel.yaml ; python_version < '3.12'", Some("ruamel-yaml")),
            ("numpy", Some("numpy")),
            ("numpy==1.0 --hash=sha256:00", Some("numpy")),
            (
                "git+https://example.org/a.git#egg=maze_core",
                Some("maze-core"),
            ),
            ("-e git+https://example.org/a.git#egg=maze", Some("maze")),
            ("https://example.org/a-1.0-py3-none-any.whl", None),
            ("./vendored", None),
            ("vendored/maze.whl", None),
            ("--index-url https://example.org", None),
        ] {
            assert_eq!(name_of(line).as_deref(), name, "{line}");
        }
    }

    #[test]
    fn files_name_files_and_paths_are_from_the_root() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        fs::create_dir(root.join("server")).unwrap();
        let main = "# what it needs\nnumpy==1.0 \\\n  --hash=sha256:00\n\n-r more.txt\n./vendored # ours\n-e .\n";
        fs::write(root.join("server/requirements.txt"), main).unwrap();
        let more = "chess\r\n-c pins.txt\ngit+https://example.org/a.git#egg=maze\n";
        fs::write(root.join("server/more.txt"), more).unwrap();
        let requirements = Requirements::of(root, None);
        let shown = root.display();
        assert_eq!(
            requirements.lines(root).unwrap(),
            [
                "numpy==1.0    --hash=sha256:00".to_owned(),
                "chess".to_owned(),
                format!("-c {shown}/server/pins.txt"),
                "git+https://example.org/a.git#egg=maze".to_owned(),
                format!("{shown}/vendored"),
                format!("-e {shown}"),
            ]
        );
        // What `pyproject.toml` says is what counts.
        let pyproject = Pyproject {
            dependencies: vec!["torch".to_owned()],
            ..Pyproject::default()
        };
        let requirements = Requirements::of(root, Some(&pyproject));
        assert_eq!(requirements.lines(root).unwrap(), ["torch"]);
    }

    #[test]
    fn a_circle_of_files_is_told() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        fs::write(root.join("requirements.txt"), "-r requirements.txt\n").unwrap();
        let error = Requirements::of(root, None)
            .lines(root)
            .unwrap_err()
            .to_string();
        assert!(error.contains("requirements.txt` names itself"), "{error}");
        fs::write(root.join("requirements.txt"), "--requirement=gone.txt\n").unwrap();
        let error = Requirements::of(root, None)
            .lines(root)
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("gone.txt`, which other requirements name"),
            "{error}"
        );
    }

    #[test]
    fn a_lock_has_exact_versions() {
        let directory = TempDir::new().unwrap();
        let root = directory.path();
        let lock = r#"
version = 1
requires-python = ">=3.10"

[[package]]
name = "maze"
version = "0.1.0"
source = { virtual = "." }

[[package]]
name = "pydantic"
version = "2.12.5"
source = { registry = "https://example.org/simple" }

[[package]]
name = "torch"
version = "2.9.0+cpu"
source = { registry = "https://example.org/simple" }

[[package]]
name = "numpy"
version = "2.2.6"
source = { registry = "https://example.org/simple" }
resolution-markers = ["python_full_version < '3.11'"]

[[package]]
name = "numpy"
version = "2.3.5"
source = { registry = "https://example.org/simple" }
"#;
        fs::write(root.join("uv.lock"), lock).unwrap();
        let requirements = Requirements::of(root, None);
        assert_eq!(requirements.locked().unwrap(), ["pydantic==2.12.5"]);
        fs::write(root.join("uv.lock"), "version =").unwrap();
        let error = requirements.locked().unwrap_err().to_string();
        assert!(error.contains("make it anew with `uv lock`"), "{error}");
    }
}
