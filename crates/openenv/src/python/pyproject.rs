//! `pyproject.toml`: how a package is named, installed and started.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use super::project::is_dotted;
use crate::error::{Error, Result};

/// The file's name in the directory of the package.
pub(super) const FILE: &str = "pyproject.toml";

/// What the file says, as far as it matters here.
#[derive(Debug, Default)]
pub(super) struct Pyproject {
    /// The name of the distribution
    pub(super) name: Option<String>,
    pub(super) requires_python: Option<String>,
    pub(super) dependencies: Vec<String>,
    /// The module of the script `server`
    pub(super) server: Option<String>,
    /// Directories of packages by import name, as setuptools is told them; ordered by name
    pub(super) package_dirs: BTreeMap<String, String>,
    /// Directories in which packages are
    pub(super) roots: Vec<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Written {
    project: Table,
    tool: Tools,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Table {
    name: Option<String>,
    requires_python: Option<String>,
    dependencies: Vec<String>,
    scripts: BTreeMap<String, String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Tools {
    setuptools: Setuptools,
    poetry: Poetry,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "kebab-case")]
struct Setuptools {
    package_dir: BTreeMap<String, String>,
    packages: Packages,
}

/// A list of packages, or how to find them.
#[derive(Deserialize)]
#[serde(untagged)]
enum Packages {
    Found { find: Find },
    Other(serde::de::IgnoredAny),
}

impl Default for Packages {
    fn default() -> Self {
        Self::Other(serde::de::IgnoredAny)
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Find {
    #[serde(rename = "where")]
    places: Vec<String>,
}

/// The fields that a project has here which does not have them in `[project]`.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Poetry {
    name: Option<String>,
    scripts: BTreeMap<String, serde_json::Value>,
}

impl Pyproject {
    pub(super) fn parse(file: &Path, text: &str) -> Result<Self> {
        let written: Written = toml::from_str(text).map_err(|error| {
            let place = error.span().map_or_else(String::new, |span| {
                let (line, column) = position(text, span.start);
                format!(", line {line}, column {column}")
            });
            let file = file.display();
            Error::configuration(format!("`{file}`{place}: {}", error.message()))
        })?;
        let Written { project, tool } = written;
        let poetry_script = || {
            let script = tool.poetry.scripts.get("server")?.as_str()?;
            Some((script, "[tool.poetry.scripts]"))
        };
        let script = project
            .scripts
            .get("server")
            .map(|script| (script.as_str(), "[project.scripts]"))
            .or_else(poetry_script);
        let server = match script {
            Some((script, table)) => Some(module_of(file, table, script)?),
            None => None,
        };
        let mut package_dirs = tool.setuptools.package_dir;
        let mut roots: Vec<String> = package_dirs.remove("").into_iter().collect();
        if let Packages::Found { find } = tool.setuptools.packages {
            roots.extend(find.places);
        }
        Ok(Self {
            name: project.name.or(tool.poetry.name),
            requires_python: project.requires_python,
            dependencies: project.dependencies,
            server,
            package_dirs,
            roots,
        })
    }
}

fn module_of(file: &Path, table: &str, script: &str) -> Result<String> {
    // Extras may follow, in brackets.
    let entry = script.split('[').next().unwrap_or_default();
    match entry.split_once(':') {
        Some((module, function)) if is_dotted(module.trim()) && is_dotted(function.trim()) => {
            Ok(module.trim().to_owned())
        }
        _ => Err(Error::configuration(format!(
            "`{}`: `server` in `{table}` is `{script}`; write it as `module:function`, such as `my_env.server.app:main`",
            file.display()
        ))),
    }
}

/// Line and column of a byte, both from 1.
fn position(text: &str, offset: usize) -> (usize, usize) {
    let before = text.get(..offset).unwrap_or(text);
    let line = before.matches('\n').count() + 1;
    let column = before.chars().rev().take_while(|it| *it != '\n').count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Pyproject> {
        Pyproject::parse(Path::new("my_env/pyproject.toml"), text)
    }

    #[test]
    fn the_usual_file_is_read() {
        let pyproject = parse(
            r#"
[build-system]
requires = ["setuptools>=45", "wheel"]
build-backend = "setuptools.build_meta"

[project]
name = "openenv-maze_env"
version = "0.1.0"
requires-python = ">=3.10"
dependencies = ["openenv[core]>=0.2.2", "numpy"]

[project.optional-dependencies]
dev = ["pytest>=8.0.0"]

[project.scripts]
server = "maze_env.server.app:main"

[tool.setuptools]
include-package-data = true
packages = ["maze_env", "maze_env.server"]
package-dir = { "maze_env" = ".", "maze_env.server" = "server" }
"#,
        )
        .unwrap();
        assert_eq!(pyproject.name.as_deref(), Some("openenv-maze_env"));
        assert_eq!(pyproject.requires_python.as_deref(), Some(">=3.10"));
        assert_eq!(pyproject.dependencies, ["openenv[core]>=0.2.2", "numpy"]);
        assert_eq!(pyproject.server.as_deref(), Some("maze_env.server.app"));
        assert_eq!(pyproject.package_dirs["maze_env"], ".");
        assert!(pyproject.roots.is_empty());
    }

    #[test]
    fn where_packages_are_is_told_in_two_ways() {
        let pyproject = parse("[tool.setuptools]\npackage-dir = {'' = 'lib'}\n").unwrap();
        assert_eq!(pyproject.roots, ["lib"]);
        let pyproject = parse("[tool.setuptools.packages.find]\nwhere = ['python']\n").unwrap();
        assert_eq!(pyproject.roots, ["python"]);
    }

    #[test]
    fn poetry_has_tables_of_its_own() {
        let pyproject = parse(
            "[tool.poetry]\nname = 'maze'\n[tool.poetry.scripts]\nserver = 'maze.app:main'\nother = { reference = 'x' }\n",
        )
        .unwrap();
        assert_eq!(pyproject.name.as_deref(), Some("maze"));
        assert_eq!(pyproject.server.as_deref(), Some("maze.app"));
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let error = parse("[project]\nname = \n").unwrap_err().to_string();
        assert!(
            error.starts_with("`my_env/pyproject.toml`, line 2, column 8: "),
            "{error}"
        );
        let error = parse("[project]\n\ndependencies = 'numpy'\n")
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("`my_env/pyproject.toml`, line 3, column 16: "),
            "{error}"
        );
        let error = parse("[project.scripts]\nserver = 'server/app.py'\n").unwrap_err();
        let expected = "`my_env/pyproject.toml`: `server` in `[project.scripts]` is `server/app.py`; \
                        write it as `module:function`, such as `my_env.server.app:main`";
        assert_eq!(error.to_string(), expected);
    }
}
