//! What the files of a package import.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// How many files are looked at; a package has fewer, and a home directory has no end.
const MOST_FILES: usize = 1000;

/// How deep they are looked for.
const DEEPEST: usize = 8;

/// Directories whose files do not run with the environment.
const ASIDE: [&str; 9] = [
    "build",
    "dist",
    "docs",
    "examples",
    "node_modules",
    "outputs",
    "site-packages",
    "test",
    "tests",
];

/// The first names of what the Python files below a directory import, without their own.
///
/// Found by how a line begins. So a line of a text may count that only looks like
/// an import, which installs a package too many and breaks nothing.
pub(super) fn imported(directory: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut left = MOST_FILES;
    look(directory, DEEPEST, &mut left, &mut found);
    found.retain(|name| {
        let own = directory.join(name);
        !own.is_dir() && !own.with_extension("py").exists()
    });
    found
}

fn look(directory: &Path, depth: usize, left: &mut usize, found: &mut BTreeSet<String>) {
    let Ok(entries) = fs::read_dir(directory) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let (Some(name), Ok(kind)) = (name.to_str(), entry.file_type()) else {
            continue;
        };
        if name.starts_with(['.', '_']) && kind.is_dir() {
            continue;
        }
        let path = entry.path();
        // Links are not followed: they may lead back.
        if kind.is_dir() {
            let aside = ASIDE.contains(&name) || path.join("pyvenv.cfg").exists();
            if depth > 0 && !aside {
                look(&path, depth - 1, left, found);
            }
        } else if is_source(name) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            // Python reads other encodings too; names of modules are ASCII in all of them.
            let text = fs::read(&path).unwrap_or_default();
            found.extend(String::from_utf8_lossy(&text).lines().flat_map(names));
        }
    }
}

fn is_source(name: &str) -> bool {
    name.strip_suffix(".py").is_some_and(|module| {
        !module.starts_with("test_") && !module.ends_with("_test") && module != "conftest"
    })
}

/// The first names of the modules that a line imports.
fn names(line: &str) -> Vec<String> {
    let line = line.trim_start();
    let modules = if let Some(rest) = line.strip_prefix("import ") {
        rest.split('#').next().unwrap_or_default()
    } else if let Some(rest) = line.strip_prefix("from ")
        && let Some((module, _)) = rest.split_once(" import")
    {
        module
    } else {
        return Vec::new();
    };
    let first = |module: &str| {
        let module = module.split_whitespace().next()?;
        let name = module.split('.').next()?;
        let is_name = |it: char| it.is_ascii_alphanumeric() || it == '_';
        (!name.is_empty() && name.chars().all(is_name)).then(|| name.to_owned())
    };
    modules.split(',').filter_map(first).collect()
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    #[test]
    fn a_line_imports_modules() {
        for (line, expected) in [
            ("import yaml", &["yaml"] as &[_]),
            ("    import os.path as p, rich  # shown", &["os", "rich"]),
            ("from fastmcp.server import Server, Tool", &["fastmcp"]),
            ("from httpx import (", &["httpx"]),
            ("from . import models", &[]),
            ("from ..models import Maze", &[]),
            ("from the start it was clear", &[]),
            ("important = 1", &[]),
            ("import(x)", &[]),
        ] {
            assert_eq!(names(line), expected, "{line}");
        }
    }

    #[test]
    fn files_of_the_package_count() {
        let directory = TempDir::new().unwrap();
        for (path, text) in [
            (
                "server/app.py",
                "import models\nimport yaml\nfrom server import x\n",
            ),
            (
                "models.py",
                "try:\n    import numpy\nexcept ImportError:\n    pass\n",
            ),
            ("tests/helper.py", "import pytest\n"),
            ("test_maze.py", "import pytest\n"),
            (".venv/lib/six.py", "import six\n"),
            ("env/pyvenv.cfg", ""),
            ("env/lib/seven.py", "import seven\n"),
            ("notes.txt", "import eight\n"),
        ] {
            let file = directory.path().join(path);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let found: Vec<_> = imported(directory.path()).into_iter().collect();
        assert_eq!(found, ["numpy", "yaml"]);
    }
}
