//! `openenv mcp`, and what `openenv serve` has for agents.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

use crate::serving::{Serving, openenv};

/// A client at the other end of standard input and output.
pub(crate) struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    fn start(arguments: &str) -> Self {
        Self::of(openenv(arguments))
    }

    pub(crate) fn of(mut command: Command) -> Self {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        Self {
            input: child.stdin.take().unwrap(),
            output: BufReader::new(child.stdout.take().unwrap()),
            child,
        }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn ask(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap_or_else(|_| panic!("no message: {line}"))
    }

    pub(crate) fn initialize(&mut self) -> Value {
        let hello = self.ask(
            "initialize",
            &json!({
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": { "name": "test", "version": "1" },
            }),
        );
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        hello
    }

    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", &json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap();
        let name = |tool: &Value| tool["name"].as_str().unwrap().to_owned();
        tools.iter().map(name).collect()
    }

    /// Closes standard input and returns the exit code and standard error.
    pub(crate) fn end(self) -> (Option<i32>, String) {
        let Self { child, input, .. } = self;
        drop(input);
        let output = child.wait_with_output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stderr).unwrap(),
        )
    }
}

#[test]
fn tools_are_served_over_standard_input_and_output() {
    let mut client = Client::start("mcp documents");
    let hello = client.initialize();
    assert_eq!(
        hello["result"]["serverInfo"]["name"], "documents",
        "{hello}"
    );
    let tools = client.tools();
    assert!(tools.contains(&"export".to_owned()), "{tools:?}");
    assert!(!tools.contains(&"submit_answer".to_owned()), "{tools:?}");
    let note = json!({ "name": "write", "arguments": { "title": "Mine", "text": "A text." } });
    let written = client.ask("tools/call", &note);
    assert_eq!(written["result"]["isError"], false, "{written}");
    let id = &written["result"]["structuredContent"]["id"];
    let read = client.ask(
        "tools/call",
        &json!({ "name": "read", "arguments": { "id": id } }),
    );
    assert_eq!(read["result"]["structuredContent"]["text"], "A text.");
    assert_eq!(client.end(), (Some(0), String::new()));
}

#[test]
fn the_tools_of_the_other_mode_can_be_asked_for() {
    let mut client = Client::start("mcp documents --mode simulation");
    client.initialize();
    let tools = client.tools();
    assert!(tools.contains(&"submit_answer".to_owned()), "{tools:?}");
    client.end();
}

#[test]
fn an_environment_without_tools_is_refused() {
    let output = openenv("mcp benchmark").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stderr.contains("environment `benchmark` has no tools"),
        "{stderr}"
    );
}

#[test]
fn what_is_no_protocol_is_an_error_in_words() {
    let mut client = Client::start("mcp echo");
    writeln!(client.input, "hello there").unwrap();
    let (code, stderr) = client.end();
    // Noise is no reason to stop; the end of the input is.
    assert!(matches!(code, Some(0 | 1)), "{code:?} {stderr}");
    assert!(!stderr.contains("panicked"), "{stderr}");
}

#[test]
fn control_has_its_own_address_or_none() {
    let apart = "serve documents --port 0 --mode production --control-listen 127.0.0.1:0";
    let server = Serving::start(openenv(apart));
    assert!(
        server
            .request("GET /sessions", "")
            .starts_with("HTTP/1.1 404")
    );
    let (_, stderr) = server.stop();
    let control = stderr
        .split_whitespace()
        .find_map(|word| word.strip_suffix("/sessions"))
        .unwrap();
    let base = stderr
        .split_whitespace()
        .find_map(|word| word.strip_suffix("/mcp"))
        .unwrap();
    assert_ne!(control, base, "{stderr}");

    let off = "serve documents --port 0 --mode production --control-listen off";
    let server = Serving::start(openenv(off));
    assert!(server.request("GET /ws", "").starts_with("HTTP/1.1 404"));
    let (_, stderr) = server.stop();
    assert!(!stderr.contains("/ws"), "{stderr}");
    assert!(!stderr.contains("GenericEnvClient"), "{stderr}");
}

#[test]
fn an_address_that_is_none_is_a_usage_error() {
    let output = openenv("serve --control-listen 8001").output().unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr.contains("HOST:PORT"), "{stderr}");
}
