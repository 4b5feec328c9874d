//! The load client: one WebSocket session, small enough to hold tens of thousands and cheap enough not to be what is measured.

use std::{net::SocketAddr, sync::LazyLock};

use anyhow::{Context as _, Result, bail};

use super::{
    frame::{self, CLOSE, Frame, PING, PONG, TEXT},
    http,
    socket::Socket,
};

pub(super) static RESET: LazyLock<Request> =
    LazyLock::new(|| Request::new(r#"{"type":"reset","data":{}}"#));
static GOODBYE: LazyLock<Request> = LazyLock::new(|| Request::new(r#"{"type":"close"}"#));

/// How replies start. Both servers write the type first; a full parse would cost the client more than the rest of the step.
const OBSERVATION: &[u8] = br#"{"type":"observation""#;
/// A close frame's payload: the code of a normal end.
const NORMAL: [u8; 2] = 1000_u16.to_be_bytes();

/// A message, encoded once and sent many times.
#[derive(Debug)]
pub(super) struct Request(Vec<u8>);

#[derive(Debug)]
pub(super) struct Session {
    socket: Socket,
}

impl Request {
    pub(super) fn new(text: &str) -> Self {
        Self(frame::encode(TEXT, text.as_bytes()))
    }
}

impl Session {
    /// Opens the session with the given number, which selects the address to come from.
    pub(super) async fn connect(server: SocketAddr, number: usize) -> Result<Self> {
        Self::connect_to(server, "/ws", number).await
    }

    pub(super) async fn connect_to(server: SocketAddr, path: &str, number: usize) -> Result<Self> {
        let socket = Socket::connect(server, number).await?;
        let mut session = Self { socket };
        session
            .upgrade(server, path)
            .await
            .context("could not upgrade")?;
        Ok(session)
    }

    /// Sends a request and waits for its observation.
    pub(super) async fn ask(&mut self, request: &Request) -> Result<()> {
        self.ask_for(request, OBSERVATION).await
    }

    /// Sends a request and waits for its reply, which has to start as expected: one system call for each.
    pub(super) async fn ask_for(&mut self, request: &Request, expected: &[u8]) -> Result<()> {
        self.socket.send(&request.0).await?;
        let reply = self.message().await?;
        let payload = &self.socket.received()[reply.payload.clone()];
        if !payload.starts_with(expected) {
            bail!("the server answered {}", String::from_utf8_lossy(payload));
        }
        self.socket.consume(reply.payload.end);
        Ok(())
    }

    /// Sends a request and returns its reply.
    pub(super) async fn tell(&mut self, request: &Request) -> Result<String> {
        self.socket.send(&request.0).await?;
        let reply = self.message().await?;
        let payload = &self.socket.received()[reply.payload.clone()];
        let text = String::from_utf8(payload.to_vec())?;
        self.socket.consume(reply.payload.end);
        Ok(text)
    }

    /// Answers the server's pings until the connection ends. May be cancelled: at worst a pong is cut off.
    pub(super) async fn hold(&mut self) {
        while let Ok(message) = self.message().await {
            self.socket.consume(message.payload.end);
        }
    }

    /// Closes the way the Python client does, and waits for the server's part.
    pub(super) async fn close(mut self) -> Result<()> {
        self.socket.send(&GOODBYE.0).await?;
        // Fails when the server was quicker to close.
        let _ = self.socket.send(&frame::encode(CLOSE, &NORMAL)).await;
        self.hold().await;
        Ok(())
    }

    /// Asks for a WebSocket. The key may be any: that the server hashed it correctly is for the tests to check.
    async fn upgrade(&mut self, server: SocketAddr, path: &str) -> Result<()> {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {server}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        self.socket.send(request.as_bytes()).await?;
        let end = loop {
            self.socket.fill().await?;
            if let Some(end) = http::end_of_head(self.socket.received())? {
                break end;
            }
        };
        let answer = &self.socket.received()[..end];
        if !answer.starts_with(b"HTTP/1.1 101 ") {
            bail!("the server answered {}", String::from_utf8_lossy(answer));
        }
        self.socket.consume(end);
        Ok(())
    }

    /// Waits for the next text message, which stays at the start of what was received until it is consumed.
    async fn message(&mut self) -> Result<Frame> {
        loop {
            let Some(frame) = frame::find(self.socket.received())? else {
                self.socket.fill().await?;
                continue;
            };
            let payload = &self.socket.received()[frame.payload.clone()];
            match frame.opcode {
                TEXT => return Ok(frame),
                PING => {
                    let pong = frame::encode(PONG, payload);
                    self.socket.send(&pong).await?;
                }
                PONG => {}
                CLOSE => bail!("the server closed: {}", reason(payload)),
                opcode => bail!("the server sent a frame of the kind {opcode}"),
            }
            self.socket.consume(frame.payload.end);
        }
    }
}

/// What a close frame says.
fn reason(payload: &[u8]) -> String {
    match payload.split_first_chunk() {
        Some((code, text)) => {
            let code = u16::from_be_bytes(*code);
            format!("{code} {}", String::from_utf8_lossy(text))
        }
        None => "without a reason".to_owned(),
    }
}
