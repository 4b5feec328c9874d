//! What `openenv init` writes: built, tested, served by both servers, and graded by the reference.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use super::{Bench, interpreter};
use crate::place::workspace;
use crate::serving::{Serving, openenv, openenv_with_cargo};

const TEMPLATES: [&str; 3] = ["typed", "tools", "game"];

/// Writes `my_env` below a directory.
fn init(place: &Path, arguments: &str) -> PathBuf {
    let mut command = openenv("init -q");
    command.args(arguments.split_whitespace());
    run(command.current_dir(place));
    place.join(arguments.split_whitespace().next().unwrap())
}

/// Runs a command that has to go well.
#[track_caller]
fn run(command: &mut Command) {
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{command:?} failed:\n{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The tests of a project, on a server that runs or on the reference's.
#[track_caller]
fn pytest(python: &Path, project: &Path, server: Option<&Serving>) {
    let mut command = Command::new(python);
    command
        .args(["-m", "pytest", "-q", "-p", "no:cacheprovider"])
        .current_dir(project);
    if let Some(server) = server {
        command.env("OPENENV_TEST_URL", &server.url);
    }
    run(&mut command);
}

/// Lets the reference grade projects, each on a server by its URL, or on `reference`.
#[track_caller]
fn grade<'a>(subjects: impl IntoIterator<Item = (&'a PathBuf, &'a str)>) {
    let graders = workspace().join("crates/openenv-cli/tests/fixtures/graders.py");
    let mut command = Command::new(interpreter());
    command.arg(graders);
    for (project, url) in subjects {
        command.arg(project).arg(url);
    }
    run(&mut command);
}

/// The Python of another generation, beside that of the tests.
fn generation(name: &str) -> PathBuf {
    let venvs = interpreter();
    let venvs = venvs.ancestors().nth(3).unwrap();
    venvs.join(name).join("bin/python")
}

fn in_python(template: &str) {
    let bench = Bench::new();
    let place = TempDir::new().unwrap();
    let project = init(place.path(), &format!("my_env --template {template}"));
    pytest(&bench.python, &project, None);
    if template == "typed" {
        // What the others use of the package is no newer.
        pytest(&generation("openenv-0.4.1"), &project, None);
    }
    // Once with the reference's package, once with what stands in for it.
    let [full, light] = [bench.python.clone(), generation("standin")].map(|python| {
        let mut serve = bench.openenv("serve --port 0", &project);
        serve.env("OPENENV_PYTHON", python);
        Serving::start(serve)
    });
    pytest(&bench.python, &project, Some(&light));
    let servers = ["reference", &full.url, &light.url];
    grade(servers.map(|server| (&project, server)));
    full.stop();
    light.stop();
    run(&mut bench.openenv("validate", &project));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn typed_in_python_works_on_both_servers() {
    in_python("typed");
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn tools_in_python_work_on_both_servers() {
    in_python("tools");
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn game_in_python_works_on_both_servers() {
    in_python("game");
}

/// One workspace with all of them is built once; its dependencies are those of this one.
#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn all_in_rust_build_pass_their_tests_and_are_graded() {
    // Always the same place, so that what was built last time is of use.
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("templates");
    let _ = fs::remove_dir_all(&place);
    fs::create_dir_all(&place).unwrap();
    let projects = TEMPLATES.map(|template| {
        let options = format!("{template}_env --lang rust --template {template}");
        init(&place, &options)
    });
    for project in &projects {
        let sources = ["src/main.rs", "tests/episode.rs"].map(|path| project.join(path));
        let mut rustfmt = Command::new("rustfmt");
        run(rustfmt.args(["--edition", "2024", "--check"]).args(sources));
    }
    fs::write(
        place.join("Cargo.toml"),
        r#"
[workspace]
resolver = "3"
members = ["*_env"]
[profile.dev]
debug = false
[profile.dev.package]
"*" = { opt-level = 1, debug = false }
openenv = { opt-level = 0 }
openenv-serve = { opt-level = 0 }
openenv-schema = { opt-level = 0 }
"#,
    )
    .unwrap();
    fs::copy(workspace().join("Cargo.lock"), place.join("Cargo.lock")).unwrap();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["test", "--offline", "--quiet"])
        .env("CARGO_TARGET_DIR", target)
        .env("CARGO_INCREMENTAL", "0")
        .current_dir(&place);
    run(&mut cargo);
    let openenv = |arguments: &str, project: &Path| {
        let mut command = openenv_with_cargo(arguments);
        command.env("CARGO_TARGET_DIR", target).arg(project);
        command
    };
    for project in &projects {
        run(&mut openenv("validate", project));
    }
    let servers = projects
        .each_ref()
        .map(|project| Serving::start(openenv("serve --port 0", project)));
    let urls = servers.iter().map(|server| &*server.url);
    grade(projects.iter().zip(urls));
    for server in servers {
        let (status, _) = server.stop();
        assert!(status.success());
    }
}
