//! Packages that are served, driven by clients.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;

use super::{Bench, Session, package};
use crate::mcp::Client;
use crate::serving::Serving;

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_package_is_served_beside_a_bundled_environment() {
    let bench = Bench::new();
    let mut command = bench.openenv("serve --port 0", package("script_entry"));
    command.arg("echo");
    let server = Serving::start(command);
    let mut session = Session::open(&server.url);
    let begun = session.ask(r#"{"type":"reset"}"#);
    assert_eq!(begun["data"]["observation"]["lit"], 5, "{begun}");
    let pressed = session.ask(r#"{"type":"step","data":{"row":1,"column":1}}"#);
    assert_eq!(pressed["data"]["observation"]["lit"], 0, "{pressed}");
    assert_eq!(pressed["data"]["done"], true, "{pressed}");
    let refused = session.ask(r#"{"type":"step","data":{"row":9}}"#);
    assert_eq!(refused["data"]["code"], "VALIDATION_ERROR", "{refused}");
    let echoed = server.request("POST /envs/echo/reset", "{}");
    assert!(echoed.contains("Echo environment ready!"), "{echoed}");
    let lamps = server.request("GET /envs/lamps/capacity", "");
    assert!(lamps.contains(r#""maximum":4"#), "{lamps}");
    drop(session);

    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    let stderr = bench.plain(stderr.as_bytes());
    for text in [
        "importing lamps with Python [version]\n",
        "[version] with openenv 0.10.0",
        "asked for: [python]",
        "shared by all sessions",
        r#"-d '{"action": {"row": 0, "column": 0}}'"#,
        r#"env.step({"row": 0, "column": 0})"#,
    ] {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn sessions_that_may_not_meet_get_processes_of_their_own() {
    let bench = Bench::new();
    let single = bench.openenv("serve --port 0", package("not_concurrent"));
    let (_, stderr) = Serving::start(single).stop();
    let remark = "one session at a time unless `--max-sessions N`, each in a process of its own";
    assert!(stderr.contains(remark), "{stderr}");

    let several = "serve --port 0 --max-sessions 3 --python-workers 1";
    let server = Serving::start(bench.openenv(several, package("not_concurrent")));
    let mut sessions = [(); 3].map(|()| Session::open(&server.url));
    let mut processes: Vec<Value> = sessions
        .iter_mut()
        .map(|session| session.ask(r#"{"type":"reset"}"#)["data"]["observation"]["pid"].clone())
        .collect();
    processes.dedup();
    assert_eq!(processes.len(), 3, "{processes:?}");
    drop(sessions);
    let (_, stderr) = server.stop();
    for text in [
        "1 process ",
        "each session has its own",
        "free places, of 3",
    ] {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn limits_of_workers_hold() {
    let bench = Bench::new();
    let limits = "serve --port 0 --step-timeout 3 --worker-memory 256MiB --python-workers 1";
    let server = Serving::start(bench.openenv(limits, package("faults")));
    for (fault, told) in [
        ("hang_sleep", "timed out after 3 seconds"),
        ("memory", "limit of 256 MiB"),
    ] {
        let mut session = Session::open(&server.url);
        session.ask(r#"{"type":"reset"}"#);
        let step = format!(r#"{{"type":"step","data":{{"fault":"{fault}","seconds":60}}}}"#);
        let answer = session.ask(&step).to_string();
        assert!(answer.contains("error"), "{answer}");
        assert!(answer.contains(told), "{answer}");
    }
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn tools_are_served_over_standard_input_and_output() {
    let bench = Bench::new();
    let mut client = Client::of(bench.openenv("mcp", package("mcp_tools")));
    client.initialize();
    let tools = client.tools();
    assert!(tools.contains(&"cut".to_owned()), "{tools:?}");
    let (code, stderr) = client.end();
    assert_eq!(code, Some(0), "{stderr}");
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn play_and_bench_serve_it_themselves() {
    let bench = Bench::new();
    let mut play = bench.openenv("play", package("script_entry"));
    play.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut play = play.stderr(Stdio::piped()).spawn().unwrap();
    let mut input = play.stdin.take().unwrap();
    writeln!(input, r#"{{"row": 1, "column": 1}}"#).unwrap();
    drop(input);
    let output = play.wait_with_output().unwrap();
    let stdout = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{stdout}");
    assert!(stdout.contains("reward: 5, done: yes"), "{stdout}");

    let mut load = bench.openenv("bench -n 3 -d 1 --json", package("not_concurrent"));
    let output = load.output().unwrap();
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["opened"], 3, "{report}");
    assert_eq!(report["error_count"], 0, "{report}");
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn logs_are_objects_if_asked_for() {
    let bench = Bench::new();
    let command = "serve --port 0 --log-format json";
    let server = Serving::start(bench.openenv(command, package("bare")));
    let (_, stderr) = server.stop();
    for line in stderr.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        assert!(event["message"].is_string(), "{event}");
    }
    assert!(stderr.contains("importing bare with Python"), "{stderr}");
}
