//! Whatever an environment does to its process, the server and all other sessions live on.

use std::fs;
use std::time::{Duration, Instant};

use openenv::Server;
use openenv::python::{Options, Workers};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::installed::STANDIN;
use super::serving::project;
use crate::support::{Socket, TestServer};

/// Longer than anything here takes.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

async fn serve(name: &str, configure: impl FnOnce(&mut Options)) -> TestServer {
    serve_to(name, 64, configure).await
}

async fn serve_to(name: &str, sessions: usize, configure: impl FnOnce(&mut Options)) -> TestServer {
    let project = project(&format!("packages/{name}"), ".").unwrap();
    let mut options = Options::default();
    options.interpreter = STANDIN.interpreter();
    options.workers = 2;
    configure(&mut options);
    let workers = Workers::start(&project, options, &|_| {}).await.unwrap();
    let server = Server::builder()
        .python(workers)
        .max_sessions(sessions)
        .close_timeout(Duration::from_secs(1));
    TestServer::start(server).await
}

/// A session that has been reset, and the process it lives in.
async fn session(server: &TestServer) -> (Socket, i64) {
    let mut socket = server.socket("/ws").await;
    let reply = socket.ask(&json!({ "type": "reset" })).await;
    let pid = reply["data"]["observation"]["pid"].as_i64();
    (
        socket,
        pid.unwrap_or_else(|| panic!("no process in {reply}")),
    )
}

/// Two sessions in one process, and one in another.
async fn neighbours(server: &TestServer) -> [Socket; 3] {
    let (first, home) = session(server).await;
    let (mut same, mut other, mut spare) = (None, None, Vec::new());
    // A worker that ended just now is not replaced yet; and those who have a place
    // make others go elsewhere.
    while same.is_none() || other.is_none() {
        let (socket, pid) = session(server).await;
        let place = if pid == home { &mut same } else { &mut other };
        if let Some(one) = place.replace(socket) {
            spare.push(one);
            sleep(Duration::from_millis(50)).await;
        }
    }
    [first, same.unwrap(), other.unwrap()]
}

fn misdeed(fault: &str) -> Value {
    json!({ "type": "step", "data": { "fault": fault } })
}

fn message(reply: &Value) -> &str {
    reply["data"]["message"]
        .as_str()
        .unwrap_or_else(|| panic!("not an error: {reply}"))
}

async fn is_well(socket: &mut Socket) -> bool {
    let reply = socket.ask(&misdeed("none")).await;
    reply["type"] == "observation"
}

fn is_running(pid: i64) -> bool {
    // A zombie is as good as gone.
    fs::read_to_string(format!("/proc/{pid}/stat"))
        .is_ok_and(|stat| !stat.rsplit(") ").next().unwrap_or("Z").starts_with('Z'))
}

fn parent(pid: i64) -> i64 {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let rest = stat.rsplit(") ").next().unwrap();
    rest.split_whitespace().nth(1).unwrap().parse().unwrap()
}

