//! Packages that are made for a test.

use std::fs;
use std::path::{Path, PathBuf};

/// A directory with files, which is gone at the end.
#[derive(Debug)]
pub(crate) struct Package {
    directory: tempfile::TempDir,
}

impl Package {
    pub(crate) fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self { directory }
    }

    pub(crate) fn path(&self) -> &Path {
        self.directory.path()
    }

    pub(crate) fn join(&self, path: &str) -> PathBuf {
        self.path().join(path)
    }
}
