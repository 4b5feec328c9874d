//! Which Python runs a package, as a program that uses the library sees it.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;

use openenv::python::{InterpreterOptions, InterpreterOrigin, Project, choose};
use serde_json::json;

use super::Tree;

/// A virtual environment that seems to have pydantic.
fn venv(directory: PathBuf) -> PathBuf {
    let mut make = Command::new("python3");
    make.args(["-m", "venv", "--without-pip"]).arg(&directory);
    assert!(make.status().unwrap().success());
    let lib = fs::read_dir(directory.join("lib")).unwrap().next();
    let packages = lib.unwrap().unwrap().path().join("site-packages");
    let info = packages.join("pydantic-2.1.dist-info");
    fs::create_dir(&info).unwrap();
    let metadata = "Metadata-Version: 2.1\nName: pydantic\nVersion: 2.1\n";
    fs::write(info.join("METADATA"), metadata).unwrap();
    directory
}

/// Every file below a directory, and when it was changed.
fn contents(directory: &Path) -> Vec<(PathBuf, std::time::SystemTime)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let entry = entry.unwrap();
        found.push((entry.path(), entry.metadata().unwrap().modified().unwrap()));
        if entry.file_type().unwrap().is_dir() {
            found.extend(contents(&entry.path()));
        }
    }
    found.sort();
    found
}

#[tokio::test]
async fn an_interpreter_that_is_there_is_used_and_not_changed() {
    let tree = Tree::new("maze")
        .file("pyproject.toml", "[project]\ndependencies = ['chess']\n")
        .files(&["server/app.py"]);
    let directory = venv(tree.join(".venv"));
    let before = contents(&directory);
    let project = Project::find(tree.path()).unwrap();
    let told = Mutex::new(Vec::new());
    let progress = |line: &str| told.lock().unwrap().push(line.to_owned());
    let own = choose(&project, &InterpreterOptions::default(), &progress)
        .await
        .unwrap();
    assert_eq!(own.origin, InterpreterOrigin::Package);
    assert_eq!(own.path, directory.join("bin/python"));
    let expected = "it does not have chess, which maze requires";
    assert!(told.lock().unwrap()[0].ends_with(expected));

    let options = InterpreterOptions {
        explicit: Some(directory.clone()),
        ..InterpreterOptions::default()
    };
    let asked = choose(&project, &options, &|_| {}).await.unwrap();
    assert_eq!(asked.origin, InterpreterOrigin::Explicit);
    assert_eq!(asked.path, own.path);
    assert_eq!(contents(&directory), before);

    let shown = serde_json::to_value(&own).unwrap();
    assert_eq!(shown["origin"], "package");
    assert_eq!(shown["openenv"], json!(null));
}
