//! Virtual environments with packages in them, as `cargo xtask test workers` makes them.

use std::env;
use std::path::{Path, PathBuf};

use openenv::python::InterpreterOptions;

/// A virtual environment, by its name below `.venvs`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Installed(pub(super) &'static str);

/// The package that the answers were recorded with.
pub(super) const OPENENV: Installed = Installed("openenv-0.10.0");

/// pydantic and fastmcp, without `openenv`.
pub(super) const STANDIN: Installed = Installed("standin");

impl Installed {
    /// A program that is installed there.
    pub(super) fn program(self, name: &str) -> PathBuf {
        directory().join(self.0).join("bin").join(name)
    }

    /// # Panics
    /// If it is not there.
    pub(super) fn interpreter(self) -> InterpreterOptions {
        let python = self.program("python");
        assert!(
            python.exists(),
            "there is no `{}`: `cargo xtask test workers` makes it and runs these tests",
            python.display()
        );
        InterpreterOptions {
            explicit: Some(python),
            cache: Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("python")),
            ..InterpreterOptions::default()
        }
    }
}

fn directory() -> PathBuf {
    match env::var_os("OPENENV_TEST_VENVS") {
        Some(directory) => directory.into(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../../.venvs"),
    }
}
