//! What environments start, and what that starts in turn.

use std::fs;
use std::time::Duration;

use openenv::Server;
use openenv::python::{Options, Project, Workers};
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use super::Tree;
use super::faults::{PATIENCE, ends};
use super::installed::STANDIN;
use crate::support::{TestServer, http};

const FAMILY: &str = r#"
import os
import subprocess

from openenv.core.env_server import Action, Environment, Observation, State


class Start(Action):
    what: str = "nothing"


class Started(Observation):
    pid: int
    child: int = 0
    text: str = ""


class Family(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self) -> Started:
        return Started(pid=os.getpid())

    def step(self, action: Start) -> Started:
        child, text = 0, ""
        if action.what == "family":
            child = subprocess.Popen(["sh", "-c", "sleep 600 & wait"]).pid
        elif action.what == "printing":
            child = os.fork()
            if child == 0:
                for _ in range(1000):
                    print("what a child says", flush=True)
                os._exit(0)
            os.waitpid(child, 0)
        elif action.what == "large":
            text = "x" * (12 << 20)
        elif action.what == "end":
            os._exit(3)
        return Started(pid=os.getpid(), child=child, text=text)

    @property
    def state(self) -> State:
        return State()
"#;

async fn serve() -> TestServer {
    let tree = Tree::new("family").file("family.py", FAMILY);
    let project = Project::of_object("family:Family", tree.path()).unwrap();
    let mut options = Options::default();
    options.interpreter = STANDIN.interpreter();
    options.workers = 1;
    let workers = Workers::start(&project, options, &|_| {}).await.unwrap();
    TestServer::start(Server::builder().python(workers)).await
}

fn start(what: &str) -> Value {
    json!({ "type": "step", "data": { "what": what } })
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn what_was_started_by_what_was_started_ends_as_well() {
    let server = serve().await;
    let mut socket = server.socket("/ws").await;
    let reply = socket.ask(&start("family")).await;
    let of = |name: &str| reply["data"]["observation"][name].as_i64().unwrap();
    let (pid, child) = (of("pid"), of("child"));
    let grandchild = async {
        loop {
            let listed = fs::read_to_string(format!("/proc/{child}/task/{child}/children"));
            if let Some(one) = listed.unwrap().split_whitespace().next() {
                return one.parse::<i64>().unwrap();
            }
            sleep(Duration::from_millis(10)).await;
        }
    };
    let grandchild = timeout(PATIENCE, grandchild).await.expect("a grandchild");
    let reply = socket.ask(&start("end")).await;
    assert_eq!(reply["type"], "error", "{reply}");
    for one in [pid, child, grandchild] {
        ends(one).await;
    }
    drop(socket);
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn what_a_session_forks_does_not_speak_for_its_worker() {
    let server = serve().await;
    let (mut one, mut other) = (server.socket("/ws").await, server.socket("/ws").await);
    for _ in 0..3 {
        let (fork, large) = (start("printing"), start("large"));
        let (printed, answered) = tokio::join!(one.ask(&fork), other.ask(&large));
        assert_eq!(printed["type"], "observation", "{printed}");
        let text = answered["data"]["observation"]["text"].as_str().unwrap();
        assert_eq!(text.len(), 12 << 20);
    }
    drop((one, other));
    server.stop().await;
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn half_a_character_is_answered_and_holds_nobody_up() {
    let server = serve().await;
    let step = async |action: &str| {
        let request = http()
            .build()
            .unwrap()
            .post(format!("{}/step", server.url()));
        let body = format!(r#"{{"action":{action}}}"#);
        let request = request
            .header("content-type", "application/json")
            .body(body);
        let answered = timeout(PATIENCE, request.send()).await.expect("an answer");
        answered.unwrap().status().as_u16()
    };
    let half = r#"{"what":["@ud800"]}"#.replace('@', "\\");
    assert_eq!(step(&half).await, 422);
    assert_eq!(step(r#"{"what":"nothing"}"#).await, 200);
    let mut socket = server.socket("/ws").await;
    let frame = format!(r#"{{"type":"step","data":{half}}}"#);
    socket.send_text(&frame).await;
    let reply = socket.recv_json().await;
    assert_eq!(reply["data"]["code"], "VALIDATION_ERROR", "{reply}");
    let reply = socket.ask(&start("nothing")).await;
    assert_eq!(reply["type"], "observation", "{reply}");
    drop(socket);
    server.stop().await;
}
