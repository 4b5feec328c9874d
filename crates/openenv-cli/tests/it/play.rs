//! `openenv play`, by hand and at random.

use std::io::Write;
use std::process::{Output, Stdio};

use serde_json::Value;

use crate::countdown::CountdownServer;
use crate::serving::{Serving, openenv};

/// Plays with these lines as the standard input; all of them succeed.
#[track_caller]
fn play(arguments: &str, lines: &[&str]) -> (String, String) {
    play_until(0, arguments, lines)
}

/// The same, but some of them fail.
#[track_caller]
fn play_badly(arguments: &str, lines: &[&str]) -> (String, String) {
    play_until(1, arguments, lines)
}

#[track_caller]
fn play_until(code: i32, arguments: &str, lines: &[&str]) -> (String, String) {
    let output = play_to_the_end(arguments, lines);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{stderr}");
    (String::from_utf8(output.stdout).unwrap(), stderr)
}

fn play_to_the_end(arguments: &str, lines: &[impl AsRef<[u8]>]) -> Output {
    let mut child = openenv(&format!("play {arguments}"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for line in lines {
        stdin.write_all(line.as_ref()).unwrap();
        stdin.write_all(b"\n").unwrap();
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

#[track_caller]
fn assert_contains(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "`{part}` is not in:\n{text}");
    }
}

#[test]
fn a_session_reads_well() {
    let lines = [
        "hello there",
        r#"{"message": "as JSON"}"#,
        ":schema",
        ":quit",
        "unread",
    ];
    let (stdout, stderr) = play("echo", &lines);
    insta::assert_snapshot!("session_stdout", stdout);
    insta::assert_snapshot!("session_stderr", stderr);
}

#[test]
fn the_end_of_the_input_ends_it() {
    let (stdout, _) = play("echo", &[]);
    assert!(stdout.starts_with("echoed_message: Echo environment ready!"));
}

#[test]
fn fields_are_asked_for_one_by_one() {
    let lines = ["", "0.01", "many", "5", "3", ":quit"];
    let (stdout, stderr) = play("benchmark", &lines);
    assert_contains(
        &stderr,
        &[
            "wait_seconds: number, at most 3600.0, empty for 0.0; Seconds to wait",
            "error: expected whole number, 0 to 10000000",
            r#"{"wait_seconds":0.01,"work_micros":5,"payload_bytes":3}"#,
        ],
    );
    assert_contains(&stdout, &["waited_seconds: 0.01", "payload:        xxx"]);
    let (_, stderr) = play_badly("benchmark", &["", "0.01"]);
    assert_contains(&stderr, &["no action is sent"]);
}

#[test]
fn mistakes_are_explained_and_the_game_goes_on() {
    let lines = [
        r#"{"message": "", "volume": 11}"#,
        r#"{"message": "#,
        ":jump",
        ":reset soon",
        "still here",
    ];
    let (stdout, stderr) = play_badly("echo", &lines);
    assert_contains(
        &stderr,
        &[
            "  message: String should have at least 1 character",
            "  volume: Extra inputs are not permitted",
            "error: not JSON: EOF while parsing",
            "error: `:jump` is no command; `:help` lists them",
            "error: `soon` is not a seed",
            "error: 4 lines failed",
        ],
    );
    assert_contains(&stdout, &["echoed_message: still here"]);
    let (_, stderr) = play_badly("benchmark", &["3"]);
    assert_contains(&stderr, &["expected a JSON object"]);
}

#[test]
fn the_state_can_be_looked_at() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let arguments = format!("{} --episode-id first", server.url);
    let (stdout, _) = play(&arguments, &["one", "two", ":state", ":reset", ":state"]);
    assert_contains(&stdout, &["episode_id: first\nstep_count: 2\n"]);
    assert_eq!(stdout.matches("episode_id: first").count(), 1, "{stdout}");
    assert_contains(&stdout, &["step_count: 0\n"]);
}

#[test]
fn an_episode_ends_and_another_begins() {
    let server = CountdownServer::start();
    let lines = ["go", "go", "go", "go", ":reset 8", "go"];
    let (stdout, stderr) = play_badly(&format!("{} --seed 7", server.url), &lines);
    assert_contains(
        &stdout,
        &[
            "board:\n3 to go\n2 to go\n1 to go\nseed: 7\nreward: none, done: no\n",
            "board:\nseed:  7\nreward: 0.1, done: yes\n",
            "board:\n3 to go\n2 to go\n1 to go\nseed: 8\n",
        ],
    );
    assert_contains(
        &stderr,
        &[
            "the episode is over after 3 steps, with a total reward of 0.3; `:reset` begins",
            "error: the episode is over\nhint: `:reset` begins another\n",
        ],
    );
}

#[test]
fn failures_are_told_and_the_game_goes_on() {
    let server = CountdownServer::start();
    let (stdout, stderr) = play_badly(&server.url, &["fail", "go"]);
    assert_contains(
        &stderr,
        &["error: it was asked to fail", "error: 1 line failed"],
    );
    assert_contains(&stdout, &["board:\n2 to go\n1 to go\n"]);
}

#[test]
fn a_lost_session_is_replaced_by_a_reset() {
    let server = CountdownServer::start();
    let (stdout, stderr) = play_badly(&server.url, &["panic", "go", ":reset 9", "go"]);
    assert_contains(
        &stderr,
        &[
            "is lost",
            "hint: `:reset` opens a new session",
            "this is a new session",
        ],
    );
    assert_contains(&stdout, &["board:\n2 to go\n1 to go\nseed: 9\n"]);
}

#[test]
fn resets_have_arguments() {
    let server = CountdownServer::start();
    let (stdout, _) = play(&format!("{} --reset-arg steps=1", server.url), &[]);
    assert_contains(&stdout, &["board: 1 to go\n"]);
    let arguments = format!("{} --reset-arg map=maze", server.url);
    play(&arguments, &[]);
    let output = openenv("play echo --reset-arg level").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn random_steps_are_those_of_their_seed() {
    let steps = |seed: u32| {
        let (stdout, stderr) = play(&format!("echo --random 20 --json --seed {seed}"), &[]);
        assert_contains(&stderr, &["20 steps, 1 episode, total reward "]);
        assert_contains(&stderr, &[&format!(", 0 errors, seed {seed}\n")]);
        stdout
    };
    assert_eq!(steps(1), steps(1));
    assert_ne!(steps(1), steps(2));
    let lines: Vec<Value> = steps(3)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 20);
    let keys: Vec<_> = lines[0].as_object().unwrap().keys().collect();
    assert_eq!(keys, ["step", "action", "observation", "reward", "done"]);
    assert_eq!(lines[19]["step"], 20);
    assert_eq!(
        lines[4]["action"]["message"],
        lines[4]["observation"]["echoed_message"]
    );
}

#[test]
fn random_steps_are_lines_for_people() {
    let (stdout, _) = play("benchmark --random 3 --seed 3", &[]);
    assert_eq!(stdout.lines().count(), 3, "{stdout}");
    assert!(stdout.lines().all(|line| line.contains(" -> {")));
    assert!(stdout.lines().all(|line| line.len() < 600), "{stdout}");
}

#[test]
fn random_play_resets_when_an_episode_is_over() {
    let server = CountdownServer::start();
    let (stdout, stderr) = play(&format!("{} --random 7 --json --seed 40", server.url), &[]);
    assert_contains(&stderr, &["7 steps, 3 episodes, total reward 0.7"]);
    let seeds: Vec<_> = stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .map(|line| line["observation"]["seed"].as_u64().unwrap())
        .collect();
    assert_eq!(seeds, [40, 40, 40, 41, 41, 41, 42]);
}

#[test]
fn a_server_that_is_not_there_is_named() {
    let (_, stderr) = play_badly("127.0.0.1:1", &[]);
    let first = "error: could not reach http://127.0.0.1:1\n";
    assert!(stderr.starts_with(first), "{stderr}");
    assert_contains(&stderr, &["hint: check the URL"]);
    play_until(2, "ecko", &[]);
}

#[test]
fn a_server_of_something_else_is_recognised() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    for arguments in ["", "--random 3"] {
        let arguments = format!("{}/docs/elsewhere {arguments}", server.url);
        let (_, stderr) = play_badly(&arguments, &[]);
        assert_contains(&stderr, &["404", "does not look like an OpenEnv server"]);
    }
    let (_, stderr) = play_badly(&server.url.replacen("http", "https", 1), &[]);
    assert_contains(&stderr, &["does it speak `http`?"]);
}

