//! Fixtures, served from Python.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openenv::python::{Options, Project, Workers};
use openenv::{Result, Server, ServerBuilder};

use super::installed::Installed;

/// Where the fixtures are.
pub(super) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/python")
}

/// What a fixture is, by its directory and what is to be served of it: `.` is the
/// directory itself, anything else an object in it.
pub(super) fn project(directory: &str, target: &str) -> Result<Project> {
    let directory = fixtures().join(directory);
    match target {
        "." => Project::find(directory),
        object => Project::of_object(object, directory),
    }
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
