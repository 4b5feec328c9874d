//! `--reload`: a new server for every change, on the port of the old one.

use std::fs;
use std::path::Path;

use super::{Bench, Session, signal};
use crate::serving::{Serving, wait_for};

/// An application whose environment answers a number.
fn application(answer: &str) -> String {
    format!(
        "from openenv.core.env_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State


class Answer(Observation):
    value: int


class Oracle(Environment):
    def reset(self, seed=None, episode_id=None):
        return Answer(value={answer})

    def step(self, action):
        return Answer(value={answer}, reward=1.0)

    @property
    def state(self):
        return State()


app = create_app(Oracle, Action, Answer, env_name='oracle')
"
    )
}

fn write(package: &Path, answer: &str) {
    fs::write(package.join("server/app.py"), application(answer)).unwrap();
}

fn answer(server: &Serving) -> String {
    server.request("POST /reset", "{}")
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_changes_is_served_anew_and_what_is_broken_changes_nothing() {
    let bench = Bench::new();
    let package = super::written(&application("1"));
    let server = Serving::start(bench.openenv("serve --port 0 --reload", package.path()));
    assert!(answer(&server).contains(r#""value":1"#));

    // No request is refused in between.
    write(package.path(), "2");
    wait_for("the new answer", || {
        answer(&server).contains(r#""value":2"#)
    });
    server.wait_for_log("`server/app.py` changed");
    server.wait_for_log("reloaded in");

    write(package.path(), "nonsense +");
    server.wait_for_log("the server goes on as it was, until a file changes");
    assert!(answer(&server).contains(r#""value":2"#));

    write(package.path(), "3");
    wait_for("the repaired answer", || {
        answer(&server).contains(r#""value":3"#)
    });
    // Sessions are served as ever.
    let mut session = Session::open(&server.url);
    let begun = session.ask(r#"{"type":"reset"}"#);
    assert_eq!(begun["data"]["observation"]["value"], 3, "{begun}");
    drop(session);

    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_killed_parent_takes_its_server_along() {
    let bench = Bench::new();
    let package = super::written(&application("1"));
    let server = Serving::start(bench.openenv("serve --port 0 --reload", package.path()));
    signal("-KILL", server.id());
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_an_environment_prints_is_not_taken_for_the_address() {
    let bench = Bench::new();
    let package = super::written(&format!("print('loading weights')\n{}", application("1")));
    let mut command = crate::serving::openenv("serve --port 0 --reload --");
    command
        .arg(package.path())
        .env("XDG_CACHE_HOME", bench.cache.path())
        .env("OPENENV_PYTHON", &bench.python);
    let server = Serving::start(command);
    assert!(
        server.url.starts_with("http://127.0.0.1:"),
        "{}",
        server.url
    );
    assert!(answer(&server).contains(r#""value":1"#));

    // A file that a program writes is no reason, a project that moves away and back is one.
    fs::write(package.path().join("events.log"), "begun").unwrap();
    let away = package.path().with_extension("away");
    fs::rename(package.path(), &away).unwrap();
    fs::rename(&away, package.path()).unwrap();
    write(package.path(), "2");
    wait_for("the new answer", || {
        answer(&server).contains(r#""value":2"#)
    });
    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    assert!(!stderr.contains("events.log"), "{stderr}");
    bench.assert_nothing_is_left();
}
