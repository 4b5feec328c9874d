//! Asks a server what the recorded one was asked, and compares the answers.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

use reqwest::header::{ALLOW, CONTENT_TYPE, HeaderName, LOCATION};
use reqwest::redirect::Policy;
use serde_json::json;

use crate::differences::{Ask, Difference};
use crate::golden::{
    Answer, Bindings, Body, Frame, Row, Transport, body_bytes, frame_text, hex, openapi_outline,
    rows,
};
use crate::support::{Incoming, Socket, http};

mod in_process;

/// Frames that were sent back to back before the row was read.
const PIPELINED: (&str, [&str; 5]) = (
    "echo-sim ws: pipeline recv 0",
    [
        r#"{"type":"step","data":{"message":"m0"}}"#,
        r#"{"type":"step","data":{"message":"m1"}}"#,
        r#"{"type":"step","data":{"message":"m2"}}"#,
        r#"{"type":"step","data":{"message":"m3"}}"#,
        r#"{"type":"state"}"#,
    ],
);

/// Sockets that stay open after their last row, up to and including another row:
/// the other row says something about them.
const HELD: [(&str, &str); 3] = [
    ("echo-sim/ws#11:cap2", "echo-sim ws: slot freed after close"),
    (
        "echo-sim/ws#19:attach3",
        "echo-sim http: pending: use of session over HTTP still works",
    ),
    (
        "plain-sim/ws#25:plain",
        "plain-sim ws: default capacity is 1",
    ),
];

/// The socket that is opened while the factory takes its time.
const SLOW_FACTORY: &str = "echo-sim-factoryflag/ws#24:slowfactory";

/// A running server.
#[derive(Debug)]
pub(crate) struct Target {
    /// `http://127.0.0.1:8000`
    pub(crate) base: String,
    /// File that tells the factory to fail or to sleep.
    pub(crate) factory_flag: Option<PathBuf>,
}

/// Replays the rows of one server and returns what does not agree, as text.
pub(crate) async fn replay(
    server: &str,
    target: &Target,
    differences: &[Difference],
) -> Vec<String> {
    let rows = rows(server);
    let mut replay = Replay::new(target);
    let mut mismatches = Vec::new();
    for (index, row) in rows.iter().enumerate() {
        let key = row.key();
        let difference = differences.iter().find(|it| it.covers(&key));
        let ask = difference.map_or(Ask::AsRecorded, |difference| difference.ask);
        let answer = replay.ask(row, ask).await;
        let recorded = row.answer(&target.base);
        replay
            .bindings
            .learn(&row.volatile_uuids, &recorded, &answer);
        let fill = |answer| replay.bindings.fill_answer(answer);
        let verdict = match difference {
            None => agree(&fill(recorded), &answer),
            Some(difference) => difference.judge(row, &recorded, &answer, &fill),
        };
        if let Err(complaint) = verdict {
            mismatches.push(format!("{key}\n{complaint}"));
        }
        replay.finish_sockets(&key, &rows[index + 1..]).await;
    }
    mismatches
}

/// Whether an answer is the expected one.
pub(crate) fn agree(expected: &Answer, answer: &Answer) -> Result<(), String> {
    let mut answer = answer.clone();
    if let (Answer::Http { body: None, .. }, Answer::Http { body, .. }) = (expected, &mut answer) {
        *body = None;
    }
    if *expected == answer {
        return Ok(());
    }
    Err(format!("  expected {expected}\n  got      {answer}"))
}

#[derive(Debug)]
struct Replay<'a> {
    target: &'a Target,
    http: reqwest::Client,
    /// Open sockets by the name of their connection.
    sockets: HashMap<String, Socket>,
    /// Names of connections that were opened, whether or not they still are.
    opened: HashSet<String>,
    bindings: Bindings,
}

impl<'a> Replay<'a> {
    fn new(target: &'a Target) -> Self {
        let http = http()
            .redirect(Policy::none())
            // The recorded server drops a connection after a failure without saying so.
            .pool_max_idle_per_host(0)
            .no_proxy()
            .build()
            .expect("a client");
        Self {
            target,
            http,
            sockets: HashMap::new(),
            opened: HashSet::new(),
            bindings: Bindings::default(),
        }
    }

    async fn ask(&mut self, row: &Row, ask: Ask) -> Answer {
        if let Some(flag) = &self.target.factory_flag {
            let order = match row.conn.as_str() {
                SLOW_FACTORY => "sleep:0.3",
                _ => "fail",
            };
            std::fs::write(flag, order).expect("the flag can be written");
        }
        match row.transport {
            Transport::Http => self.ask_http(row).await,
            Transport::Ws => self.ask_socket(row, ask).await,
            Transport::WsHandshake => match Socket::try_open(&self.ws_url(row)).await {
                Ok(_) => Answer::Nothing("the upgrade was accepted".to_owned()),
                Err(refusal) => Answer::Refused {
                    status: refusal.status,
                    body: refusal.body,
                },
            },
        }
    }

