//! What each command prints, accepts and refuses.

use std::net::TcpListener;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::serving::{Serving, openenv};

pub(crate) fn run(arguments: &str) -> Output {
    openenv(arguments).output().unwrap()
}

fn stdout(output: &Output) -> &str {
    std::str::from_utf8(&output.stdout).unwrap()
}

fn stderr(output: &Output) -> &str {
    std::str::from_utf8(&output.stderr).unwrap()
}

/// Asserts a failure with the code and every one of the texts on standard error.
#[track_caller]
pub(crate) fn assert_fails(output: &Output, code: i32, texts: &[&str]) {
    let stderr = stderr(output);
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    assert_eq!(stdout(output), "");
    for text in texts {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
}

#[test]
fn help() {
    insta::assert_snapshot!("help", stdout(&run("--help")));
    insta::assert_snapshot!("help_serve", stdout(&run("serve --help")));
    insta::assert_snapshot!("help_inspect", stdout(&run("inspect --help")));
    insta::assert_snapshot!("help_build", stdout(&run("build --help")));
    insta::assert_snapshot!("help_list", stdout(&run("list --help")));
    insta::assert_snapshot!("help_play", stdout(&run("play --help")));
    insta::assert_snapshot!("help_mcp", stdout(&run("mcp --help")));
    insta::assert_snapshot!("help_bench", stdout(&run("bench --help")));
    insta::assert_snapshot!("help_run", stdout(&run("run --help")));
    insta::assert_snapshot!("help_containers", stdout(&run("containers --help")));
    let list = run("containers list --help");
    insta::assert_snapshot!("help_containers_list", stdout(&list));
    let prune = run("containers prune --help");
    insta::assert_snapshot!("help_containers_prune", stdout(&prune));
}

#[test]
fn version() {
    let expected = concat!("openenv ", env!("CARGO_PKG_VERSION"), "\n");
    assert_eq!(stdout(&run("--version")), expected);
}

#[test]
fn list() {
    let output = run("list");
    assert!(output.status.success());
    assert_eq!(stderr(&output), "");
    insta::assert_snapshot!(stdout(&output));
}

#[test]
fn list_json() {
    let output = run("list --json");
    assert!(output.status.success());
    let listed: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed[0]["name"], "echo");
    assert_eq!(listed[0]["concurrent"], true);
    assert_eq!(listed[0]["example_action"]["message"], "Hello");
    assert_eq!(listed[2]["name"], "benchmark");
}

#[test]
fn no_command_is_a_usage_error() {
    assert_fails(&run(""), 2, &["Usage: openenv"]);
}

#[test]
fn unknown_environments_are_answered_with_the_known_ones() {
    let known = "[possible values: echo, documents, benchmark]";
    assert_fails(
        &run("serve ecko"),
        2,
        &[
            "invalid value 'ecko' for '[ENV]...'",
            known,
            "similar value exists: 'echo'",
        ],
    );
    assert_fails(&run("serve zork"), 2, &["invalid value 'zork'", known]);
}

#[test]
fn invalid_values_name_the_option_and_what_is_allowed() {
    for (arguments, option, allowed) in [
        (
            "--mode training",
            "--mode",
            "[possible values: simulation, production]",
        ),
        ("--port 70000", "--port", "70000 is not in 0..=65535"),
        ("--port http", "--port", "invalid digit"),
        ("--max-sessions 0", "--max-sessions", "0 is not in 1.."),
        (
            "--session-timeout soon",
            "--session-timeout",
            "such as `900`, or `never`",
        ),
        ("--session-timeout 0", "--session-timeout", "above 0"),
        (
            "--queue-timeout=-1",
            "--queue-timeout",
            "a number of seconds",
        ),
        (
            "--drain-timeout 1h",
            "--drain-timeout",
            "a number of seconds",
        ),
        ("--keepalive-interval 0", "--keepalive-interval", "above 0"),
        ("--keepalive-timeout nan", "--keepalive-timeout", "above 0"),
        ("--max-message-size 1TB", "--max-message-size", "`64MiB`"),
        ("--workers 0", "--workers", "0 is not in 1..=1024"),
        (
            "--log-format xml",
            "--log-format",
            "[possible values: text, json]",
        ),
        (
            "--log-level openenv=loud",
            "--log-level",
            "or a filter such as",
        ),
        (
            "--log-level loud",
            "--log-level",
            "unknown level; expected `error`",
        ),
    ] {
        let output = run(&format!("serve {arguments}"));
        assert_fails(&output, 2, &[option, allowed]);
    }
}

