//! `openenv build` where no engine is needed, or none is there.

use std::cell::OnceCell;
use std::fs;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::commands::assert_fails;
use crate::serving::{openenv, openenv_with_cargo, wait_for};

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
    let mut command = openenv_with_cargo("build");
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
    refused("--source-date-epoch 253402300800", "253402300800");
    for option in ["--base a", "--profile dev", "--wheels .", "--full"] {
        let name = option.split(' ').next().unwrap();
        refused(&format!("--dockerfile a {option}"), name);
    }
}

#[test]
fn options_that_would_do_nothing_are_refused_by_name() {
    let in_rust = package();
    for option in ["--wheels .", "--full", "--no-cache", "--build-arg A=1"] {
        let name = option.split(' ').next().unwrap();
        let output = build(in_rust.path(), &format!("{option} --output a.tar"));
        assert_fails(
            &output,
            1,
            &[&format!("`{name}` is for "), "hint: leave it"],
        );
    }
    let in_python = tempfile::tempdir().unwrap();
    fs::create_dir(in_python.path().join("server")).unwrap();
    for (file, text) in [
        ("openenv.yaml", "name: maze\napp: server.app:app\n"),
        ("server/app.py", "app = None\n"),
    ] {
        fs::write(in_python.path().join(file), text).unwrap();
    }
    for option in ["--profile release", "--locked", "--offline"] {
        let name = option.split(' ').next().unwrap();
        let output = build(in_python.path(), option);
        assert_fails(&output, 1, &[&format!("`{name}` is for packages in Rust")]);
    }
}

#[test]
fn a_file_that_cannot_be_written_is_named_before_anything_is_compiled() {
    let package = package();
    for output in ["nowhere/a.tar", "src"] {
        let refused = build(package.path(), &format!("--output {output}"));
        assert_fails(&refused, 1, &[&format!("could not write `{output}`")]);
    }
    assert!(!package.path().join("target").exists());
}

#[test]
fn a_file_stays_as_it_was_if_the_build_is_ended() {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("Dockerfile"), "FROM scratch\n").unwrap();
    fs::write(directory.path().join("a.tar"), "before").unwrap();
    // An engine that never answers.
    let socket = directory.path().join("engine.sock");
    let engine = UnixListener::bind(&socket).unwrap();
    engine.set_nonblocking(true).unwrap();
    let files = || fs::read_dir(directory.path()).unwrap().count();
    let before = files();
    let building = openenv("build -f Dockerfile --tag maze --output a.tar --engine")
        .arg(format!("unix://{}", socket.display()))
        .current_dir(directory.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let connection = OnceCell::new();
    wait_for("the engine is asked", || {
        engine.accept().is_ok_and(|it| connection.set(it).is_ok())
    });
    assert_eq!(files(), before + 1);
    let kill = Command::new("kill")
        .args(["-TERM", &building.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let output = building.wait_with_output().unwrap();
    assert_fails(&output, 1, &["interrupted"]);
    assert_eq!(files(), before);
    let kept = fs::read_to_string(directory.path().join("a.tar")).unwrap();
    assert_eq!(kept, "before");
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
