//! What a package asks to have installed.

use std::path::{Path, PathBuf};

use serde::Serialize;

use super::pyproject::Pyproject;

/// Where requirements may stand besides `pyproject.toml`, in the order they are looked at.
const FILES: [&str; 2] = ["requirements.txt", "server/requirements.txt"];

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
}