#[test]
fn variables_stand_in_for_options() {
    for (variable, value, option) in [
        ("PORT", "x", "--port"),
        ("OPENENV_MODE", "x", "--mode"),
        ("MAX_CONCURRENT_ENVS", "x", "--max-sessions"),
        ("OPENENV_ENVIRONMENTS", "echo,x", "[ENV]..."),
        ("OPENENV_SESSION_TIMEOUT", "x", "--session-timeout"),
        ("OPENENV_QUEUE_TIMEOUT", "x", "--queue-timeout"),
        ("OPENENV_DRAIN_TIMEOUT", "x", "--drain-timeout"),
        ("OPENENV_KEEPALIVE_INTERVAL", "x", "--keepalive-interval"),
        ("OPENENV_KEEPALIVE_TIMEOUT", "x", "--keepalive-timeout"),
        ("OPENENV_MAX_MESSAGE_SIZE", "x", "--max-message-size"),
        ("OPENENV_WORKERS", "x", "--workers"),
        ("OPENENV_LOG", "openenv=x", "--log-level"),
        ("OPENENV_LOG_FORMAT", "x", "--log-format"),
    ] {
        let output = openenv("serve").env(variable, value).output().unwrap();
        assert_fails(&output, 2, &["invalid value", option]);
    }
}

#[test]
fn a_port_in_use_is_named_with_a_way_out() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let output = run(&format!("serve --port {port}"));
    let message = format!("error: port {port} on `127.0.0.1` is in use");
    assert_fails(
        &output,
        1,
        &[&message, "hint: ", "`--port`; port 0 is any free one"],
    );
}

#[test]
fn an_address_of_another_machine_is_refused() {
    // Kept for documentation: no machine has it.
    let output = run("serve --host 192.0.2.1 --port 0");
    let message = "error: could not listen on `192.0.2.1`, port 0";
    assert_fails(&output, 1, &[message, "caused by: ", "hint: "]);
}

