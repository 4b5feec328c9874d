//! What a virtual environment for a package is to have.

use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::imports::imported;
use super::project::Project;
use super::requirements::{is_conditional, name_of};
use crate::error::Result;

/// Changes when an environment made before would not do any more.
const FORMAT: &str = "1";

/// The distributions of the framework.
const FRAMEWORK: [&str; 2] = ["openenv", "openenv-core"];

/// What every environment needs, and what a worker is written for.
const PYDANTIC: &str = "pydantic>=2";

/// What the framework brings along, by the name it is imported as.
///
/// Packages import these without asking for them. What is not here although it
/// brings it, the worker replaces: fastapi, uvicorn, gradio.
const BROUGHT_ALONG: [(&str, &str); 34] = [
    // What it depends on itself.
    ("fastmcp", "fastmcp<4"),
    ("httpx", "httpx"),
    ("huggingface_hub", "huggingface-hub"),
    ("jsonschema", "jsonschema"),
    ("openai", "openai"),
    ("packaging", "packaging"),
    ("requests", "requests"),
    ("rich", "rich"),
    ("tomli", "tomli"),
    ("tomli_w", "tomli-w"),
    ("typer", "typer"),
    ("typing_extensions", "typing-extensions"),
    ("websockets", "websockets"),
    ("yaml", "pyyaml"),
    // What these depend on.
    ("PIL", "pillow"),
    ("anyio", "anyio"),
    ("attr", "attrs"),
    ("attrs", "attrs"),
    ("cachetools", "cachetools"),
    ("certifi", "certifi"),
    ("click", "click"),
    ("dateutil", "python-dateutil"),
    ("dotenv", "python-dotenv"),
    ("filelock", "filelock"),
    ("fsspec", "fsspec"),
    ("jinja2", "jinja2"),
    ("mcp", "mcp"),
    ("numpy", "numpy"),
    ("orjson", "orjson"),
    ("pandas", "pandas"),
    ("pydantic_settings", "pydantic-settings"),
    ("starlette", "starlette"),
    ("tqdm", "tqdm"),
    ("urllib3", "urllib3"),
];

/// What is to be installed to run a package.
#[derive(Debug)]
#[non_exhaustive]
pub struct Wanted {
    /// Requirements and options, a line each, as an installer reads them
    pub lines: Vec<String>,
    /// Versions for whatever of these is installed
    pub constraints: Vec<String>,
    /// The package's lock, if all of it is wanted
    pub(super) lock: Option<PathBuf>,
    full: bool,
}

impl Wanted {
    /// What the package asks for; with the framework, or with what it leans on of it.
    ///
    /// Paths in it are absolute.
    pub fn of(project: &Project, full: bool) -> Result<Self> {
        let requirements = &project.requirements;
        let mut lines = requirements.lines(&project.root)?;
        if !full {
            lines.retain(|line| {
                !is_framework(line) && !is_itself(line, &project.root) && line != "--require-hashes"
            });
            for line in &mut lines {
                without_hashes(line);
            }
            lean_on(&mut lines, &project.root);
        }
        Ok(Self {
            lines,
            constraints: requirements.locked()?,
            lock: requirements.lock.clone().filter(|_| full),
            full,
        })
    }

    /// How many packages are asked for.
    pub(super) fn count(&self) -> usize {
        let options = |line: &&String| line.starts_with('-') && !line.starts_with("-e");
        self.lines.len() - self.lines.iter().filter(options).count()
    }

    /// What tells an environment with this from others.
    ///
    /// `python` is what it is made from. Files outside of the package that a line
    /// names are not looked at.
    pub(super) fn digest(&self, python: &str) -> String {
        let mut hash = Sha256::new();
        let mut add = |text: &[u8]| {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        };
        add(FORMAT.as_bytes());
        add(if self.full { b"full" } else { b"light" });
        add(python.as_bytes());
        for lines in [&self.lines, &self.constraints] {
            add(lines.join("\n").as_bytes());
        }
        if let Some(lock) = &self.lock {
            add(&std::fs::read(lock).unwrap_or_default());
        }
        shortened(hash)
    }
}

/// Enough of a hash to name a directory after.
pub(super) fn shortened(hash: Sha256) -> String {
    let mut start = [0; 8];
    start.copy_from_slice(&hash.finalize()[..8]);
    format!("{:016x}", u64::from_be_bytes(start))
}

/// The names of what is required on every platform, without the framework.
pub(super) fn required_names(project: &Project) -> Result<Vec<String>> {
    let lines = project.requirements.lines(&project.root)?;
    let certain = lines.iter().filter(|line| !is_conditional(line));
    let names = certain.filter_map(|line| name_of(line));
    Ok(names
        .filter(|name| !FRAMEWORK.contains(&name.as_str()))
        .collect())
}

