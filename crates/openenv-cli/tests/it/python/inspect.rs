//! `openenv inspect`.

use serde_json::Value;

use super::{Bench, package, written};
use crate::commands::assert_fails;
use crate::serving::openenv;

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_was_found_is_told() {
    let bench = Bench::new();
    for name in ["script_entry", "mcp_tools", "not_concurrent"] {
        let output = bench.openenv("inspect", package(name)).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{stderr}");
        let text = without_memory(&bench.plain(&output.stdout));
        insta::assert_snapshot!(format!("inspect_{name}"), text);
    }
    bench.assert_nothing_is_left();
}

/// The line about memory without its number.
fn without_memory(text: &str) -> String {
    let line = |line: &str| match line.strip_prefix("  memory    ") {
        Some(rest) if rest.contains("MiB each") => "  memory    [some] each\n".to_owned(),
        _ => format!("{line}\n"),
    };
    text.lines().map(line).collect()
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_class_needs_no_package() {
    let bench = Bench::new();
    for spec in ["world:World", "world.py:World"] {
        let mut command = bench.openenv("inspect --json", spec);
        let output = command
            .current_dir(package("plain_object"))
            .output()
            .unwrap();
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(output.status.code(), Some(0), "{found:#}");
        assert_eq!(found["servable"], true);
        assert_eq!(found["environment"]["class"], "World");
        assert_eq!(
            found["environment"]["types"]["action"]["name"],
            "MoveAction"
        );
    }
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn the_same_is_there_for_programs() {
    let bench = Bench::new();
    let mut command = bench.openenv("inspect --json", package("script_entry"));
    let output = command.output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let memory = &found["environment"]["memory_bytes"];
    assert!(memory.as_u64().unwrap() > 1 << 20, "{memory}");
    let text = bench.plain(&output.stdout);
    insta::assert_snapshot!(text.replace(&memory.to_string(), "[some]"));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_is_missing_is_told_with_how_to_install_it() {
    let bench = Bench::new();
    let mut command = bench.openenv("inspect", package("missing_dependency"));
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!("inspect_missing_dependency", bench.plain(&output.stdout));
    let said = bench.plain(&output.stderr);
    let message = "needs the Python module `openenv_fixture_tide_tables` (server/app.py, line 7)";
    assert!(said.contains(message), "{said}");
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn programs_are_told_what_failed() {
    let output = openenv("inspect ./gone --json").output().unwrap();
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(found["servable"], false);
    assert_eq!(found["project"], Value::Null);
    let message = "there is no directory `./gone`";
    assert_eq!(found["error"]["message"], message);
    assert!(String::from_utf8_lossy(&output.stderr).contains(message));

    let bench = Bench::new();
    let mut command = bench.openenv("inspect --json", package("broken_import"));
    let found: Value = serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    assert_eq!(found["project"]["name"], "broken_import");
    assert_eq!(found["interpreter"]["openenv"], "0.10.0");
    let cause = found["error"]["causes"][0].as_str().unwrap();
    assert!(cause.starts_with("Traceback"), "{cause}");
    assert!(cause.contains("there is no level 'moor'"), "{cause}");
}

const NO_DATABASE: &str = r#"
from openenv.core.env_server import Action, Environment, Observation, State, create_app


class Archive(Environment):
    def __init__(self):
        raise RuntimeError("there is no database")

    def reset(self, **_):
        return Observation()

    def step(self, action, **_):
        return Observation()

    @property
    def state(self):
        return State()


app = create_app(Archive, Action, Observation, env_name="The Archive")
"#;

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn an_environment_that_cannot_be_made_cannot_be_served() {
    let bench = Bench::new();
    let package = written(NO_DATABASE);
    let mut command = bench.openenv("inspect --json", package.path());
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["environment"]["name"], "The-Archive");
    let message = "no environment could be made: there is no database";
    assert_eq!(found["error"]["message"], message);
}

#[test]
fn nothing_bundled_is_inspected() {
    let output = openenv("inspect echo").output().unwrap();
    assert_fails(&output, 1, &["there is no directory `echo`"]);
}