    async fn ask_http(&self, row: &Row) -> Answer {
        let request = &row.request;
        let method = request.method.parse().expect("a method");
        let url = format!("{}{}", self.target.base, self.bindings.fill(&request.path));
        let mut builder = self.http.request(method, url);
        for (name, value) in &request.headers {
            builder = builder.header(name, value);
        }
        if let Some(body) = &request.body {
            builder = builder.body(body_bytes(&self.bindings.fill(body)));
        }
        let response = match builder.send().await {
            Ok(response) => response,
            Err(error) => return Answer::Nothing(format!("{error:?}")),
        };
        let header = |name: HeaderName| {
            let value = response.headers().get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        let status = response.status().as_u16();
        let content_type = header(CONTENT_TYPE);
        let allow = header(ALLOW);
        let location = header(LOCATION);
        let body = match response.text().await {
            Ok(text) => Body::of(&text),
            Err(error) => return Answer::Nothing(format!("{error:?}")),
        };
        let body = match body {
            Body::Json(document) if row.is_openapi() => Body::Json(openapi_outline(&document)),
            body => body,
        };
        Answer::Http {
            status,
            content_type,
            allow,
            location,
            body: Some(body),
        }
    }

    async fn ask_socket(&mut self, row: &Row, ask: Ask) -> Answer {
        if self.opened.insert(row.conn.clone()) {
            match Socket::try_open(&self.ws_url(row)).await {
                Ok(socket) => self.sockets.insert(row.conn.clone(), socket),
                Err(refusal) => {
                    return Answer::Refused {
                        status: refusal.status,
                        body: refusal.body,
                    };
                }
            };
        }
        let Some(socket) = self.sockets.get_mut(&row.conn) else {
            return Answer::Nothing("the socket was closed before".to_owned());
        };
        match (ask, &row.request.send) {
            (Ask::Nothing, _) | (Ask::AsRecorded, None) => {}
            (Ask::Text(text), _) => socket.send_text(text).await,
            (Ask::Binary(bytes), _) => socket.send_binary(bytes).await,
            (Ask::AsRecorded, Some(Frame::Text(text))) => {
                let text = frame_text(&self.bindings.fill(text));
                socket.send_text(&text).await;
            }
            (Ask::AsRecorded, Some(Frame::Binary { binary_hex })) => {
                socket.send_binary(&hex(binary_hex)).await;
            }
        }
        if row.key() == PIPELINED.0 {
            for frame in PIPELINED.1 {
                socket.send_text(frame).await;
            }
        }
        let answer = match socket.recv().await {
            Incoming::Text(text) => return Answer::Frame(Body::of(&text)),
            Incoming::Binary(bytes) => return Answer::Nothing(format!("binary frame {bytes:?}")),
            Incoming::Close(code) => Answer::Close(code),
            Incoming::Nothing(why) => Answer::Nothing(why),
        };
        self.sockets.remove(&row.conn);
        answer
    }

    /// Closes the sockets that no later row needs, and waits for their slots.
    async fn finish_sockets(&mut self, done: &str, later: &[Row]) {
        let needed = |conn: &str| {
            let held = HELD.iter().find(|(held, _)| *held == conn);
            later
                .iter()
                .any(|row| row.conn == conn || held.is_some_and(|(_, until)| row.key() == *until))
        };
        let finished: Vec<_> = self
            .sockets
            .keys()
            .filter(|conn| !needed(conn))
            .cloned()
            .collect();
        for conn in finished {
            let Some(mut socket) = self.sockets.remove(&conn) else {
                continue;
            };
            // Once the server has answered with a close frame, the slot is free.
            if conn.contains("/mcp#") {
                // There is no message to say so on this one.
                socket.close().await;
            } else {
                socket.send_json(&json!({ "type": "close" })).await;
            }
            while let Incoming::Text(text) = socket.recv().await {
                tracing::debug!(done, conn, text, "left over");
            }
        }
    }

    fn ws_url(&self, row: &Row) -> String {
        let base = self.target.base.replacen("http", "ws", 1);
        format!("{base}{}", self.bindings.fill(&row.request.path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::all_rows;

    #[test]
    fn held_and_pipelined_rows_exist() {
        let rows = all_rows();
        let is_row = |key: &str| rows.iter().any(|row| row.key() == key);
        let is_socket = |conn: &str| rows.iter().any(|row| row.conn == conn);
        assert!(is_row(PIPELINED.0));
        assert!(is_socket(SLOW_FACTORY));
        for (conn, until) in HELD {
            assert!(is_socket(conn) && is_row(until), "{conn} until {until}");
        }
    }
}