/// Adds what the package imports without asking for it.
fn lean_on(lines: &mut Vec<String>, root: &Path) {
    let asked: Vec<String> = lines.iter().filter_map(|line| name_of(line)).collect();
    let imported = imported(root);
    let leant_on = BROUGHT_ALONG
        .iter()
        .filter(|(module, _)| imported.contains(*module))
        .map(|(_, line)| *line);
    for line in std::iter::once(PYDANTIC).chain(leant_on) {
        let is_asked = name_of(line).is_some_and(|name| asked.contains(&name));
        // Both are asked for then: the worker needs what it needs.
        let is_needed = line == PYDANTIC || !is_asked;
        if is_needed && !lines.iter().any(|other| other == line) {
            lines.push(line.to_owned());
        }
    }
}

fn is_framework(line: &str) -> bool {
    name_of(line).is_some_and(|name| FRAMEWORK.contains(&name.as_str()))
}

/// Whether a line installs the package itself, which brings the framework again.
fn is_itself(line: &str, root: &Path) -> bool {
    let place = line.strip_prefix("-e").unwrap_or(line).trim();
    let place = place.split('[').next().unwrap_or_default();
    place.starts_with('/') && Path::new(place) == root
}

/// Installers that see one hash want one for all, and what is added has none.
fn without_hashes(line: &mut String) {
    if let Some(start) = line.find("--hash") {
        line.truncate(start);
        line.truncate(line.trim_end().len());
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    fn package(files: &[(&str, &str)]) -> (TempDir, Project) {
        let directory = TempDir::new().unwrap();
        for (path, text) in files {
            let file = directory.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let project = Project::find(directory.path()).unwrap();
        (directory, project)
    }

    const PYPROJECT: &str = "[project]\nname = 'maze'\n\
        dependencies = ['openenv[core]>=0.2', 'chess==1.0', 'httpx>=0.27', 'tomli; python_version < \"3.11\"']\n";

    #[test]
    fn the_framework_is_left_out_and_what_is_leant_on_added() {
        let (_directory, project) = package(&[
            ("pyproject.toml", PYPROJECT),
            (
                "server/app.py",
                "import yaml, httpx, gradio\nfrom fastapi import FastAPI\nimport chess\n",
            ),
            (
                "client.py",
                "from openenv.core import EnvClient\nimport websockets\n",
            ),
        ]);
        let wanted = Wanted::of(&project, false).unwrap();
        assert_eq!(
            wanted.lines,
            [
                "chess==1.0",
                "httpx>=0.27",
                "tomli; python_version < \"3.11\"",
                "pydantic>=2",
                "websockets",
                "pyyaml",
            ]
        );
        assert_eq!(wanted.count(), 6);
        assert_eq!(required_names(&project).unwrap(), ["chess", "httpx"]);
    }

    #[test]
    fn in_full_it_is_what_was_asked_for() {
        let (_directory, project) = package(&[
            ("pyproject.toml", PYPROJECT),
            ("server/app.py", "import yaml\n"),
            ("uv.lock", "version = 1\n"),
        ]);
        let wanted = Wanted::of(&project, true).unwrap();
        assert_eq!(wanted.lines, project.requirements.dependencies);
        assert!(wanted.lock.is_some());
        assert!(Wanted::of(&project, false).unwrap().lock.is_none());
    }

    #[test]
    fn lines_that_would_bring_the_framework_back_are_left_out() {
        let (_directory, project) = package(&[
            (
                "requirements.txt",
                "-e .[dev]\n.\n-e ./other\nopenenv-core\nchess==1 --hash=sha256:00\n--require-hashes\n--pre\n",
            ),
            ("app.py", ""),
        ]);
        let wanted = Wanted::of(&project, false).unwrap();
        let other = format!("-e {}", project.root.join("other").display());
        assert_eq!(
            wanted.lines,
            [other.as_str(), "chess==1", "--pre", "pydantic>=2"]
        );
        assert_eq!(wanted.count(), 3);
    }

    #[test]
    fn the_digest_is_of_all_that_makes_a_difference() {
        let (_directory, project) = package(&[("pyproject.toml", PYPROJECT), ("app.py", "")]);
        let light = Wanted::of(&project, false).unwrap();
        let digest = light.digest("3.12 /usr/bin/python3");
        assert_eq!(digest.len(), 16);
        assert_eq!(digest, light.digest("3.12 /usr/bin/python3"));
        assert_ne!(digest, light.digest("3.13 /usr/bin/python3"));
        let full = Wanted::of(&project, true).unwrap();
        assert_ne!(digest, full.digest("3.12 /usr/bin/python3"));

        fs::write(project.root.join("app.py"), "import rich").unwrap();
        let more = Wanted::of(&project, false).unwrap();
        assert_ne!(digest, more.digest("3.12 /usr/bin/python3"));
        let lock = "[[package]]\nname = 'rich'\nversion = '1'\nsource = {registry = 'x'}\n";
        fs::write(project.root.join("uv.lock"), lock).unwrap();
        let locked = Wanted::of(&Project::find(&project.root).unwrap(), false).unwrap();
        assert_eq!(locked.lines, more.lines);
        assert_ne!(more.digest("3.12"), locked.digest("3.12"));
    }
}
