//! Workers that cannot reach anything but what they started.

use std::fs;
use std::time::Duration;

use openenv::Server;
use openenv::python::{Options, Project, Workers};
use serde_json::{Value, json};

use super::Tree;
use super::installed::STANDIN;
use crate::support::TestServer;

/// Looks around where it runs.
const LOOKOUT: &str = r#"
import os
import socket
import subprocess
import tempfile

from openenv.core.env_server import Action, Environment, Observation, State


class Look(Action):
    port: int = 0
    path: str = ""


class Seen(Observation):
    pid: int
    interfaces: list[str]
    reached: str
    loopback: bool
    temporary: list[str]
    is_there: bool
    written: str
    privileges: str
    can_mount: bool


class Lookout(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self) -> Seen:
        return self.step(Look())

    def step(self, action: Look) -> Seen:
        try:
            socket.create_connection(("127.0.0.1", action.port), timeout=1).close()
            reached = "yes"
        except OSError as error:
            reached = type(error).__name__
        with socket.socket() as listener:
            listener.bind(("127.0.0.1", 0))
            listener.listen()
            loopback = socket.create_connection(listener.getsockname(), timeout=1) is not None
        before = os.listdir(tempfile.gettempdir())
        with tempfile.NamedTemporaryFile(delete=False) as file:
            file.write(b"mine")
        status = dict(line.split(":", 1) for line in open("/proc/self/status"))
        mounted = subprocess.run(["mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True)
        return Seen(
            pid=os.getpid(),
            interfaces=[name for _, name in socket.if_nameindex()],
            reached=reached,
            loopback=loopback,
            temporary=before,
            is_there=os.path.exists(action.path),
            written=file.name,
            privileges=status["CapEff"].strip(),
            can_mount=mounted.returncode == 0,
        )

    @property
    def state(self) -> State:
        return State()
"#;

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn isolated_workers_see_neither_the_network_nor_what_others_write() {
    let tree = Tree::new("lookout").file("lookout.py", LOOKOUT);
    let project = Project::of_object("lookout:Lookout", tree.path()).unwrap();
    let mut options = Options::default();
    options.interpreter = STANDIN.interpreter();
    options.workers = 2;
    options.isolate = true;
    let workers = match Workers::start(&project, options, &|_| {}).await {
        Ok(workers) => workers,
        // Where it is not allowed, it is refused, and the reason is said.
        Err(error) => {
            let message = error.to_string();
            assert!(message.contains("cannot be isolated here"), "{message}");
            assert!(
                message.contains("unshare") || message.contains("mount"),
                "{message}"
            );
            assert!(!rustix::process::geteuid().is_root(), "{message}");
            return;
        }
    };
    let server = Server::builder()
        .python(workers)
        .close_timeout(Duration::from_secs(1));
    let server = TestServer::start(server).await;
    let outside = tempfile::NamedTempFile::new().unwrap();
    let port: u16 = server.url().rsplit(':').next().unwrap().parse().unwrap();
    let look = json!({ "type": "step", "data": { "port": port, "path": outside.path() } });

    let (mut one, mut other) = (server.socket("/ws").await, server.socket("/ws").await);
    for socket in [&mut one, &mut other] {
        let reply = socket.ask(&look).await;
        let seen = &reply["data"]["observation"];
        assert_eq!(seen["interfaces"], json!(["lo"]), "{reply}");
        assert_eq!(seen["reached"], "ConnectionRefusedError", "{reply}");
        assert_eq!(seen["loopback"], true, "{reply}");
        assert_eq!(seen["is_there"], false, "{reply}");
        assert_eq!(seen["can_mount"], false, "{reply}");
        assert_eq!(seen["privileges"], "0000000000000000", "{reply}");
        // It is the first process of its own.
        assert_eq!(seen["pid"], 1, "{reply}");
        // The other worker has written by now; but nothing of that is here.
        let temporary = seen["temporary"].as_array().unwrap();
        let foreign = |name: &&Value| name.as_str().unwrap().starts_with("tmp");
        assert_eq!(temporary.iter().filter(foreign).count(), 0, "{reply}");
        let written = seen["written"].as_str().unwrap();
        assert!(!fs::exists(written).unwrap(), "{reply}");
    }
    drop((one, other));
    server.stop().await;
}
