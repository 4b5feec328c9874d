//! Faults that only whole processes can have.

use std::process::{Command, Stdio};

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::serving::{Serving, openenv, wait_for};

const LONG_STEP: &str = r#"{"type":"step","data":{"wait_seconds":600}}"#;
const SHORT_STEP: &str = r#"{"type":"step","data":{"wait_seconds":0.3}}"#;

/// Opens a WebSocket with nothing but the standard library, starts a long step
/// and waits for the end that it will not see coming.
const CLIENT: &str = r#"
import base64, os, socket, sys, time
host, port, frame = sys.argv[1], int(sys.argv[2]), sys.argv[3].encode()
peer = socket.create_connection((host, port))
key = base64.b64encode(os.urandom(16)).decode()
peer.sendall((f"GET /ws HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
              f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n").encode())
assert b" 101 " in peer.recv(4096)
peer.sendall(bytes([0x81, 0x80 | len(frame)]) + bytes(4) + frame)
time.sleep(600)
"#;

fn capacity(server: &Serving) -> serde_json::Value {
    let answer = server.request("GET /capacity", "");
    serde_json::from_str(answer.rsplit("\r\n\r\n").next().unwrap()).unwrap()
}

fn lines(log: &str, text: &str) -> usize {
    log.lines().filter(|line| line.contains(text)).count()
}

#[test]
fn a_client_killed_in_the_middle_of_a_step_leaves_nothing_behind() {
    let server = Serving::start(openenv("serve benchmark --port 0 --max-sessions 1"));
    let (host, port) = server
        .url
        .strip_prefix("http://")
        .unwrap()
        .split_once(':')
        .unwrap();
    for _ in 0..3 {
        let mut client = Command::new("python3")
            .args(["-c", CLIENT, host, port, LONG_STEP])
            .stdin(Stdio::null())
            .spawn()
            .unwrap();
        wait_for("the step runs", || {
            server
                .request("GET /sessions", "")
                .contains(r#""running":true"#)
        });
        client.kill().unwrap();
        client.wait().unwrap();
        wait_for("the slot is free", || capacity(&server)["active"] == 0);
    }
    let (status, log) = server.stop();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(
        (lines(&log, "session opened"), lines(&log, "session closed")),
        (3, 3),
        "{log}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn sigterm_under_load_answers_what_runs_and_closes_every_session() {
    const CLIENTS: usize = 200;
    let server = Serving::start(openenv("serve benchmark --port 0"));
    let url = format!("{}/ws", server.url.replacen("http", "ws", 1));
    let mut clients = Vec::new();
    for _ in 0..CLIENTS {
        let (mut socket, _) = connect_async(&url).await.unwrap();
        socket.send(Message::text(SHORT_STEP)).await.unwrap();
        clients.push(socket);
    }
    wait_for("every session is open", || {
        capacity(&server)["active"] == CLIENTS
    });
    server.terminate();
    for mut socket in clients {
        let reply = socket.next().await.unwrap().unwrap();
        assert!(
            reply.to_text().unwrap().contains("waited_seconds"),
            "{reply:?}"
        );
        let Some(Ok(Message::Close(Some(frame)))) = socket.next().await else {
            panic!("no close frame");
        };
        assert_eq!(u16::from(frame.code), 1012);
    }
    let (status, log) = server.wait();
    assert_eq!(status.code(), Some(0), "{log}");
    assert_eq!(lines(&log, "session opened"), CLIENTS);
    assert_eq!(lines(&log, "session closed"), CLIENTS);
    assert_eq!(
        lines(&log, "server shutdown"),
        CLIENTS,
        "each line says why"
    );
}

#[test]
fn a_lost_log_costs_log_lines_only() {
    let mut command = openenv("serve --port 0 --max-sessions 1");
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    let mut server = command.stdout(Stdio::piped()).stderr(full).spawn().unwrap();
    let mut url = String::new();
    let stdout = server.stdout.take().unwrap();
    std::io::BufRead::read_line(&mut std::io::BufReader::new(stdout), &mut url).unwrap();
    let address = url.trim().strip_prefix("http://").unwrap().to_owned();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        for _ in 0..3 {
            let (mut socket, _) = connect_async(format!("ws://{address}/ws")).await.unwrap();
            socket
                .send(Message::text(r#"{"type":"reset"}"#))
                .await
                .unwrap();
            let reply = socket.next().await.unwrap().unwrap();
            assert!(reply.to_text().unwrap().contains("ready"), "{reply:?}");
            socket
                .send(Message::text(r#"{"type":"close"}"#))
                .await
                .unwrap();
            assert!(matches!(socket.next().await, Some(Ok(Message::Close(_)))));
        }
    });
    server.kill().unwrap();
    server.wait().unwrap();
}