#[test]
fn serves_until_it_is_told_to_stop() {
    let server = Serving::start(openenv("serve --port 0"));
    let health = server.request("GET /health", "");
    assert!(health.starts_with("HTTP/1.1 200"), "{health}");
    assert!(health.contains(r#""status":"healthy""#), "{health}");

    let url = server.url.clone();
    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
    let python = format!(r#"GenericEnvClient(base_url="{url}").sync()"#);
    let curl = format!("curl {url}/step ");
    let websocket = format!("{}/ws", url.replace("http", "ws"));
    for text in [
        &python, &curl, &websocket, "/docs", "/health", "/schema", "INFO",
    ] {
        assert!(stderr.contains(text), "`{text}` is not in:\n{stderr}");
    }
    assert!(!stderr.contains('\x1b'), "no colours in a pipe:\n{stderr}");
}

#[test]
fn a_second_signal_does_not_wait_for_sessions() {
    let server = Serving::start(openenv("serve benchmark --port 0"));
    let _waiting = server.send("POST /step", r#"{"action": {"wait_seconds": 60}}"#);
    // Answered after the request above was accepted.
    server.request("GET /health", "");
    thread::sleep(Duration::from_millis(100));

    let start = Instant::now();
    server.terminate();
    server.wait_for_log("stopping");
    let (status, _) = server.stop();
    assert_eq!(status.code(), Some(1));
    assert!(start.elapsed() < Duration::from_secs(15), "drained");
}

#[test]
fn the_curl_line_works_as_printed() {
    let server = Serving::start(openenv("serve --port 0"));
    let answer = server.request("POST /step", r#"{"action": {"message": "Hello"}}"#);
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert!(answer.contains(r#""echoed_message":"Hello""#), "{answer}");
}

#[test]
fn serves_several_environments() {
    let server = Serving::start(openenv("serve benchmark echo-env --port 0"));
    let waited = server.request("POST /step", r#"{"action": {}}"#);
    assert!(waited.contains(r#""waited_seconds":0.0"#), "{waited}");
    let echoed = server.request("POST /envs/echo/reset", "{}");
    assert!(echoed.contains("Echo environment ready!"), "{echoed}");
    let (_, stderr) = server.stop();
    assert!(stderr.contains("/envs/echo/ws"), "{stderr}");
}

#[test]
fn production_does_not_offer_what_it_does_not_serve() {
    let server = Serving::start(openenv("serve --port 0 --mode production"));
    let reset = server.request("POST /reset", "{}");
    assert!(reset.starts_with("HTTP/1.1 404"), "{reset}");
    let (_, stderr) = server.stop();
    assert!(stderr.contains("in production mode"), "{stderr}");
    assert!(stderr.contains("/mcp"), "{stderr}");
    assert!(!stderr.contains("/step "), "{stderr}");
}

#[test]
fn logs_are_objects_if_asked_for() {
    let server = Serving::start(openenv("serve --port 0 --log-format json"));
    let url = server.url.clone();
    let (_, stderr) = server.stop();
    let events: Vec<serde_json::Value> = stderr
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let listening = events
        .iter()
        .find(|event| event["message"] == "listening" && event["url"] == url.as_str());
    assert!(listening.is_some(), "{stderr}");
}

#[test]
fn quiet_says_the_address_alone() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    assert!(server.url.starts_with("http://127.0.0.1:"));
    let (status, stderr) = server.stop();
    assert!(status.success());
    assert_eq!(stderr, "");
}

#[test]
fn a_bad_variable_is_named() {
    let output = openenv("serve").env("PORT", "http").output().unwrap();
    let tip = "the value comes from the environment variable `PORT`";
    assert_fails(&output, 2, &["--port", "invalid digit", tip]);
    let typed = openenv("serve --port http")
        .env("PORT", "1")
        .output()
        .unwrap();
    assert!(!stderr(&typed).contains("variable"), "{}", stderr(&typed));
}

#[test]
fn an_empty_variable_counts_as_none() {
    let mut command = openenv("serve --port 0");
    for name in [
        "OPENENV_MODE",
        "MAX_CONCURRENT_ENVS",
        "HOST",
        "OPENENV_ENVIRONMENTS",
    ] {
        command.env(name, "");
    }
    let server = Serving::start(command);
    assert!(
        server
            .request("GET /capacity", "")
            .contains(r#""environment":"echo""#)
    );
}

fn with_open_files(limit: u64, arguments: &str) -> Serving {
    let binary = env!("CARGO_BIN_EXE_openenv");
    let script = format!("ulimit -n {limit}; exec {binary} serve --port 0 {arguments}");
    let mut shell = Command::new("sh");
    shell.args(["-c", &script]).stdin(Stdio::null());
    Serving::start(shell)
}

#[test]
fn warns_when_open_files_are_too_few() {
    let (_, stderr) = with_open_files(256, "--max-sessions 1000").stop();
    let warning = "the limit of open files has room for about 192 sessions";
    assert!(stderr.contains(warning), "{stderr}");
    assert!(stderr.contains("WARN"), "{stderr}");
}

#[test]
fn offers_no_more_places_than_there_are_files() {
    let server = with_open_files(256, "");
    let capacity = server.request("GET /capacity", "");
    assert!(capacity.contains(r#""maximum":192"#), "{capacity}");
}

#[test]
fn a_running_server_can_be_asked_how_it_is() {
    let server = Serving::start(openenv("serve --port 0"));
    let port = server.url.rsplit_once(':').unwrap().1.to_owned();
    for host in ["127.0.0.1", "0.0.0.0", "localhost"] {
        let output = run(&format!("serve --health-check --host {host} --port {port}"));
        assert!(output.status.success(), "{}", stderr(&output));
        assert_eq!(stdout(&output), "");
    }
    server.stop();
    let output = run(&format!("serve --health-check --port {port}"));
    assert_fails(&output, 1, &["error: no healthy server at 127.0.0.1:"]);
}

#[test]
fn what_cannot_change_is_not_reloaded() {
    let output = run("serve echo --reload");
    assert_fails(
        &output,
        1,
        &["no files that could change", "hint: `--reload`"],
    );
    let output = run("serve ./gone --reload --control-listen 127.0.0.1:0");
    assert_fails(&output, 1, &["one port can be kept open", "leave out"]);
}

#[test]
fn a_crate_is_served_alone() {
    let mut command = openenv("serve --port 0 echo");
    let output = command.arg(env!("CARGO_MANIFEST_DIR")).output().unwrap();
    assert_fails(
        &output,
        1,
        &[
            "is a crate, which is a program of its own",
            "serve it alone",
        ],
    );
}

#[test]
fn standard_input_has_to_be_a_socket_to_be_listened_on() {
    let output = run("serve --listen-stdin");
    assert_fails(&output, 1, &["standard input is no socket that listens"]);
}
