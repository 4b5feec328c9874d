//! Environments in Python: what is found, and what runs it.

mod faults;
mod interpreter;
mod isolation;
mod project;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A Python without the framework, which starts quickly.
fn light() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.join(".venvs/standin/bin/python")
}

/// A directory with files in it, below a name of one's choice.
struct Tree {
    directory: TempDir,
    name: &'static str,
}

impl Tree {
    fn new(name: &'static str) -> Self {
        let tree = Self {
            directory: TempDir::new().unwrap(),
            name,
        };
        fs::create_dir(tree.path()).unwrap();
        tree
    }

    fn file(self, path: &str, text: &str) -> Self {
        let file = self.path().join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
        self
    }

    fn files(self, paths: &[&str]) -> Self {
        paths.iter().fold(self, |tree, path| tree.file(path, ""))
    }

    fn path(&self) -> PathBuf {
        // Some systems have their temporary directory behind a link.
        let above = fs::canonicalize(self.directory.path()).unwrap();
        above.join(self.name)
    }

    fn join(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path().join(path)
    }
}
