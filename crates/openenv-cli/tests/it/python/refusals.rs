//! What cannot be served, and what is said of it.

use std::fs;
use std::net::TcpListener;

use tempfile::TempDir;

use super::{Bench, package, written};
use crate::commands::{assert_fails, run};
use crate::serving::openenv;

#[test]
fn what_is_no_package_is_told_with_what_to_do() {
    for command in ["serve", "inspect", "mcp", "play", "bench"] {
        let output = run(&format!("{command} ./gone"));
        assert_fails(&output, 1, &["error: there is no directory `./gone`"]);
    }
    let crate_directory = env!("CARGO_MANIFEST_DIR");
    let output = openenv("inspect").arg(crate_directory).output().unwrap();
    let message = format!("error: `{crate_directory}` is a Rust crate");
    assert_fails(&output, 1, &[&message, "`openenv serve` serves it"]);
    let output = run("serve gone.module:Class --python /gone/python");
    assert_fails(
        &output,
        1,
        &["`/gone/python` cannot be used: there is no such file"],
    );
}

#[test]
fn an_unknown_word_could_have_been_a_directory() {
    let tip = "a project of yours is named by its directory, as `./my_env`";
    assert_fails(&run("serve zork"), 2, &["[possible values: echo,", tip]);
    assert_fails(&run("mcp zork"), 2, &["[possible values: echo,", tip]);
    assert_fails(&run("play zork"), 2, &["a project of yours as `./my_env`"]);
}

#[test]
fn a_word_that_is_a_directory_is_one() {
    let mut command = openenv("serve script_entry --python /gone/python");
    let output = command.current_dir(package("")).output().unwrap();
    assert_fails(&output, 1, &["`/gone/python` cannot be used"]);
}

#[test]
fn a_bundled_name_wins_and_its_namesake_is_mentioned() {
    let directory = TempDir::new().unwrap();
    fs::create_dir_all(directory.path().join("benchmark/server")).unwrap();
    fs::write(directory.path().join("benchmark/server/app.py"), "").unwrap();
    let mut command = openenv("mcp benchmark");
    let output = command.current_dir(directory.path()).output().unwrap();
    let hint = "hint: `benchmark` is the bundled environment; the directory is `./benchmark`";
    assert_fails(&output, 1, &[hint, "environment `benchmark` has no tools"]);
}

#[test]
fn invalid_values_name_the_option_and_its_variable() {
    for (option, variable, value, allowed) in [
        (
            "--python-workers",
            "OPENENV_PYTHON_WORKERS",
            "0",
            "1..=1024",
        ),
        (
            "--sessions-per-worker",
            "OPENENV_SESSIONS_PER_WORKER",
            "0",
            "1..",
        ),
        (
            "--step-timeout",
            "OPENENV_STEP_TIMEOUT",
            "soon",
            "such as `900`, or `never`",
        ),
        ("--step-timeout", "OPENENV_STEP_TIMEOUT", "-1", "above 0"),
        ("--start-timeout", "OPENENV_START_TIMEOUT", "0", "above 0"),
        (
            "--worker-memory",
            "OPENENV_WORKER_MEMORY",
            "lots",
            "`64MiB`",
        ),
    ] {
        let output = run(&format!("serve {option} {value}"));
        assert_fails(&output, 2, &["invalid value", option, allowed]);
        let output = openenv("serve").env(variable, value).output().unwrap();
        let tip = format!("the value comes from the environment variable `{variable}`");
        assert_fails(&output, 2, &["invalid value", option, &tip]);
    }
    for variable in ["OPENENV_ISOLATE", "OPENENV_OFFLINE", "OPENENV_FULL"] {
        let output = openenv("serve").env(variable, "maybe").output().unwrap();
        assert_fails(&output, 2, &["invalid value 'maybe'"]);
    }
}

#[test]
fn a_busy_port_costs_no_virtual_environment() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let cache = TempDir::new().unwrap();
    let mut command = openenv(&format!("serve --port {port}"));
    command.arg(package("script_entry"));
    command.env("XDG_CACHE_HOME", cache.path());
    let output = command.output().unwrap();
    assert_fails(
        &output,
        1,
        &[&format!("error: port {port} on `127.0.0.1` is in use")],
    );
    assert_eq!(fs::read_dir(cache.path()).unwrap().count(), 0);
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_cannot_be_imported_is_not_announced() {
    let bench = Bench::new();
    for name in ["broken_import", "missing_dependency", "no_app"] {
        let mut command = bench.openenv("serve --port 0", package(name));
        let output = command.output().unwrap();
        assert_fails(&output, 1, &[]);
        insta::assert_snapshot!(name, bench.plain(&output.stderr));
    }
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn an_import_may_not_take_too_long() {
    let bench = Bench::new();
    let package = slow_package();
    let mut command = bench.openenv("serve --port 0 --start-timeout 1", package.path());
    let output = command.output().unwrap();
    assert_fails(&output, 1, &["could not be loaded", "1s"]);
    bench.assert_nothing_is_left();
}

/// A package that does not come back from its import.
pub(super) fn slow_package() -> TempDir {
    written("import time\n\ntime.sleep(600)\n")
}
