//! `openenv bench`, when somebody does not want to wait for its end.

use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::bench::read;
use crate::serving::{PATIENCE, Serving, openenv, wait_for};

/// Interrupts a run a little after so many sessions are open; returns its report
/// and standard error.
fn interrupted(arguments: &str, sessions: usize) -> (Value, String) {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let bench = openenv(&format!("bench {} --json {arguments}", server.url))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the sessions are open", || {
        let active = format!(r#""active":{sessions},"#);
        server.request("GET /capacity", "").contains(&active)
    });
    thread::sleep(Duration::from_millis(300));
    let kill = Command::new("kill")
        .args(["-INT", &bench.id().to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
    let (report, code, stderr) = read(&bench.wait_with_output().unwrap());
    assert_eq!(code, 130, "{stderr}");
    assert_eq!(report["interrupted"], true);
    assert_eq!(report["error_count"], 0, "{stderr}");
    (report, stderr)
}

#[test]
fn an_interrupt_ends_it_early_and_it_still_reports() {
    for arguments in ["", "--hold"] {
        let (report, stderr) = interrupted(&format!("-n 3 -d 600 {arguments}"), 3);
        assert!(stderr.starts_with("interrupted after "), "{stderr}");
        assert!(stderr.ends_with(" s of 600 s\n"), "{stderr}");
        assert_eq!(report["requested_duration_s"], 600.0);
        assert!(report["duration_s"].as_f64().unwrap() < PATIENCE.as_secs_f64());
        assert!(report["steps"].as_u64().unwrap() >= 3, "{report}");
    }
}

#[test]
fn an_interrupt_while_sessions_are_opened_says_so() {
    let (report, stderr) = interrupted("-n 2 --ramp 600", 1);
    assert!(stderr.ends_with(" with 1 of 2 sessions open\n"), "{stderr}");
    assert_eq!(report["opened"], 1);
}
