//! `openenv build` with a real engine.
//!
//! Images of packages in Python need a base, and none can be pulled where tests run: `cargo
//! xtask test docker` makes one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use crate::commands::assert_fails;
use crate::docker::command;
use crate::place::{package, workspace};

const PATIENCE: Duration = Duration::from_mins(1);

fn run(program: &str, arguments: &[&str]) -> String {
    let output = Command::new(program).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program} {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// A path that is made by one test while the others wait, if it is not there.
fn kept(name: &str, make: impl FnOnce(&Path)) -> PathBuf {
    let directory = workspace().join("target/images");
    fs::create_dir_all(&directory).unwrap();
    let lock = fs::File::create(directory.join(format!("{name}.lock"))).unwrap();
    lock.lock().unwrap();
    let path = directory.join(name);
    if !path.exists() {
        let new = directory.join(format!("{name}.new"));
        make(&new);
        fs::rename(new, &path).unwrap();
    }
    path
}

/// A small Debian with Python, as an archive.
fn base_archive() -> PathBuf {
    let archive = std::env::var_os("OPENENV_TEST_DEBIAN");
    let archive = archive.expect("`cargo xtask test docker` makes a Debian for this test");
    archive.into()
}

/// What the packages require, for the Python of that base.
fn wheels() -> PathBuf {
    kept("wheels", |directory| {
        let directory = directory.to_str().unwrap();
        let mut arguments = vec!["-m", "pip", "download", "--quiet", "--dest", directory];
        arguments.extend([
            "--only-binary=:all:",
            "--python-version",
            "3.11",
            "pydantic>=2",
        ]);
        run("python3", &arguments);
    })
}

/// Images of this test run, which are gone with it.
struct Images {
    names: Vec<String>,
}

impl Images {
    fn new() -> Self {
        Self { names: Vec::new() }
    }

    fn name(&mut self, what: &str) -> String {
        let name = format!("openenv-test-{what}:{}", std::process::id());
        self.names.push(name.clone());
        name
    }

    fn identities(&self) -> Vec<String> {
        let mut command = Command::new("docker");
        command.args(["image", "inspect", "--format", "{{.Id}}"]);
        let output = command.args(&self.names).output().unwrap();
        let output = String::from_utf8_lossy(&output.stdout).into_owned();
        output.lines().map(str::to_owned).collect()
    }

    fn base(&mut self) -> String {
        let name = self.name("python-base");
        run(
            "docker",
            &["import", base_archive().to_str().unwrap(), &name],
        );
        name
    }
}

impl Drop for Images {
    fn drop(&mut self) {
        // Builds leave what their steps made, which is all on top of the base.
        let known = run("docker", &["images", "--all", "--quiet", "--no-trunc"]);
        let mut arguments = vec!["image", "inspect", "--format", "{{.Id}} {{.Parent}}"];
        arguments.extend(known.lines());
        let output = Command::new("docker").args(&arguments).output().unwrap();
        let parents = String::from_utf8_lossy(&output.stdout).into_owned();
        let mut remove = self.identities();
        let mut seen = 0;
        while seen < remove.len() {
            let above = parents
                .lines()
                .filter_map(|line| line.split_once(' '))
                .filter(|(_, parent)| *parent == remove[seen])
                .map(|(id, _)| id.to_owned());
            let above: Vec<_> = above.filter(|id| !remove.contains(id)).collect();
            remove.extend(above);
            seen += 1;
        }
        for id in remove.iter().rev().chain(&self.names) {
            let _ = Command::new("docker").args(["rmi", "--force", id]).output();
        }
    }
}

struct Container(String);

impl Drop for Container {
    fn drop(&mut self) {
        let _ = Command::new("docker")
            .args(["rm", "--force", &self.0])
            .output();
    }
}

impl Container {
    /// Asks until it answers.
    fn ask(&self, path: &str, body: &str) -> String {
        let address = run("docker", &["port", &self.0, "8000/tcp"]);
        let url = format!("http://{}{path}", address.lines().next().unwrap());
        let begin = Instant::now();
        loop {
            let asked = Command::new("curl")
                .args(["--silent", "--max-time", "20", &url])
                .args(["--header", "content-type: application/json", "--data", body])
                .output()
                .unwrap();
            if asked.status.success() && !asked.stdout.is_empty() {
                return String::from_utf8(asked.stdout).unwrap();
            }
            assert!(begin.elapsed() < PATIENCE, "{url} does not answer");
            std::thread::sleep(Duration::from_millis(50));
        }
    }
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_package_in_python_is_served_without_rights_and_without_a_network() {
    let mut images = Images::new();
    let (base, name) = (images.base(), images.name("lamps"));
    let output = command("build")
        .arg(package("script_entry"))
        .args([
            "--base",
            &base,
            "--tag",
            &name,
            "--network",
            "none",
            "--wheels",
        ])
        .arg(wheels())
        .args([
            "--build-arg",
            "PIP_INDEX_URL=https://user:secret@index.example/",
        ])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    assert_eq!(String::from_utf8_lossy(&output.stdout), format!("{name}\n"));
    let history = run("docker", &["history", "--no-trunc", &name]);
    let inspected = run("docker", &["image", "inspect", &name]);
    assert!(!history.contains("secret") && !inspected.contains("secret"));
    assert!(
        inspected.contains(r#""org.openenv.name": "lamps""#),
        "{inspected}"
    );

    let mut arguments = vec![
        "run",
        "--detach",
        "--publish",
        "127.0.0.1::8000",
        "--read-only",
    ];
    arguments.extend(["--cap-drop", "ALL", "--security-opt", "no-new-privileges"]);
    arguments.extend(["--pids-limit", "256", "--tmpfs", "/tmp", &name]);
    let container = Container(run("docker", &arguments));
    let reset = container.ask("/reset", "{}");
    assert!(reset.contains(r#""lit":5"#), "{reset}");
    let step = container.ask("/step", r#"{"action":{"row":1,"column":1}}"#);
    assert!(step.contains(r#""reward":-5.0"#), "{step}");
    assert_eq!(run("docker", &["exec", &container.0, "id", "-u"]), "65532");
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn what_fails_in_an_image_is_told_with_what_can_be_done() {
    let mut images = Images::new();
    let (base, name) = (images.base(), images.name("broken"));
    let build_on = |base: &str, package_name: &str, more: &[&str]| {
        command("build")
            .arg(package(package_name))
            .args(["--base", base, "--tag", &name, "--wheels"])
            .arg(wheels())
            .args(more)
            .output()
            .unwrap()
    };
    let build = |package_name: &str, more: &[&str]| build_on(&base, package_name, more);
    let output = build("missing_dependency", &[]);
    assert_fails(
        &output,
        1,
        &["openenv-fixture-tide-tables", "`--build-arg PIP_INDEX_URL="],
    );
    let output = build("broken_import", &[]);
    assert_fails(&output, 1, &["inspect /app/env", "`--no-check`"]);
    let output = build(
        "script_entry",
        &["--server", "/usr/share/dict/../../lib/os-release"],
    );
    assert_fails(&output, 1, &["--version", "`--server FILE`"]);
    let output = build_on("openenv-test-nobody-has:1", "script_entry", &[]);
    let expected = "the base image `openenv-test-nobody-has:1` is not here and cannot be had";
    assert_fails(&output, 1, &[expected, "docker pull"]);
}
