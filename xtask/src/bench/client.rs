//! The load client: one WebSocket session, small enough to hold tens of thousands and cheap enough not to be what is measured.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::LazyLock,
};

use anyhow::{Context as _, Result, bail, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

use super::frame::{self, CLOSE, Frame, PING, PONG, TEXT};

pub(super) static RESET: LazyLock<Request> =
    LazyLock::new(|| Request::new(r#"{"type":"reset","data":{}}"#));
static GOODBYE: LazyLock<Request> = LazyLock::new(|| Request::new(r#"{"type":"close"}"#));

/// Sessions are spread over this many loopback addresses: one address has about 28,000 ports,
/// and those of closed connections stay taken for a minute.
const SOURCE_ADDRESSES: usize = 8;
/// More than any usual reply has, because a read that fills its buffer costs another to see that there was no more.
const BUFFER: usize = 1024;
/// The longest answer to an upgrade that is still taken for one.
const LONGEST_UPGRADE: usize = 16 * 1024;
/// A close frame's payload: the code of a normal end.
const NORMAL: [u8; 2] = 1000_u16.to_be_bytes();

/// A message, encoded once and sent many times.
#[derive(Debug)]
pub(super) struct Request(Vec<u8>);

#[derive(Debug)]
pub(super) struct Session {
    stream: TcpStream,
    /// Its first `filled` bytes were received and not yet consumed.
    buffer: Vec<u8>,
    filled: usize,
}

impl Request {
    pub(super) fn new(text: &str) -> Self {
        Self(frame::encode(TEXT, text.as_bytes()))
    }
}

impl Session {
    /// Opens the session with the given number, which selects the address to come from.
    pub(super) async fn connect(server: SocketAddr, number: usize) -> Result<Self> {
        let last = u8::try_from(2 + number % SOURCE_ADDRESSES)
            .expect("there are fewer source addresses than values of a byte");
        let socket = TcpSocket::new_v4()?;
        socket.set_nodelay(true)?;
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
        let stream = socket.connect(server).await.context("could not connect")?;
        let mut session = Self {
            stream,
            buffer: vec![0; BUFFER],
            filled: 0,
        };
        session.upgrade(server).await.context("could not upgrade")?;
        Ok(session)
    }

    /// Sends a request and waits for its observation.
    ///
    /// One system call for each: the stream does not try to read again after a read that left room in the buffer,
    /// but waits until it is told that there is more.
    pub(super) async fn ask(&mut self, request: &Request) -> Result<()> {
        self.stream.write_all(&request.0).await?;
        let reply = self.message().await?;
        let payload = &self.buffer[reply.payload.clone()];
        if !is_observation(payload) {
            bail!("the server answered {}", String::from_utf8_lossy(payload));
        }
        self.consume(reply.payload.end);
        Ok(())
    }

    /// Answers the server's pings until the connection ends. May be cancelled: at worst a pong is cut off.
    pub(super) async fn hold(&mut self) {
        while let Ok(message) = self.message().await {
            self.consume(message.payload.end);
        }
    }

    /// Closes the way the Python client does, and waits for the server's part.
    pub(super) async fn close(mut self) -> Result<()> {
        self.stream.write_all(&GOODBYE.0).await?;
        // Fails when the server was quicker to close.
        let _ = self.stream.write_all(&frame::encode(CLOSE, &NORMAL)).await;
        self.hold().await;
        Ok(())
    }

    /// Asks for a WebSocket. The key may be any: that the server hashed it correctly is for the tests to check.
    async fn upgrade(&mut self, server: SocketAddr) -> Result<()> {
        let request = format!(
            "GET /ws HTTP/1.1\r\nHost: {server}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\
             Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        );
        self.stream.write_all(request.as_bytes()).await?;
        let end = loop {
            self.fill().await?;
            let received = &self.buffer[..self.filled];
            if let Some(end) = received.windows(4).position(|four| four == b"\r\n\r\n") {
                break end + 4;
            }
            ensure!(self.filled < LONGEST_UPGRADE, "the answer has no end");
        };
        let answer = &self.buffer[..end];
        if !answer.starts_with(b"HTTP/1.1 101 ") {
            bail!("the server answered {}", String::from_utf8_lossy(answer));
        }
        self.consume(end);
        Ok(())
    }

    /// Waits for the next text message, which stays at the start of the buffer until it is consumed.
    async fn message(&mut self) -> Result<Frame> {
        loop {
            let Some(frame) = frame::find(&self.buffer[..self.filled])? else {
                self.fill().await?;
                continue;
            };
            let payload = &self.buffer[frame.payload.clone()];
            match frame.opcode {
                TEXT => return Ok(frame),
                PING => {
                    let pong = frame::encode(PONG, payload);
                    self.stream.write_all(&pong).await?;
                }
                PONG => {}
                CLOSE => bail!("the server closed: {}", reason(payload)),
                opcode => bail!("the server sent a frame of the kind {opcode}"),
            }
            self.consume(frame.payload.end);
        }
    }

    /// Receives what has arrived, with more room when the buffer is full.
    async fn fill(&mut self) -> Result<()> {
        if self.filled == self.buffer.len() {
            self.buffer.resize(2 * self.filled, 0);
        }
        let received = self.stream.read(&mut self.buffer[self.filled..]).await?;
        ensure!(received > 0, "the connection ended");
        self.filled += received;
        Ok(())
    }

    fn consume(&mut self, count: usize) {
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
    }
}

/// Both servers write the type first. A full parse would cost the client more than the rest of the step.
fn is_observation(reply: &[u8]) -> bool {
    reply.starts_with(br#"{"type":"observation""#)
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
