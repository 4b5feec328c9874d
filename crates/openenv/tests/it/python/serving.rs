//! Fixtures, served from Python.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use openenv::python::{Options, Project, Workers};
use openenv::{Result, Server, ServerBuilder};

use super::installed::{Installed, OPENENV};

/// Where the fixtures are.
pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python")
}

/// What a fixture is, by its directory and what is to be served of it: `.` is the
/// directory itself, anything else an object in it.
pub(super) fn project(directory: &str, target: &str) -> Result<Project> {
    let directory = match directory.strip_prefix("scaffolds/") {
        Some(name) => scaffold(name),
        None => fixtures().join(directory),
    };
    match target {
        "." => Project::find(directory),
        object => Project::of_object(object, directory),
    }
}

/// What `openenv init` of the reference writes, made once: it is not ours to keep.
fn scaffold(name: &str) -> PathBuf {
    let kept = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scaffolds");
    let made = kept.join(name);
    if !made.is_dir() {
        fs::create_dir_all(&kept).unwrap();
        let beside = tempfile::tempdir_in(&kept).unwrap();
        let init = Command::new(OPENENV.program("openenv"))
            .args(["init", name, "-o"])
            .arg(beside.path())
            .output()
            .unwrap();
        assert!(init.status.success(), "{init:?}");
        // Another test may have been quicker.
        let moved = fs::rename(beside.path().join(name), &made);
        assert!(moved.is_ok() || made.is_dir(), "{moved:?}");
    }
    made
}

/// Workers of a fixture, with variables that it needs.
pub(super) async fn start(
    project: &Project,
    python: Installed,
    variables: BTreeMap<String, String>,
) -> Result<Workers> {
    let mut options = Options::default();
    options.interpreter = python.interpreter();
    options.variables = variables;
    options.workers = 1;
    Workers::start(project, options, &|_| {}).await
}

/// A server of a fixture.
///
/// # Panics
/// If it cannot be served.
pub(super) async fn serve(
    project: &Project,
    python: Installed,
    variables: BTreeMap<String, String>,
) -> ServerBuilder {
    match start(project, python, variables).await {
        Ok(workers) => Server::builder().python(workers),
        Err(error) => panic!("`{}` with {python:?}: {error}", project.name),
    }
}
