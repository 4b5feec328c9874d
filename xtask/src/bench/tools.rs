//! Tool calls per second and their latency, on every way there is to call a tool in a session.

use std::net::SocketAddr;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{
    Effort,
    client::{Request, Session},
    closed_loop::{self, Caller, Run},
    http::{Connection, Post},
    report::{Figure, Report, Target},
    subject::{Pair, Subjects},
};
use crate::server::Server;

const SESSIONS: [usize; 2] = [1, 32];
/// What the tool is told and has to say.
const MESSAGE: &str = "a message of usual length";
/// So much of a reply is compared with the first one: up to the message, and no number of an event.
const COMPARED: usize = 64;
const PROTOCOL_VERSION: &str = "2025-11-25";

/// A way to call a tool in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    /// By POST, with the session in the parameters, as the reference's client does it.
    Post,
    /// On a WebSocket of its own.
    Socket,
    /// In a frame between the steps.
    Frame,
    /// As a step, which the environment judges.
    Step,
    /// As clients of the Model Context Protocol do it.
    Standard,
}

/// One session and the call that it repeats.
#[derive(Debug)]
struct Tool {
    line: Line,
    /// How the first reply started.
    expected: Vec<u8>,
}

#[derive(Debug)]
enum Line {
    Socket(Session, Request),
    Http(Connection, Post),
}

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let runtime = closed_loop::runtime()?;
    let servers = subjects.try_map(|subject| subject.start(subject.echo_with_tools(), 512))?;
    for way in [Way::Post, Way::Socket, Way::Frame, Way::Step] {
        compare(&servers.as_ref(), way, effort, &runtime, report)?;
    }
    let ours = Pair {
        ours: servers.ours.as_ref(),
        reference: None,
    };
    compare(&ours, Way::Standard, effort, &runtime, report)?;
    report.note(
        "standard MCP has no figure of the reference: it does not know `initialize`, \
         with which such a client begins"
            .into(),
    );
    Ok(())
}

fn compare(
    servers: &Pair<&Server>,
    way: Way,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    for count in SESSIONS {
        let mut runs = servers.try_map(|server| {
            let tools = runtime.block_on(open(server.address(), way, count))?;
            Ok(Run::new(server, tools))
        })?;
        closed_loop::alternate(&mut runs, effort, runtime)?;

        let noun = if count == 1 { "session" } else { "sessions" };
        let name = way.name();
        let rate = runs.map(Run::calls_per_second);
        let mut figure = Figure::new(&format!("{name}, {count} {noun}"), "calls/s", rate);
        if way == Way::Post && count == 32 {
            figure = figure.target(Target::RatioAtLeast(50.0));
        }
        report.add(figure);
        let label = format!("{name} p99, {count} {noun}");
        report.add(Figure::new(
            &label,
            "ms",
            runs.map(|run| run.quantile(0.99)),
        ));
        let label = format!("{name} server, {count} {noun}");
        report.add(Figure::new(&label, "us/call", runs.map(Run::server_time)));
        for note in closed_loop::trust(&runs, &format!("{name}, {count} {noun}"), "call") {
            report.note(note);
        }
    }
    Ok(())
}

impl Way {
    fn name(self) -> &'static str {
        match self {
            Self::Post => "tools, POST /mcp",
            Self::Socket => "tools, socket /mcp",
            Self::Frame => "tools, frames on /ws",
            Self::Step => "tools, steps on /ws",
            Self::Standard => "tools, standard MCP",
        }
    }

    async fn open(self, server: SocketAddr, number: usize) -> Result<Line> {
        let (path, request) = match self {
            Self::Post => return post(server, number).await,
            Self::Standard => return standard(server, number).await,
            Self::Socket => ("/mcp", call(None)),
            Self::Frame => ("/ws", json!({ "type": "mcp", "data": call(None) })),
            Self::Step => {
                let action = json!({
                    "type": "call_tool",
                    "tool_name": "echo_message",
                    "arguments": { "message": MESSAGE },
                });
                ("/ws", json!({ "type": "step", "data": action }))
            }
        };
        let session = Session::connect_to(server, path, number).await?;
        Ok(Line::Socket(session, Request::new(&request.to_string())))
    }
}

/// The call of the tool, in a session that is named if the connection does not tell.
fn call(session: Option<&str>) -> Value {
    let mut params = json!({ "name": "echo_message", "arguments": { "message": MESSAGE } });
    if let Some(session) = session {
        params["session_id"] = session.into();
    }
    rpc(1, "tools/call", &params)
}

fn rpc(id: u32, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

async fn post(server: SocketAddr, number: usize) -> Result<Line> {
    let mut connection = Connection::open(server, number).await?;
    let headers = "Accept: */*\r\n";
    let create = rpc(0, "openenv/session/create", &json!({})).to_string();
    let create = connection.post("/mcp", headers, &create);
    let (_, created) = connection.tell(&create).await?;
    let created: Value = serde_json::from_str(&created)?;
    let session = created["result"]["session_id"]
        .as_str()
        .with_context(|| format!("no session was created: {created}"))?;
    let post = connection.post("/mcp", headers, &call(Some(session)).to_string());
    Ok(Line::Http(connection, post))
}

async fn standard(server: SocketAddr, number: usize) -> Result<Line> {
    let mut connection = Connection::open(server, number).await?;
    let accept = "Accept: application/json, text/event-stream\r\n";
    let params = json!({
        "protocolVersion": PROTOCOL_VERSION,
        "capabilities": {},
        "clientInfo": { "name": "bench", "version": "0" },
    });
    let initialize = rpc(0, "initialize", &params).to_string();
    let (head, _) = connection
        .tell(&connection.post("/mcp", accept, &initialize))
        .await?;
    let session = head
        .lines()
        .find_map(|line| line.strip_prefix("mcp-session-id: "))
        .with_context(|| format!("no session was opened: {head}"))?;
    let headers = format!(
        "{accept}Mcp-Session-Id: {session}\r\nMcp-Protocol-Version: {PROTOCOL_VERSION}\r\n"
    );
    let initialized = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
    let initialized = connection.post("/mcp", &headers, &initialized.to_string());
    connection.tell(&initialized).await?;
    let post = connection.post("/mcp", &headers, &call(None).to_string());
    Ok(Line::Http(connection, post))
}

impl Tool {
    /// Makes the first call and looks at its reply closely.
    async fn new(mut line: Line) -> Result<Self> {
        let reply = match &mut line {
            Line::Socket(session, request) => session.tell(request).await?,
            Line::Http(connection, post) => connection.tell(post).await?.1,
        };
        ensure!(
            reply.contains(MESSAGE) && reply.len() > COMPARED,
            "the server answered {reply}"
        );
        Ok(Self {
            line,
            expected: reply.as_bytes()[..COMPARED].to_vec(),
        })
    }
}

impl Caller for Tool {
    async fn call(&mut self) -> Result<()> {
        match &mut self.line {
            Line::Socket(session, request) => session.ask_for(request, &self.expected).await,
            Line::Http(connection, post) => connection.ask(post, &self.expected).await,
        }
    }
}

async fn open(server: SocketAddr, way: Way, count: usize) -> Result<Vec<Tool>> {
    let mut tools = Vec::new();
    for number in 0..count {
        let line = way.open(server, number).await?;
        tools.push(Tool::new(line).await?);
    }
    Ok(tools)
}