pub(super) async fn ends(pid: i64) {
    let gone = async {
        while is_running(pid) {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, gone)
        .await
        .unwrap_or_else(|_| panic!("process {pid} is still there"));
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_process_that_ends_takes_its_own_sessions_only() {
    let server = serve("faults", |_| {}).await;
    for (fault, how) in [
        ("exit", "ended by itself with code 7"),
        ("kill", "signal 9"),
        ("segfault", "segmentation fault"),
    ] {
        let [mut victim, mut same, mut other] = neighbours(&server).await;
        let reply = victim.ask(&misdeed(fault)).await;
        assert!(message(&reply).contains(how), "{reply}");
        assert!(message(&reply).contains("the session is over"), "{reply}");
        // Who shared the process learns why its session is over.
        let reply = same.ask(&misdeed("none")).await;
        assert!(message(&reply).contains(how), "{reply}");
        assert!(is_well(&mut other).await, "{fault}");
        // There is room again, in a new process.
        let (mut next, _) = session(&server).await;
        assert!(is_well(&mut next).await, "{fault}");
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_session_that_has_not_begun_moves_on() {
    let server = serve("faults", |options| options.workers = 1).await;
    let mut waiting = server.socket("/ws").await;
    // It is open once it answers, and nothing has happened in it.
    waiting.ask(&json!({ "type": "state" })).await;
    let (mut victim, pid) = session(&server).await;
    victim.ask(&misdeed("kill")).await;
    ends(pid).await;
    let reply = waiting.ask(&json!({ "type": "reset" })).await;
    assert_eq!(reply["type"], "observation", "{reply}");
    assert_ne!(reply["data"]["observation"]["pid"], pid);
    drop((waiting, victim));
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_step_that_hangs_is_ended_and_its_process_only_if_it_must_be() {
    let limit = Duration::from_millis(700);
    for (asynchronous, fault, spares_the_process) in [
        ("0", "hang_loop", true),
        ("0", "hang_sleep", false),
        ("0", "hang_holding_gil", false),
        ("1", "hang_await", true),
        ("1", "hang_sleep", false),
    ] {
        let server = serve("faults", |options| {
            options.step_timeout = Some(limit);
            let name = "FAULTS_ASYNC".to_owned();
            options.variables.insert(name, asynchronous.to_owned());
        })
        .await;
        let [mut victim, mut same, mut other] = neighbours(&server).await;
        let begin = Instant::now();
        let reply = victim.ask(&misdeed(fault)).await;
        assert!(
            message(&reply).contains("step timed out after 0.7 seconds"),
            "{fault}: {reply}"
        );
        assert!(begin.elapsed() < Duration::from_secs(5), "{fault}");
        assert!(is_well(&mut other).await, "{fault}");
        if spares_the_process {
            assert!(is_well(&mut same).await, "{fault}");
            assert!(is_well(&mut victim).await, "{fault}");
        } else {
            assert!(
                message(&reply).contains("the session is over"),
                "{fault}: {reply}"
            );
            let reply = same.ask(&misdeed("none")).await;
            assert!(
                message(&reply).contains("limit of 0.7 seconds"),
                "{fault}: {reply}"
            );
        }
        let (mut next, _) = session(&server).await;
        assert!(is_well(&mut next).await, "{fault}");
        // A server that stops waits for its clients to agree.
        drop((victim, same, other, next));
        server.stop().await;
    }
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_limit_holds_although_nobody_waits_any_more() {
    let server = serve("faults", |options| {
        options.step_timeout = Some(Duration::from_millis(500));
    })
    .await;
    hang_and_vanish(server).await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn what_does_not_end_by_itself_ends_with_its_process() {
    // No limit for steps: it is the close that does not come.
    let server = serve_to("faults", 1, |options| options.workers = 1).await;
    hang_and_vanish(server).await;
}

/// A client that leaves during a step that hangs: the process of the step ends.
async fn hang_and_vanish(server: TestServer) {
    let (mut socket, pid) = session(&server).await;
    socket.send_json(&misdeed("hang_sleep")).await;
    sleep(Duration::from_millis(100)).await;
    socket.vanish();
    ends(pid).await;
    let (mut next, _) = session(&server).await;
    assert!(is_well(&mut next).await);
    drop(next);
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn workers_come_back_although_what_they_are_forked_from_ended() {
    let server = serve("faults", |_| {}).await;
    let (mut before, pid) = session(&server).await;
    let keeper = parent(pid);
    let template = parent(keeper);
    let status = std::process::Command::new("kill")
        .args(["-9", &template.to_string()])
        .status();
    assert!(status.unwrap().success());
    ends(pid).await;
    let reply = before.ask(&misdeed("none")).await;
    assert!(message(&reply).contains("the session is over"), "{reply}");
    let (mut next, _) = session(&server).await;
    assert!(is_well(&mut next).await);
    drop((before, next));
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn memory_has_a_limit() {
    let server = serve("faults", |options| options.memory_limit = Some(400 << 20)).await;
    let [mut victim, mut same, mut other] = neighbours(&server).await;
    let reply = victim.ask(&misdeed("memory")).await;
    assert!(message(&reply).contains("limit of 400 MiB"), "{reply}");
    let reply = same.ask(&misdeed("none")).await;
    assert!(message(&reply).contains("limit of 400 MiB"), "{reply}");
    assert!(is_well(&mut other).await);
    let (mut next, _) = session(&server).await;
    assert!(is_well(&mut next).await);
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn what_a_session_started_does_not_outlive_its_process() {
    let server = serve("faults", |options| options.sessions_per_worker = Some(1)).await;
    for fault in ["fork_child", "fork_daemon", "spawn_session"] {
        let (mut socket, pid) = session(&server).await;
        let reply = socket.ask(&misdeed(fault)).await;
        let child = reply["data"]["observation"]["child"].as_i64();
        let child = child.unwrap_or_else(|| panic!("no child in {reply}"));
        assert!(is_running(child), "{fault}");
        assert!(is_well(&mut socket).await, "{fault}");
        socket.ask(&misdeed("kill")).await;
        ends(pid).await;
        ends(child).await;
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn nothing_is_left_when_the_server_stops() {
    let server = serve("faults", |_| {}).await;
    let mut all = Vec::new();
    let mut sockets = Vec::new();
    for fault in ["fork_child", "fork_daemon", "spawn_session", "none"] {
        let (mut socket, pid) = session(&server).await;
        let reply = socket.ask(&misdeed(fault)).await;
        all.extend(reply["data"]["observation"]["child"].as_i64());
        all.push(pid);
        sockets.push(socket);
    }
    assert_eq!(all.len(), 7);
    server.stop().await;
    for pid in all {
        ends(pid).await;
    }
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_flood_of_output_disturbs_nobody() {
    let server = serve("faults", |_| {}).await;
    for fault in [
        "print_stdout",
        "print_stderr",
        "print_descriptor",
        "print_subprocess",
    ] {
        let [mut victim, mut same, mut other] = neighbours(&server).await;
        let flood = json!({ "type": "step", "data": { "fault": fault, "lines": 200_000 } });
        let (reply, same_is_well, other_is_well) =
            tokio::join!(victim.ask(&flood), is_well(&mut same), is_well(&mut other));
        assert_eq!(reply["type"], "observation", "{fault}: {reply}");
        assert!(same_is_well && other_is_well, "{fault}");
        assert!(is_well(&mut victim).await, "{fault}");
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn what_goes_wrong_in_a_call_is_told_and_over() {
    let server = serve("faults", |_| {}).await;
    let (mut socket, _) = session(&server).await;
    for (fault, expected) in [
        ("raise", "as the action asked"),
        ("raise_empty", "ValueError"),
        ("raise_unprintable", "Unprintable"),
        ("raise_validation", "valid integer"),
        ("raise_recursion", "recursion"),
        ("raise_base_exception", "not an Exception"),
        ("raise_system_exit", "SystemExit"),
        ("raise_keyboard_interrupt", "KeyboardInterrupt"),
        ("raise_cancelled", "Cancelled"),
        ("return_none", "NoneType"),
        ("return_dict", "dict"),
        ("return_object", "Unable to serialize unknown type"),
        ("return_bad_bytes", "utf-8"),
        ("return_cycle", "Circular reference"),
    ] {
        let reply = socket.ask(&misdeed(fault)).await;
        assert_eq!(reply["type"], "error", "{fault}: {reply}");
        assert_eq!(reply["data"]["code"], "EXECUTION_ERROR", "{fault}: {reply}");
        assert!(message(&reply).contains(expected), "{fault}: {reply}");
        assert!(is_well(&mut socket).await, "{fault}");
    }
    let reply = socket.ask(&misdeed("return_nan")).await;
    assert_eq!(reply["data"]["reward"], Value::Null);
    let reply = socket.ask(&misdeed("state_raises")).await;
    assert_eq!(reply["type"], "observation");
    let reply = socket.ask(&json!({ "type": "state" })).await;
    assert!(message(&reply).contains("the state is lost"), "{reply}");
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn an_answer_may_be_large() {
    let server = serve("faults", |_| {}).await;
    let [mut victim, mut same, _other] = neighbours(&server).await;
    let huge = json!({ "type": "step", "data": { "fault": "return_huge", "megabytes": 12 } });
    let (reply, same_is_well) = tokio::join!(victim.ask(&huge), is_well(&mut same));
    let payload = reply["data"]["observation"]["payload"].as_str().unwrap();
    assert_eq!(payload.len(), 12 << 20);
    assert!(same_is_well);
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_close_that_fails_or_takes_long_gives_its_place_back() {
    let server = serve_to("faults", 2, |_| {}).await;
    for fault in ["close_raises", "close_slow"] {
        for _ in 0..3 {
            let (mut socket, _) = session(&server).await;
            socket.ask(&misdeed(fault)).await;
            socket.send_json(&json!({ "type": "close" })).await;
            socket.expect_close().await;
        }
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_factory_that_fails_costs_one_session() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("factory");
    let server = serve("faults", |options| {
        let name = "FAULTS_FACTORY_FILE".to_owned();
        options
            .variables
            .insert(name, file.to_string_lossy().into_owned());
    })
    .await;
    let (mut running, _) = session(&server).await;
    for told in ["fail", "exit"] {
        fs::write(&file, told).unwrap();
        let mut socket = server.socket("/ws").await;
        let reply = socket.ask(&json!({ "type": "reset" })).await;
        assert_eq!(reply["data"]["code"], "FACTORY_ERROR", "{told}: {reply}");
        fs::remove_file(&file).unwrap();
        if told == "fail" {
            assert!(is_well(&mut running).await, "{told}");
        }
        let (mut next, _) = session(&server).await;
        assert!(is_well(&mut next).await, "{told}");
    }
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn one_slow_session_does_not_hold_up_its_neighbours() {
    let server = serve("faults", |options| options.workers = 1).await;
    let (mut slow, _) = session(&server).await;
    let (mut quick, _) = session(&server).await;
    let sleep = json!({ "type": "step", "data": { "fault": "hang_sleep", "seconds": 2.0 } });
    slow.send_json(&sleep).await;
    let begin = Instant::now();
    for _ in 0..50 {
        assert!(is_well(&mut quick).await);
    }
    // Fifty steps one after the other, all of them during the one slow step.
    assert!(begin.elapsed() < Duration::from_secs(2));
    assert_eq!(slow.recv_json().await["type"], "observation");
    server.stop().await;
}

/// 200 sessions over 4 workers, one of which is killed again and again.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn many_sessions_and_many_deaths() {
    let server = serve_to("faults", 200, |options| options.workers = 4).await;
    let mut sockets = Vec::new();
    for _ in 0..200 {
        sockets.push(session(&server).await.0);
    }
    let mut running = Vec::new();
    for (number, mut socket) in sockets.into_iter().enumerate() {
        running.push(tokio::spawn(async move {
            let mut told = 0;
            for step in 0..30 {
                let fault = if number % 40 == 0 && step == 10 {
                    "kill"
                } else {
                    "none"
                };
                let reply = socket.ask(&misdeed(fault)).await;
                if reply["type"] == "error" {
                    // Its worker is gone, and that is what it is told.
                    assert!(message(&reply).contains("worker"), "{reply}");
                    told += 1;
                    break;
                }
            }
            told
        }));
    }
    let mut told = 0;
    for session in running {
        told += timeout(PATIENCE, session).await.unwrap().unwrap();
    }
    assert!(told >= 5, "{told}");
    let settled = async {
        while server.server().capacity()[0].active > 0 {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, settled)
        .await
        .expect("every place is free again");
    let (mut next, _) = session(&server).await;
    assert!(is_well(&mut next).await);
    server.stop().await;
}
