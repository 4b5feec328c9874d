//! `openenv run` and `openenv containers`, on a real engine.

use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::Value;

use crate::commands::assert_fails;
use crate::serving::{Serving, openenv, wait_for};

/// The image that `cargo xtask test docker` makes.
fn image() -> String {
    std::env::var("OPENENV_TEST_IMAGE").expect("`cargo xtask test docker` sets it")
}

/// The command, with the engine of the tests.
pub(crate) fn command(arguments: &str) -> Command {
    let mut command = openenv(arguments);
    if let Some(host) = std::env::var_os("DOCKER_HOST") {
        command.env("DOCKER_HOST", host);
    }
    command
}

/// A container of the image that runs until it is told to stop.
fn run(options: &str) -> Serving {
    Serving::start(command(&format!("run {} {options}", image())))
}

fn output(arguments: &str) -> Output {
    command(arguments).output().unwrap()
}

fn lines(output: &Output) -> Vec<&str> {
    assert!(output.status.success(), "{output:?}");
    std::str::from_utf8(&output.stdout)
        .unwrap()
        .lines()
        .collect()
}

/// What is listed about the container whose server is there.
fn listed(url: &str) -> Option<Value> {
    let output = output("containers list --json");
    let containers: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let mut containers = containers.into_iter();
    containers.find(|container| container["url"] == url)
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn runs_until_it_is_told_to_stop() {
    let server = run("--env LEVEL=3 --memory 256MiB --cpus 0.5 --pids 64 --read-only");
    let health = server.request("GET /health", "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    let step = server.request("POST /step", r#"{"action": {"variable": "LEVEL"}}"#);
    assert!(step.contains(r#""text":"3""#), "{step}");
    let url = server.url.clone();
    let container = listed(&url).unwrap();
    assert_eq!(container["image"], image());
    assert_eq!(container["owner"], server.id());
    assert_eq!(container["owner_state"], "alive");
    let table = output("containers list");
    let name = container["name"].as_str().unwrap();
    assert!(lines(&table).iter().any(|line| line.starts_with(name)));

    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("listening on 0.0.0.0:8000"), "{stderr}");
    assert!(stderr.contains(&format!("is healthy at {url}")), "{stderr}");
    assert_eq!(listed(&url), None);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_container_that_ends_by_itself_is_told() {
    let server = run("-q");
    let url = server.url.clone();
    // Nobody answers this one; who does not wait calls it off.
    let _asked = server.send("POST /step", r#"{"action": {"exit": 7}}"#);
    let (status, stderr) = server.wait();
    assert_eq!(status.code(), Some(1), "{stderr}");
    assert!(
        stderr.contains("ended: exit code 7; its last output:"),
        "{stderr}"
    );
    assert_eq!(listed(&url), None);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn what_cannot_be_run_is_told() {
    let failed = output("run openenv-test-nothing");
    assert_fails(
        &failed,
        1,
        &["no image `openenv-test-nothing`", "`openenv build`"],
    );
    let failed = output(&format!("run {} -e EXIT=3", image()));
    assert_fails(&failed, 1, &["exit code 3", "the server is told to end"]);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn what_a_killed_program_leaves_behind_is_pruned() {
    let living = run("");
    let killed = run("");
    let (url, id) = (killed.url.clone(), killed.id());
    let container = listed(&url).unwrap();
    let name = container["name"].as_str().unwrap();
    // Dropped, it is killed as nobody can expect.
    drop(killed);
    wait_for("its owner is gone", || {
        listed(&url).unwrap()["owner_state"] == "gone"
    });
    assert_eq!(container["owner"], id);

    let would = output("containers prune --dry-run");
    assert!(lines(&would).contains(&name), "{would:?}");
    assert!(listed(&url).is_some());
    let removed = output("containers prune");
    assert!(lines(&removed).contains(&name), "{removed:?}");
    assert_eq!(listed(&url), None);

    let health = living.request("GET /health", "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    assert_eq!(living.stop().0.code(), Some(0));
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_second_signal_does_not_wait() {
    let server = run("--env DEAF=1 --stop-timeout 600");
    let url = server.url.clone();
    server.terminate();
    std::thread::sleep(Duration::from_millis(500));
    assert!(listed(&url).is_some());
    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    assert_eq!(listed(&url), None);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_log_that_nobody_reads_holds_nothing_up() {
    let mut child = command(&format!("run {} -q --env CHATTY=1", image()))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut url = String::new();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    stdout.read_line(&mut url).unwrap();
    assert!(listed(url.trim()).is_some(), "{url}");
    // The pipe of standard error is full long before.
    std::thread::sleep(Duration::from_millis(500));
    let id = child.id().to_string();
    let asked = Command::new("kill").args(["-TERM", &id]).status();
    assert!(asked.unwrap().success());
    wait_for("its container is gone", || listed(url.trim()).is_none());
    drop(child.stderr.take());
    assert!(child.wait().unwrap().success());
}

#[test]
fn an_engine_that_is_not_there_is_named() {
    for arguments in ["run any", "containers list", "containers prune"] {
        let mut command = openenv(arguments);
        command.env("DOCKER_HOST", "unix:///nowhere/docker.sock");
        let output = command.output().unwrap();
        let message = "no container engine answers at `unix:///nowhere/docker.sock`";
        assert_fails(&output, 1, &[message, "`DOCKER_HOST`"]);
    }
}
