//! Servers that are started for a client, as real processes.

use std::fs;
use std::io::Read;
use std::net::TcpListener;
use std::time::{Duration, Instant};

use openenv::provider::{Process, Provider, Remote};
use openenv::{Endpoint, Server};
use serde_json::json;
use tokio::time::timeout;

use crate::examples;
use crate::support::{Socket, TestServer, eventually};
use crate::twins::EchoEnv;

mod processes;
mod warm_pool;

use processes::{Note, Program, ids, ids_of, runs, signal, until_gone};

/// Longer than anything here may take on a slow machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that a shell becomes after it has run `before`; tells its id first.
fn server_after(before: &str) -> Process {
    Process::new("sh")
        .args(["-c", &script(before), "sh"])
        .arg(examples::path("server"))
        .start_timeout(PATIENCE)
        .stop_timeout(PATIENCE)
}

fn script(before: &str) -> String {
    format!(r#"echo "pid $$"; {before} exec "$1" {{port}}"#)
}

/// A shell that does not become the server but waits for it, as launchers do.
fn launcher() -> Process {
    Process::new("sh")
        .args(["-c", r#"echo "pid $$"; "$1" {port} & echo "pid $!"; wait"#])
        .arg("sh")
        .arg(examples::path("server"))
        .start_timeout(PATIENCE)
        .stop_timeout(PATIENCE)
}

async fn failure(process: &mut Process) -> String {
    let started = timeout(PATIENCE * 2, process.start()).await.unwrap();
    started.unwrap_err().to_string()
}

#[tokio::test]
async fn a_process_serves_until_it_is_stopped() {
    let mut process = server_after("");
    let endpoint = process.start().await.unwrap();
    endpoint.health().await.unwrap();
    let url = format!("{endpoint}/ws").replacen("http", "ws", 1);
    let step = json!({ "type": "step", "data": { "text": "hello" } });
    let answer = Socket::open(&url).await.ask(&step).await;
    assert_eq!(answer["data"]["observation"]["text"], "HELLO");

    let ids = ids_of(&process, 1).await;
    assert!(runs(ids[0]));
    process.stop().await.unwrap();
    assert!(!ids.iter().any(|id| runs(*id)));
    assert!(process.output().contains("listening on"));
    process.stop().await.unwrap();
}

#[tokio::test]
async fn a_stopped_process_starts_again_a_running_one_does_not() {
    let mut process = server_after("")
        .start_timeout(Duration::MAX)
        .stop_timeout(Duration::MAX);
    process.start().await.unwrap();
    let error = failure(&mut process).await;
    assert_eq!(error, "`sh` was started already; stop it first");
    process.stop().await.unwrap();
    process.start().await.unwrap().health().await.unwrap();
    process.stop().await.unwrap();
}

#[tokio::test]
async fn the_address_is_in_the_environment_too() {
    let mut process = Process::new("sh")
        .args(["-c", r#"echo "$PORT $HOST $URL"; exec "$1""#, "sh"])
        .arg(examples::path("server"))
        .env("URL", "http://{host}:{port}")
        .current_dir("/")
        .start_timeout(PATIENCE);
    let endpoint = process.start().await.unwrap();
    process.stop().await.unwrap();
    let output = process.output();
    let [port, host, url] = output
        .lines()
        .next()
        .unwrap()
        .split(' ')
        .collect::<Vec<_>>()[..]
    else {
        panic!("{output}")
    };
    assert_eq!(url, endpoint.to_string());
    assert_eq!(url, format!("http://{host}:{port}"));
}

#[tokio::test]
async fn an_early_end_is_noticed_and_told() {
    let mut process = Process::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]);
    let start = Instant::now();
    let error = failure(&mut process).await;
    assert_eq!(
        error,
        "`sh -c 'echo one; echo two >&2; exit 3'` ended before it was healthy: exit status: 3; \
         its last output:\n  one\n  two"
    );
    assert!(start.elapsed() < PATIENCE);
    assert_eq!(process.output(), "one\ntwo\n");
}

#[tokio::test]
async fn an_early_end_takes_along_what_was_started() {
    let script = r#"sleep 300 & echo "pid $!"; exit 1"#;
    let mut process = Process::new("sh").args(["-c", script]);
    failure(&mut process).await;
    until_gone(&ids(&process.output())).await;
}

#[tokio::test]
async fn a_server_that_never_gets_healthy_is_stopped() {
    let mut process = Process::new("sh")
        .args(["-c", r#"echo "pid $$"; exec sleep 300"#])
        .start_timeout(Duration::from_secs(1));
    let error = process.start().await.unwrap_err();
    assert!(error.is_timeout());
    let error = error.to_string();
    assert!(error.contains("is not healthy after 1s"), "{error}");
    assert!(error.contains("sleep 300"), "{error}");
    assert!(error.contains("\n  pid "), "{error}");
    until_gone(&ids(&process.output())).await;
}

#[tokio::test]
async fn what_cannot_be_started_is_named() {
    let error = failure(&mut Process::new("no-such-command")).await;
    assert!(
        error.starts_with("could not start `no-such-command`: "),
        "{error}"
    );
    let error = failure(&mut Process::new("sh").current_dir("/no/such/place")).await;
    assert!(
        error.ends_with("there is no directory `/no/such/place`"),
        "{error}"
    );
}

#[tokio::test]
async fn a_port_in_use_is_left_to_whom_it_belongs() {
    let foreign = TestServer::start(Server::builder().environment("echo", EchoEnv::default)).await;
    let port = foreign.url().rsplit(':').next().unwrap().parse().unwrap();
    let mut process = server_after("").port(port);
    let error = failure(&mut process).await;
    assert_eq!(
        error,
        format!("could not start `sh`: port {port} is in use by another process")
    );
    assert_eq!(process.output(), "");
    let endpoint = Endpoint::new(&foreign.url()).unwrap();
    endpoint.health().await.unwrap();
    foreign.stop().await;
}

#[tokio::test]
async fn a_fixed_port_is_used() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let mut process = server_after("").port(port);
    let endpoint = process.start().await.unwrap();
    assert_eq!(endpoint.to_string(), format!("http://127.0.0.1:{port}"));
    process.stop().await.unwrap();
}

#[tokio::test]
async fn a_launcher_ends_with_its_server() {
    let mut process = launcher();
    process.start().await.unwrap();
    let ids = ids_of(&process, 2).await;
    assert!(ids.iter().all(|id| runs(*id)));
    process.stop().await.unwrap();
    assert!(!ids.iter().any(|id| runs(*id)));
}

#[tokio::test]
async fn what_does_not_end_when_asked_to_is_killed() {
    // What is ignored is ignored by all that it starts as well.
    let deaf = r#"trap "" TERM; sleep 300 & echo "pid $!";"#;
    let limit = Duration::from_millis(300);
    let mut process = Process::new("sh")
        .args([
            "-c",
            &format!(r#"echo "pid $$"; {deaf} "$1" {{port}} & wait; sleep 300"#),
        ])
        .arg("sh")
        .arg(examples::path("blocking"))
        .start_timeout(PATIENCE)
        .stop_timeout(limit);
    process.start().await.unwrap();
    let ids = ids_of(&process, 2).await;
    assert!(ids.iter().all(|id| runs(*id)));
    let start = Instant::now();
    process.stop().await.unwrap();
    assert!(start.elapsed() >= limit);
    until_gone(&ids).await;
}

#[tokio::test]
async fn stopping_cleans_up_after_a_server_that_crashed() {
    let mut process = launcher();
    process.start().await.unwrap();
    let ids = ids_of(&process, 2).await;
    signal("KILL", ids[0]);
    eventually("the launcher is gone", || !runs(ids[0])).await;
    assert!(runs(ids[1]));
    process.stop().await.unwrap();
    assert!(!runs(ids[1]));
}

#[tokio::test]
async fn dropping_kills() {
    let mut process = launcher();
    process.start().await.unwrap();
    let ids = ids_of(&process, 2).await;
    drop(process);
    assert!(!runs(ids[0]));
    until_gone(&ids).await;
}

#[test]
fn dropping_kills_without_a_runtime() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut process = launcher();
    runtime.block_on(process.start()).unwrap();
    let ids = runtime.block_on(ids_of(&process, 2));
    drop(runtime);
    assert!(ids.iter().all(|id| runs(*id)));
    drop(process);
    assert!(!runs(ids[0]));
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(until_gone(&ids));
}

#[tokio::test]
async fn a_start_that_is_given_up_leaves_nothing() {
    let note = Note::new("given-up");
    let mut process = Process::new("sh")
        .args([
            "-c",
            r#"sleep 300 & printf "pid $$\npid $!\n" >"$NOTE"; wait"#,
        ])
        .env("NOTE", &note.path);
    tokio::select! {
        started = process.start() => panic!("{started:?}"),
        () = eventually("all was started", || ids(&note.text()).len() == 2) => {}
    }
    until_gone(&ids(&note.text())).await;
}

#[tokio::test]
async fn a_port_that_is_snatched_is_replaced() {
    let note = Note::new("snatched");
    let taken = Note::new("taken");
    let wait = r#"if [ ! -e "$TAKEN" ]; then
        echo "{port}" >"$NOTE"
        while [ ! -e "$TAKEN" ]; do sleep 0.01; done
        exit 1
    fi;"#;
    let mut process = server_after(wait)
        .env("NOTE", &note.path)
        .env("TAKEN", &taken.path);
    let snatch = async {
        eventually("a port was chosen", || note.text().ends_with('\n')).await;
        let port: u16 = note.text().trim().parse().unwrap();
        let listener = TcpListener::bind(("127.0.0.1", port)).unwrap();
        fs::write(&taken.path, "").unwrap();
        listener
    };
    let (started, listener) = tokio::join!(process.start(), snatch);
    let snatched = listener.local_addr().unwrap();
    assert_ne!(started.unwrap().to_string(), format!("http://{snatched}"));
    process.stop().await.unwrap();
}

#[tokio::test]
async fn a_stop_that_is_given_up_kills() {
    let mut process = server_after("trap '' TERM; sleep 300 & echo \"pid $!\";");
    process.start().await.unwrap();
    let ids = ids_of(&process, 2).await;
    let given_up = timeout(Duration::from_millis(50), process.stop()).await;
    given_up.unwrap_err();
    until_gone(&ids).await;
}

#[tokio::test]
async fn a_chatty_server_is_never_blocked() {
    // 4 MB before it serves, and as much again while it does.
    let chat = "i=0; while [ $i -lt 64 ]; do head -c 65536 /dev/zero; i=$((i+1)); done;";
    let mut process = Process::new("sh")
        .args([
            "-c",
            &format!(r#"{chat} "$1" {{port}} & {chat} echo; echo last; wait"#),
            "sh",
        ])
        .arg(examples::path("server"))
        .start_timeout(PATIENCE)
        .stop_timeout(PATIENCE);
    process.start().await.unwrap();
    eventually("all was written", || process.output().contains("last")).await;
    assert!(process.output().len() <= 64 * 1024);
    process.stop().await.unwrap();
}

#[tokio::test]
async fn a_program_that_is_killed_leaves_nothing() {
    let mut program = Program::start();
    program.child.kill().unwrap();
    program.child.wait().unwrap();
    // Whoever reads the output of the program sees its end: the guard does not hold it open.
    program.stderr.read_to_string(&mut String::new()).unwrap();
    until_gone(&program.ids).await;
}

#[tokio::test]
async fn a_program_that_is_interrupted_stops_server_and_guard() {
    let mut program = Program::start();
    signal("INT", program.child.id());
    assert!(program.child.wait().unwrap().success());
    assert!(!program.ids.iter().any(|id| runs(*id)));
}

#[tokio::test]
async fn a_remote_server_is_waited_for_and_left_alone() {
    let server = TestServer::start(Server::builder().environment("echo", EchoEnv::default)).await;
    let mut remote = Remote::new(Endpoint::new(&server.url()).unwrap());
    let endpoint = remote.start().await.unwrap();
    assert_eq!(endpoint.to_string(), server.url());
    remote.stop().await.unwrap();
    endpoint.health().await.unwrap();
    server.stop().await;
}

#[tokio::test]
async fn a_remote_server_that_is_not_there_is_told() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let mut remote: Box<dyn Provider> = Box::new(
        Remote::new(Endpoint::new(&url).unwrap()).start_timeout(Duration::from_millis(100)),
    );
    let error = remote.start().await.unwrap_err();
    assert!(error.is_timeout());
    let error = error.to_string();
    assert!(
        error.starts_with(&format!("`{url}` is not healthy after 100ms: ")),
        "{error}"
    );
    assert!(error.contains("refused"), "{error}");
}
