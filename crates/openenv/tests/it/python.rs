//! Environments in Python: what is found, what runs it, and what is answered.

mod families;
mod faults;
mod fixtures;
mod golden;
mod installed;
mod interpreter;
mod isolation;
mod packages;
mod project;
mod serving;

use std::fs;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

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
