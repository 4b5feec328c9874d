//! The socket between the server and one process of Python.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::{Buf, BytesMut};
use futures_util::StreamExt;
use serde::Deserialize;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::runtime::Handle;
use tokio_util::codec::FramedRead;

use super::frame::{self, Ask, Frame, VERSION, say};
use crate::error::{Error, Kind, Result};

/// Where frames are left to be sent. When the last is dropped the link ends, and with
/// it whoever is at its other end.
#[derive(Debug, Clone)]
pub(super) struct Outbox(Arc<Writer>);

#[derive(Debug)]
struct Writer {
    socket: OwnedWriteHalf,
    /// What the socket did not take yet; while there is any, a task waits to send it.
    backlog: Mutex<BytesMut>,
    runtime: Handle,
}

impl Outbox {
    async fn new(socket: OwnedWriteHalf) -> Result<Self> {
        // Only then is it known that it can be written to.
        socket.writable().await?;
        Ok(Self(Arc::new(Writer {
            socket,
            backlog: Mutex::default(),
            runtime: Handle::current(),
        })))
    }

    /// Sends a frame; one that cannot be sent any more is noticed by who reads.
    ///
    /// Whoever asks writes to the socket itself: to wake another task for that would
    /// cost more than all else that the server does with a step.
    pub(super) fn send(
        &self,
        ask: Ask,
        session: u32,
        call: u32,
        flag: u8,
        parts: &[&[u8]],
    ) -> Result<()> {
        let frame = frame::write(ask, session, call, flag, parts)?;
        let mut backlog = self.0.backlog();
        if !backlog.is_empty() {
            backlog.extend_from_slice(&frame);
            return Ok(());
        }
        let sent = self.0.socket.try_write(&frame).unwrap_or(0);
        if sent < frame.len() {
            backlog.extend_from_slice(&frame[sent..]);
            self.0.runtime.spawn(write_backlog(Arc::clone(&self.0)));
        }
        Ok(())
    }
}

impl Writer {
    fn backlog(&self) -> MutexGuard<'_, BytesMut> {
        self.backlog.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes what it can; whether nothing is left.
    fn flush(&self) -> io::Result<bool> {
        let mut backlog = self.backlog();
        while !backlog.is_empty() {
            match self.socket.try_write(&backlog) {
                Ok(sent) => backlog.advance(sent),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }
}

/// Sends what did not go at once.
async fn write_backlog(writer: Arc<Writer>) {
    loop {
        match writer.socket.writable().await.and_then(|()| writer.flush()) {
            Ok(false) => {}
            // Either all is sent, or nobody is there to read it.
            Ok(true) | Err(_) => return,
        }
    }
}

/// Where frames come from.
#[derive(Debug)]
pub(super) struct Inbox(FramedRead<OwnedReadHalf, tokio_util::codec::LengthDelimitedCodec>);

impl Inbox {
    /// The next frame, or `None` once the link has ended.
    pub(super) async fn next(&mut self) -> Option<Frame> {
        match self.0.next().await? {
            Ok(bytes) => Frame::read(bytes).ok(),
            Err(error) => {
                tracing::debug!(%error, "a link broke");
                None
            }
        }
    }
}

/// A process that has introduced itself.
#[derive(Debug)]
pub(super) struct Arrival {
    pub(super) hello: Hello,
    /// Its number here, whatever it is called where it lives.
    pub(super) pid: Option<i32>,
    pub(super) inbox: Inbox,
    pub(super) outbox: Outbox,
}

/// How a process introduces itself.
#[derive(Debug, Deserialize)]
pub(super) struct Hello {
    protocol: u32,
    pub(super) role: Role,
    pub(super) worker: u32,
    /// What only the worker that was asked for knows.
    #[serde(default)]
    pub(super) token: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Role {
    Nursery,
    Template,
    Worker,
}

impl Arrival {
    /// Lets a process introduce itself.
    ///
    /// # Errors
    /// If it says something else, or speaks another version.
    pub(super) async fn greet(stream: UnixStream) -> Result<Self> {
        let pid = stream.peer_cred()?.pid();
        let (reader, writer) = stream.into_split();
        let mut inbox = Inbox(FramedRead::new(reader, frame::codec()));
        let first = inbox.next().await.filter(|frame| frame.kind == say::HELLO);
        let Some(first) = first else {
            return Err(Error::of(
                Kind::Answer,
                "a process did not introduce itself",
            ));
        };
        let hello: Hello = serde_json::from_slice(&first.payload)?;
        if hello.protocol != VERSION {
            return Err(Error::of(
                Kind::Answer,
                format!("a worker speaks version {}, not {VERSION}", hello.protocol),
            ));
        }
        let outbox = Outbox::new(writer).await?;
        Ok(Self {
            hello,
            pid,
            inbox,
            outbox,
        })
    }
}
