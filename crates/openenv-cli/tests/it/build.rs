//! `openenv build` where no engine is needed, or none is there.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::commands::assert_fails;
use crate::serving::openenv;

const MANIFEST: &str = "[package]\nname = \"maze_env\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";

/// The package of a program that needs no other.
fn package() -> TempDir {
    let directory = tempfile::tempdir().unwrap();
    fs::create_dir(directory.path().join("src")).unwrap();
    fs::write(directory.path().join("Cargo.toml"), MANIFEST).unwrap();
    fs::write(directory.path().join("src/main.rs"), "fn main() {}\n").unwrap();
    directory
}

fn build(directory: &Path, arguments: &str) -> std::process::Output {
    let mut command = openenv("build");
    // For cargo, and where that keeps its things.
    for name in ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"] {
        if let Some(value) = std::env::var_os(name) {
            command.env(name, value);
        }
    }
    command.args(arguments.split_whitespace());
    command.current_dir(directory).output().unwrap()
}

#[test]
fn a_file_needs_no_engine_and_is_the_same_each_time() {
    let package = package();
    let arguments = "--engine unix:///nowhere.sock --profile dev --offline --json --output";
    let mut files = Vec::new();
    for name in ["one.tar", "two.tar"] {
        let output = build(package.path(), &format!("{arguments} {name}"));
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let tags = serde_json::json!(["openenv-maze:latest", "maze-env:latest"]);
        assert_eq!(report["tags"], tags);
        assert_eq!(report["output"], name);
        assert!(report["image_id"].as_str().unwrap().starts_with("sha256:"));
        assert!(
            said.contains("built openenv-maze:latest and maze-env:latest, "),
            "{said}"
        );
        files.push(fs::read(package.path().join(name)).unwrap());
    }
    assert!(files[0] == files[1], "the files differ");
}

#[test]
fn where_there_is_nothing_to_build_it_says_so() {
    let nothing = tempfile::tempdir().unwrap();
    for arguments in ["", "."] {
        assert_fails(
            &build(nothing.path(), arguments),
            1,
            &["there is no environment in `.`", "hint: ", "`Cargo.toml`"],
        );
    }
    assert_fails(
        &build(nothing.path(), "there"),
        1,
        &["there is no directory `there`"],
    );
    let output = build(nothing.path(), "-f Dockerfile");
    assert_fails(&output, 1, &["could not read `Dockerfile`"]);
}

#[test]
fn an_engine_that_is_missing_is_named_before_anything_is_compiled() {
    let package = package();
    let output = build(package.path(), "--engine unix:///nowhere/docker.sock");
    assert_fails(
        &output,
        1,
        &["`unix:///nowhere/docker.sock`", "hint: ", "`--output FILE`"],
    );
    assert!(!package.path().join("target").exists());
}

#[test]
fn bad_arguments_are_refused() {
    let package = package();
    let refused = |arguments: &str, text: &str| {
        assert_fails(&build(package.path(), arguments), 2, &[text]);
    };
    refused("--tag Maze", "no name of an image");
    refused("--build-arg =1", "write it as `NAME=VALUE`");
    refused("--build-arg OPENENV_NO_SUCH", "no such variable");
    refused("--label colour", "write it as `NAME=VALUE`");
    refused("--context .", "--dockerfile");
}

#[test]
fn errors_of_the_compiler_are_shown_even_if_nothing_else_is() {
    let package = package();
    fs::write(package.path().join("src/main.rs"), "fn main() { oh }\n").unwrap();
    let output = build(package.path(), "-q --profile dev --offline --output a.tar");
    assert_fails(
        &output,
        1,
        &["cannot find value `oh`", "could not build `maze_env`"],
    );
}