#[test]
fn a_first_reset_that_fails_ends_a_script() {
    let server = Serving::start(openenv("serve --port 0 -qq --max-sessions 1"));
    let address = server.url.strip_prefix("http://").unwrap();
    let (mut holder, _) =
        tokio_tungstenite::tungstenite::connect(format!("ws://{address}/ws")).unwrap();
    holder.send(r#"{"type":"reset"}"#.into()).unwrap();
    holder.read().unwrap();
    let (stdout, stderr) = play_badly(&server.url, &["hello"]);
    assert_eq!(stdout, "");
    assert_contains(&stderr, &["every place of the server is taken"]);
}

#[test]
fn lines_that_are_no_text_are_told_and_the_game_goes_on() {
    let output = play_to_the_end("echo", &[&b"one"[..], b"\xff\xfe", b"three"]);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    assert_contains(&stderr, &["error: line 2 is not UTF-8"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_contains(&stdout, &["echoed_message: three"]);
}

#[test]
fn the_url_of_the_socket_will_do() {
    let server = Serving::start(openenv("serve --port 0 -qq"));
    let url = format!("{}/ws", server.url.replacen("http", "ws", 1));
    let (stdout, _) = play(&url, &["hello"]);
    assert_contains(&stdout, &["echoed_message: hello"]);
}

#[test]
fn seeds_are_any_whole_number() {
    for seed in ["-1", "18446744073709551616"] {
        let (_, stderr) = play(&format!("echo --random 2 --seed {seed}"), &[":reset -3"]);
        assert_contains(&stderr, &[&format!("seed {seed}\n")]);
    }
    let (stdout, _) = play("echo --seed=-5", &[":reset -6"]);
    assert_eq!(stdout.matches("ready!").count(), 2, "{stdout}");
    let (_, stderr) = play_until(2, "echo --seed soon", &[]);
    assert_contains(&stderr, &["--seed", "expected a whole number"]);
    let (_, stderr) = play_until(2, "echo --random 0", &[]);
    assert_contains(&stderr, &["--random", "steps above 0"]);
}

#[test]
fn tools_are_called_by_name() {
    let lines = [
        ":tools",
        "search seal lake",
        r#"read {"id": "lake-baikal", "to_line": 1}"#,
        ":call submit_answer 1642",
    ];
    let (stdout, stderr) = play("documents --reset-arg task=seal-lake", &lines);
    assert_contains(
        &stderr,
        &["TOOL", "search", "query [limit]", "submit_answer"],
    );
    assert_contains(&stdout, &["lake-baikal", "total_lines:", "done: yes"]);
    assert!(!stdout.contains("structured_content"), "{stdout}");
}

#[test]
fn what_is_no_tool_is_named() {
    let (_, stderr) = play_badly("documents", &["serch seal", ":call"]);
    assert_contains(&stderr, &["there is no tool `serch`", "`:tools`"]);
    let (_, stderr) = play("echo", &[":tools", ":call echo_message hi"]);
    assert_contains(&stderr, &["echo_message"]);
}

#[test]
fn random_steps_call_tools_that_there_are() {
    let (stdout, _) = play("documents --random 20 --seed 3", &[]);
    assert!(!stdout.contains("tool_not_found"), "{stdout}");
    assert_contains(&stdout, &[r#""type":"call_tool""#]);
    let (again, _) = play("documents --random 20 --seed 3", &[]);
    assert_eq!(stdout, again);
}

#[test]
fn a_tool_that_fails_fails_its_line() {
    let wrong = [r#"search {"query": 3}"#, ":call search", "list"];
    let (stdout, stderr) = play_badly("documents", &wrong);
    assert_contains(&stdout, &["search: invalid_args", "next_offset:"]);
    let told = ["`search` needs arguments", "2 lines failed"];
    assert_contains(&stderr, &told);
}
