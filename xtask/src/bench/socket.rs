//! A connection of the load client: a stream and what has arrived on it.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context as _, Result, ensure};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpSocket, TcpStream},
};

/// Connections are spread over this many loopback addresses: one address has about 28,000 ports,
/// and those of closed connections stay taken for a minute.
const SOURCE_ADDRESSES: usize = 8;
/// More than any usual reply has, because a read that fills its buffer costs another to see that there was no more.
const BUFFER: usize = 1024;
/// No answer of a benchmark comes near this.
const LONGEST: usize = 32 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Socket {
    stream: TcpStream,
    /// Its first `filled` bytes were received and not yet consumed.
    buffer: Vec<u8>,
    filled: usize,
}

impl Socket {
    /// Opens the connection with the given number, which selects the address to come from.
    pub(super) async fn connect(server: SocketAddr, number: usize) -> Result<Self> {
        let last = u8::try_from(2 + number % SOURCE_ADDRESSES)
            .expect("there are fewer source addresses than values of a byte");
        let socket = TcpSocket::new_v4()?;
        socket.set_nodelay(true)?;
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
        let stream = socket.connect(server).await.context("could not connect")?;
        Ok(Self {
            stream,
            buffer: vec![0; BUFFER],
            filled: 0,
        })
    }

    pub(super) async fn send(&mut self, bytes: &[u8]) -> Result<()> {
        Ok(self.stream.write_all(bytes).await?)
    }

    /// What has arrived and was not consumed.
    pub(super) fn received(&self) -> &[u8] {
        &self.buffer[..self.filled]
    }

    /// Receives what has arrived, with more room when the buffer is full.
    ///
    /// One system call: the stream does not try to read again after a read that left room in the buffer,
    /// but waits until it is told that there is more.
    pub(super) async fn fill(&mut self) -> Result<()> {
        if self.filled == self.buffer.len() {
            ensure!(self.filled < LONGEST, "the answer has no end");
            self.buffer.resize(2 * self.filled, 0);
        }
        let received = self.stream.read(&mut self.buffer[self.filled..]).await?;
        ensure!(received > 0, "the connection ended");
        self.filled += received;
        Ok(())
    }

    pub(super) fn consume(&mut self, count: usize) {
        self.buffer.copy_within(count..self.filled, 0);
        self.filled -= count;
    }
}
