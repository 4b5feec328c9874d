//! One WebSocket, frame by frame.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Message};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::{Server, with_causes};

/// Bytes that a message may have.
const MAX_MESSAGE: usize = 64 * 1024 * 1024;

/// A message that never gets as far as the environment: a full server says that it is full, any other
/// that it does not know the message.
pub(crate) const KNOCK: &str = r#"{"type":"openenv_validate"}"#;

/// An open WebSocket of `/ws`.
#[derive(Debug)]
pub(crate) struct Socket {
    /// In a box, as it is large and moved around a lot.
    stream: Box<WebSocketStream<MaybeTlsStream<TcpStream>>>,
    patience: Duration,
    /// How long the end may take.
    parting: Duration,
}

/// Why there was no reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The server closed the socket, or the network did.
    Closed(String),
    /// It is open, but silent.
    Silent(Duration),
    /// It sent what is not text.
    Binary,
}

impl std::fmt::Display for Lost {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Closed(how) => write!(f, "the socket was closed ({how})"),
            Self::Silent(patience) => write!(f, "no reply within {patience:?}"),
            Self::Binary => f.write_str("a binary message instead of text"),
        }
    }
}

/// An `error` frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) max_sessions: Option<u64>,
}

impl Refusal {
    /// What the frame says, if it is one.
    pub(crate) fn of(reply: &Value) -> Option<Self> {
        let error = reply.get("type").and_then(Value::as_str) == Some("error");
        let data = reply.get("data").filter(|_| error)?;
        let text = |name: &str| data.get(name).and_then(Value::as_str).unwrap_or_default();
        Some(Self {
            code: text("code").to_owned(),
            message: text("message").to_owned(),
            max_sessions: data.get("max_sessions").and_then(Value::as_u64),
        })
    }

    /// Whether the server is full.
    pub(crate) fn is_capacity(&self) -> bool {
        self.code == "CAPACITY_REACHED"
    }
}

impl Socket {
    /// Opens a socket, and with it a session; whether the server lets it in shows with the first reply.
    pub(crate) async fn open(server: &Server) -> Result<Self, String> {
        let base = server.url();
        let url = match base.strip_prefix("https") {
            Some(rest) => format!("wss{rest}/ws"),
            None => format!("ws{}/ws", base.strip_prefix("http").unwrap_or(base)),
        };
        let mut request = url
            .as_str()
            .into_client_request()
            .map_err(|error| with_causes(&error))?;
        request.headers_mut().extend(server.headers().clone());
        let config = WebSocketConfig::default()
            .read_buffer_size(8 * 1024)
            .max_message_size(Some(MAX_MESSAGE))
            .max_frame_size(Some(MAX_MESSAGE));
        let patience = server.patience();
        let opening = tokio_tungstenite::connect_async_with_config(request, Some(config), true);
        // The handshakes are large as well, and would be a part of whatever waits for them.
        match timeout(patience, Box::pin(opening)).await {
            Ok(Ok((stream, _))) => Ok(Self {
                stream: Box::new(stream),
                patience: server.reply_patience,
                parting: patience,
            }),
            Ok(Err(error)) => Err(with_causes(&error)),
            Err(_) => Err(format!("no answer within {patience:?}")),
        }
    }

    /// Sends a frame as it is, and waits for the reply.
    pub(crate) async fn ask(&mut self, frame: impl Into<Message>) -> Result<String, Lost> {
        match timeout(self.patience, self.exchange(frame.into())).await {
            Ok(reply) => reply,
            Err(_) => Err(Lost::Silent(self.patience)),
        }
    }

    async fn exchange(&mut self, frame: Message) -> Result<String, Lost> {
        // A server that refused has closed its side; why is still to be read.
        let sent = self.stream.send(frame).await;
        loop {
            match self.stream.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Binary(_))) => return Err(Lost::Binary),
                Some(Ok(Message::Close(frame))) => {
                    let how = frame.map_or_else(
                        || "without a code".to_owned(),
                        |frame| format!("code {}", u16::from(frame.code)),
                    );
                    return Err(Lost::Closed(how));
                }
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(Lost::Closed(with_causes(&error))),
                None => {
                    let how = match &sent {
                        Err(Error::ConnectionClosed | Error::AlreadyClosed) | Ok(()) => {
                            "without a close frame".to_owned()
                        }
                        Err(error) => with_causes(error),
                    };
                    return Err(Lost::Closed(how));
                }
            }
        }
    }

    /// Says goodbye as clients do, and waits until the server has closed the socket.
    ///
    /// # Errors
    /// If the server answers, or does not close.
    pub(crate) async fn leave(mut self) -> Result<(), String> {
        self.patience = self.parting;
        match self.ask(r#"{"type":"close"}"#).await {
            Err(Lost::Closed(_)) => Ok(()),
            Err(lost) => Err(lost.to_string()),
            Ok(reply) => Err(format!("a reply, {reply}, instead of the end")),
        }
    }
}
