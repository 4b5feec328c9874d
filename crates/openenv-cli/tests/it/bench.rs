//! `openenv bench` against servers of every temper.

use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::commands::{assert_fails, run};
use crate::countdown::{CountdownServer, STEPS};
use crate::serving::{PATIENCE, Serving, openenv, wait_for};

/// Runs with `--json`; returns the report, the exit code and standard error.
fn report(command: &mut Command) -> (Value, i32, String) {
    let output = command.arg("--json").output().unwrap();
    read(&output)
}

pub(crate) fn read(output: &Output) -> (Value, i32, String) {
    let stderr = String::from_utf8(output.stderr.clone()).unwrap();
    let report = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("no report: {error}\n{stderr}"));
    (report, output.status.code().unwrap(), stderr)
}

fn with_word(url: &str, word: &str, arguments: &str) -> Command {
    let mut command = openenv(&format!("bench {url} {arguments}"));
    command.args(["--action", &format!(r#"{{"word": "{word}"}}"#)]);
    command
}

#[test]
fn the_report_has_every_figure() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let (report, code, stderr) = report(&mut openenv(&format!("bench {} -n 4 -d 1", server.url)));
    assert_eq!((code, stderr.as_str()), (0, ""));
    let keys: Vec<_> = report.as_object().unwrap().keys().collect();
    insta::assert_debug_snapshot!("report_keys", keys);
    assert_eq!(report["url"], server.url.as_str());
    assert_eq!(report["mode"], "closed-loop");
    assert_eq!(report["in_process"], false);
    assert_eq!(report["sessions"], 4);
    assert_eq!(report["opened"], 4);
    assert_eq!(report["resets"], 4);
    assert_eq!(report["requested_duration_s"], 1.0);
    assert_eq!(report["interrupted"], false);
    assert_eq!(report["alive"], Value::Null);
    assert_eq!(report["error_texts"], serde_json::json!({}));
    assert_eq!(report["errors"], serde_json::json!({}));
    assert_eq!(report["error_count"], 0);
    assert_eq!(report["reconnects"], 0);
    let steps = report["steps"].as_f64().unwrap();
    let rate = report["steps_per_s"].as_f64().unwrap();
    assert!(steps > 10.0, "{report}");
    let duration = report["duration_s"].as_f64().unwrap();
    assert!(duration >= 1.0, "{report}");
    assert!((rate - steps / duration).abs() < 0.1, "{report}");
    for times in ["step_us", "reset_us", "connect_us"] {
        let time = |name: &str| report[times][name].as_f64().unwrap();
        assert!(time("p50") > 0.0, "{report}");
        assert!(time("p50") <= time("p90"), "{report}");
        assert!(time("p90") <= time("p99"), "{report}");
        assert!(time("p99") <= time("max"), "{report}");
        assert!(time("mean") <= time("max"), "{report}");
    }
    assert!(report["open_per_s"].as_f64().unwrap() > 0.0);
    assert!(report["client_cpu_us_per_step"].as_f64().unwrap() > 0.0);
}

#[test]
fn people_get_tables() {
    let output = run("bench echo -n 2 -d 0.3s");
    let stdout = String::from_utf8(output.stdout).unwrap();
    for text in [
        "in this process",
        "closed-loop, 0.3 s, 1 thread",
        "2 of 2, opened at",
        "steps/s",
        "TIME     P50",
        "errors      0",
    ] {
        assert!(stdout.contains(text), "`{text}` is not in:\n{stdout}");
    }
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
}

#[test]
fn an_environment_is_served_by_the_command_itself() {
    let (report, code, _) = report(&mut openenv("bench benchmark -n 3 -d 0.3 --threads 2"));
    assert_eq!(code, 0);
    assert_eq!(report["in_process"], true);
    assert_eq!(report["threads"], 2);
    assert_eq!(report["opened"], 3);
    assert!(report["steps"].as_u64().unwrap() > 3);
}

#[test]
fn held_sessions_are_idle_and_alive() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let bench = openenv(&format!("bench {} -n 50 -d 2 --hold --json", server.url))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("every session is open", || {
        server
            .request("GET /capacity", "")
            .contains(r#""active":50"#)
    });
    let (report, code, stderr) = read(&bench.wait_with_output().unwrap());
    assert_eq!((code, stderr.as_str()), (0, ""));
    assert_eq!(report["mode"], "hold");
    assert_eq!(report["opened"], 50);
    assert_eq!(report["steps"], 50);
    assert_eq!(report["steps_per_s"], Value::Null);
    assert_eq!(report["alive"], 50);
    assert!(report["duration_s"].as_f64().unwrap() >= 2.0, "{report}");
    assert!(report["step_us"]["p50"].as_f64().unwrap() > 0.0);
    let capacity = server.request("GET /capacity", "");
    assert!(capacity.contains(r#""active":0"#), "closed: {capacity}");
}

#[test]
fn opening_is_spread_over_the_ramp() {
    let start = Instant::now();
    let (report, code, _) = report(&mut openenv("bench echo -n 4 -d 0.1 --ramp 1"));
    assert_eq!(code, 0);
    assert!(start.elapsed() > Duration::from_millis(750));
    assert!(report["open_per_s"].as_f64().unwrap() < 6.0, "{report}");
}

#[test]
fn a_full_server_is_an_error_and_the_rest_runs() {
    let server = Serving::start(openenv("serve --port 0 -qq --max-sessions 2"));
    let arguments = format!("bench {} -n 5 -d 0.3", server.url);
    let (full, code, stderr) = report(&mut openenv(&arguments));
    assert_eq!(code, 1);
    assert_eq!(full["opened"], 2);
    assert_eq!(full["errors"]["CAPACITY_REACHED"], 3);
    assert_eq!(full["error_count"], 3);
    assert!(full["steps"].as_u64().unwrap() > 2, "{full}");
    for text in [
        "error: 3 of 5 sessions could not be opened: `--max-errors` is 0",
        "CAPACITY_REACHED, 3 times",
        "hint: ",
    ] {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
    let text = full["error_texts"]["CAPACITY_REACHED"].as_str().unwrap();
    assert!(stderr.contains(text), "{full}");
    // A share is of the sessions: the many steps of the others do not hide them.
    for (limit, expected) in [("3", 0), ("60%", 0), ("2", 1), ("50%", 1)] {
        let arguments = format!("{arguments} --max-errors {limit}");
        let (_, code, stderr) = report(&mut openenv(&arguments));
        assert_eq!(code, expected, "{limit}: {stderr}");
        assert_eq!(stderr.is_empty(), expected == 0, "{limit}: {stderr}");
    }
}

#[test]
fn a_server_that_is_not_there_is_named() {
    assert_fails(
        &run("bench http://127.0.0.1:1"),
        1,
        &[
            "error: could not reach http://127.0.0.1:1\n  caused by: ",
            "hint: check the URL",
        ],
    );
    let action = ["--action", r#"{"message": "a"}"#];
    // Nothing was measured, whatever is allowed.
    let output = openenv("bench 127.0.0.1:1 -n 2 --max-errors 100%")
        .args(action)
        .output()
        .unwrap();
    assert_fails(&output, 1, &["error: no session could be opened"]);
    let (report, code, stderr) = report(openenv("bench 127.0.0.1:1 -n 2").args(action));
    assert_eq!((code, &report["opened"]), (1, &Value::from(0)));
    assert_eq!(report["errors"]["CONNECTION_ERROR"], 2);
    assert_eq!(report["step_us"]["p50"], Value::Null);
    assert!(stderr.contains("no session could be opened"), "{stderr}");
}

#[test]
fn what_cannot_be_meant_is_a_usage_error() {
    for (arguments, texts) in [
        ("ecko", ["no such environment", "did you mean `echo`?"]),
        ("zork", ["no such environment", "`openenv list`"]),
        ("ftp://host", ["<URL|ENV>", "the scheme `ftp` is not known"]),
        ("echo --action {", ["--action", "expected a JSON object"]),
        ("echo --action [1]", ["--action", "expected a JSON object"]),
        ("echo --sessions 0", ["--sessions", "0 is not in 1.."]),
        (
            "echo --action foo",
            ["--action", r#"'{"message": "Hello"}'"#],
        ),
        ("echo --duration 0", ["--duration", "above 0"]),
        ("echo -d -1", ["--duration", "above 0"]),
        ("echo -d 1e30", ["--duration", "too large"]),
        ("echo --max-errors -1", ["--max-errors", "0 or more"]),
        ("echo --max-errors 150%", ["--max-errors", "too large"]),
        ("echo --max-errors few", ["--max-errors", "such as `1%`"]),
        ("echo --header token", ["--header", "a name and a value"]),
    ] {
        assert_fails(&run(&format!("bench {arguments}")), 2, &texts);
    }
}

#[test]
fn an_action_that_does_not_fit_ends_it_at_once() {
    let start = Instant::now();
    let output = openenv("bench echo -n 4 -d 60")
        .args(["--action", r#"{"massage": "Hello"}"#])
        .output()
        .unwrap();
    assert_fails(
        &output,
        1,
        &[
            "the server refuses the action: message: Field required, massage: Extra inputs",
            "`--action`",
        ],
    );
    assert!(start.elapsed() < PATIENCE);
}

#[test]
fn episodes_that_end_are_reset() {
    let server = CountdownServer::start();
    let (report, code, _) = report(&mut with_word(&server.url, "count", "-n 2 -d 0.5"));
    assert_eq!(code, 0);
    let (steps, resets) = (
        report["steps"].as_u64().unwrap(),
        report["resets"].as_u64().unwrap(),
    );
    // Two at the beginning, and one after each whole episode.
    assert!(resets.abs_diff(2 + steps / STEPS) <= 2, "{report}");
}

#[test]
fn a_failing_step_is_counted_and_the_session_goes_on() {
    let server = CountdownServer::start();
    let arguments = "-n 2 -d 0.3 --max-errors 100%";
    let (report, code, _) = report(&mut with_word(&server.url, "fail", arguments));
    assert_eq!(code, 0);
    assert!(report["errors"]["EXECUTION_ERROR"].as_u64().unwrap() > 2);
    assert_eq!(report["reconnects"], 0);
    assert_eq!(report["steps"], 0);
}

#[test]
fn a_late_reply_is_a_timeout() {
    let (report, code, stderr) = report(
        openenv("bench benchmark -n 1 -d 0.5 --message-timeout 0.2")
            .args(["--action", r#"{"wait_seconds": 1}"#]),
    );
    assert_eq!(code, 1);
    assert!(
        report["errors"]["TIMEOUT"].as_u64().unwrap() >= 2,
        "{report}"
    );
    assert!(stderr.contains("TIMEOUT"), "{stderr}");
}

#[test]
fn lost_sessions_are_replaced_after_growing_pauses() {
    let server = CountdownServer::start();
    let (report, code, stderr) = report(&mut with_word(&server.url, "panic", "-n 1 -d 1"));
    assert_eq!(code, 1, "{stderr}");
    let reconnects = report["reconnects"].as_u64().unwrap();
    // After 50, 150, 350 and 750 ms.
    assert!((1..=4).contains(&reconnects), "{report}");
    assert!(report["error_count"].as_u64().unwrap() <= 10, "{report}");
}

#[test]
fn every_reset_has_its_own_seed() {
    let server = CountdownServer::start();
    let arguments = "-n 2 -d 0.2 --seed 7";
    let (report, code, _) = report(&mut with_word(&server.url, "count", arguments));
    assert_eq!(code, 0);
    let seeds = server.seeds();
    assert_eq!(seeds.first(), Some(&7));
    assert!(seeds.contains(&8), "the second session: {seeds:?}");
    assert_eq!(seeds.len() as u64, report["resets"].as_u64().unwrap());
}

#[test]
fn headers_are_sent() {
    use std::io::{Read, Write};

    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut request = vec![0; 4096];
        let read = stream.read(&mut request).unwrap();
        let answer = "HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
        stream.write_all(answer.as_bytes()).unwrap();
        String::from_utf8(request[..read].to_vec()).unwrap()
    });
    let output = openenv(&format!("bench {url}"))
        .args(["--header", "Authorization: Bearer secret"])
        .output()
        .unwrap();
    assert_fails(&output, 1, &["401 Unauthorized"]);
    let request = server.join().unwrap();
    assert!(
        request.contains("authorization: Bearer secret"),
        "{request}"
    );
}

#[test]
fn the_time_of_a_last_slow_reply_counts() {
    let (report, code, _) = report(
        openenv("bench benchmark -n 1 -d 0.1").args(["--action", r#"{"wait_seconds": 1.5}"#]),
    );
    assert_eq!(code, 0);
    assert_eq!(report["steps"], 1);
    assert_eq!(report["requested_duration_s"], 0.1);
    let duration = report["duration_s"].as_f64().unwrap();
    assert!(duration >= 1.5, "{report}");
    let rate = report["steps_per_s"].as_f64().unwrap();
    assert!((rate - 1.0 / duration).abs() < 1e-3, "{report}");
}

#[test]
fn people_see_which_sessions_live() {
    let output = run("bench echo -n 3 -d 0.1 --hold");
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert!(stdout.contains("alive       3 of 3\n"), "{stdout}");
}

#[cfg(unix)]
#[test]
fn too_few_files_are_the_clients_own_trouble() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let script = format!(
        "ulimit -n 40; exec \"$0\" bench {} -n 64 -d 0.1 --action '{{\"message\": \"a\"}}'",
        server.url
    );
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_openenv")])
        .env_clear()
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    for text in [
        "warning: this client may open 40 files, but 64 sessions need about 84",
        "could not be opened",
        "hint: it is this client that may not open more files",
    ] {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
}
