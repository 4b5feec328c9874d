//! The socket between the server and one process of Python.

use std::io;

use futures_util::StreamExt;
use serde::Deserialize;
use tokio::io::AsyncWriteExt;
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio_util::codec::FramedRead;

use super::frame::{self, Ask, Frame, VERSION, say};
use crate::error::{Error, Kind, Result};

/// Frames that are written together, if so many wait.
const TOGETHER: usize = 64;

/// Where frames are left to be sent. Dropped, it ends the link, and with it whoever
/// is at its other end.
#[derive(Debug, Clone)]
pub(super) struct Outbox(mpsc::UnboundedSender<Vec<u8>>);

impl Outbox {
    /// Sends a frame; one that cannot be sent any more is noticed by who reads.
    pub(super) fn send(
        &self,
        ask: Ask,
        session: u32,
        call: u32,
        flag: u8,
        parts: &[&[u8]],
    ) -> Result<()> {
        let _ = self.0.send(frame::write(ask, session, call, flag, parts)?);
        Ok(())
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
        let (outbox, frames) = mpsc::unbounded_channel();
        tokio::spawn(write_all(writer, frames));
        Ok(Self {
            hello,
            pid,
            inbox,
            outbox: Outbox(outbox),
        })
    }
}

/// Sends what is left to be sent, all that waits at once.
async fn write_all(mut writer: OwnedWriteHalf, mut frames: mpsc::UnboundedReceiver<Vec<u8>>) {
    let mut waiting = Vec::with_capacity(TOGETHER);
    let mut joined = Vec::new();
    while frames.recv_many(&mut waiting, TOGETHER).await > 0 {
        let sent: io::Result<()> = if let [only] = waiting.as_slice() {
            writer.write_all(only).await
        } else {
            joined.clear();
            for frame in &waiting {
                joined.extend_from_slice(frame);
            }
            writer.write_all(&joined).await
        };
        waiting.clear();
        if sent.is_err() {
            return;
        }
    }
}
