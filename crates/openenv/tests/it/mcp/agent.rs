//! An MCP client that shows every byte.

use reqwest::{Client, Method, RequestBuilder, Response};
use serde_json::{Value, json};

use crate::support::http;

/// A client with a session, or on its way to one.
#[derive(Debug)]
pub(super) struct Agent {
    client: Client,
    url: String,
    pub(super) session: Option<String>,
}

impl Agent {
    /// A client that said nothing yet.
    pub(super) fn new(url: &str) -> Self {
        Self {
            client: http().build().unwrap(),
            url: format!("{url}/mcp"),
            session: None,
        }
    }

    /// A client that believes to have a session.
    pub(super) fn in_session(url: &str, session: &str) -> Self {
        let mut agent = Self::new(url);
        agent.session = Some(session.to_owned());
        agent
    }

    /// A client that has a session.
    pub(super) async fn connect(url: &str) -> Self {
        let mut agent = Self::new(url);
        let reply = agent.initialize().await;
        assert_eq!(reply["result"]["protocolVersion"], "2025-06-18", "{reply}");
        let notification = json!({ "jsonrpc": "2.0", "method": "notifications/initialized" });
        assert_eq!(agent.post(&notification).await.status(), 202);
        agent
    }

    /// Asks for a session and returns the answer, whichever it is.
    pub(super) async fn initialize(&mut self) -> Value {
        let response = self.post(&initialize()).await;
        self.session = response
            .headers()
            .get("mcp-session-id")
            .map(|id| id.to_str().unwrap().to_owned());
        answer(response).await
    }

    pub(super) fn request(&self, method: Method) -> RequestBuilder {
        let mut request = self
            .client
            .request(method, &self.url)
            .header("accept", "application/json, text/event-stream")
            .header("content-type", "application/json");
        if let Some(session) = &self.session {
            request = request
                .header("mcp-session-id", session)
                .header("mcp-protocol-version", "2025-06-18");
        }
        request
    }

    pub(super) async fn post(&self, message: &Value) -> Response {
        let request = self.request(Method::POST).body(message.to_string());
        request.send().await.unwrap()
    }

    pub(super) async fn ask(&self, method: &str, params: Value) -> Value {
        let message = json!({ "jsonrpc": "2.0", "id": 7, "method": method, "params": params });
        answer(self.post(&message).await).await
    }

    /// Calls a tool and returns its result.
    pub(super) async fn call(&self, tool: &str, arguments: Value) -> Value {
        let params = json!({ "name": tool, "arguments": arguments });
        let mut reply = self.ask("tools/call", params).await;
        assert!(reply["error"].is_null(), "{reply}");
        reply["result"].take()
    }

    /// Opens the stream on which a server speaks first.
    pub(super) async fn listen(&self) -> Response {
        self.request(Method::GET).send().await.unwrap()
    }

    /// Ends the session.
    pub(super) async fn delete(&self) -> u16 {
        let response = self.request(Method::DELETE).send().await.unwrap();
        response.status().as_u16()
    }
}

pub(super) fn initialize() -> Value {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": { "name": "test", "version": "1" },
    } })
}

/// The answer to a request, whether it came as one document or in events.
pub(super) async fn answer(response: Response) -> Value {
    let status = response.status();
    let events = response
        .headers()
        .get("content-type")
        .is_some_and(|kind| kind == "text/event-stream");
    let text = response.text().await.unwrap();
    let last = if events {
        let mut data = text.lines().filter_map(|line| line.strip_prefix("data: "));
        data.rfind(|data| !data.is_empty())
    } else {
        Some(text.as_str())
    };
    last.and_then(|document| serde_json::from_str(document).ok())
        .unwrap_or_else(|| panic!("{status} {text}"))
}
