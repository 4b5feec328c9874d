//! Where things are that several tests use.

use std::path::{Path, PathBuf};

/// The root of the repository.
pub(crate) fn workspace() -> &'static Path {
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    above.into_iter().nth(2).unwrap()
}

/// The directory of a package that other tests of Python use as well.
pub(crate) fn package(name: &str) -> PathBuf {
    workspace()
        .join("crates/openenv/tests/fixtures/python/packages")
        .join(name)
}

/// A program of the virtual environment with the reference.
///
/// # Panics
/// If it is not there.
pub(crate) fn reference(program: &str) -> PathBuf {
    let told = std::env::var_os("OPENENV_TEST_VENVS").map(PathBuf::from);
    let kept = told.unwrap_or_else(|| workspace().join(".venvs"));
    let program = kept.join("openenv-0.10.0/bin").join(program);
    assert!(
        program.exists(),
        "there is no `{}`: `cargo xtask test workers` makes it and runs these tests",
        program.display()
    );
    program
}
