//! The load client: one WebSocket session, small enough to hold tens of thousands.

use std::net::{Ipv4Addr, SocketAddr};

use anyhow::{Context as _, Result, bail};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::net::{TcpSocket, TcpStream};
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{
        Message, Utf8Bytes,
        protocol::{CloseFrame, WebSocketConfig, frame::coding::CloseCode},
    },
};

pub(super) const RESET: Utf8Bytes = Utf8Bytes::from_static(r#"{"type":"reset","data":{}}"#);

/// The library clears its whole read buffer before each read; its default of 128 KiB would measure that.
/// <https://github.com/snapview/tungstenite-rs/issues/547>
const BUSY_BUFFER: usize = 16 * 1024;
/// Sessions that mostly wait get less, so that the client has room for all of them.
const IDLE_BUFFER: usize = 2 * 1024;

/// Sessions are spread over this many loopback addresses: one address has about 28,000 ports,
/// and those of closed connections stay taken for a minute.
const SOURCE_ADDRESSES: usize = 8;

/// What a session is going to do.
#[derive(Clone, Copy, Debug)]
pub(super) enum Load {
    /// Step without pause.
    Busy,
    /// Mostly wait.
    Idle,
}

#[derive(Debug)]
pub(super) struct Session {
    socket: WebSocketStream<TcpStream>,
}

impl Session {
    /// Opens the session with the given number, which selects the address to come from.
    pub(super) async fn connect(server: SocketAddr, number: usize, load: Load) -> Result<Self> {
        let last = u8::try_from(2 + number % SOURCE_ADDRESSES)
            .expect("there are fewer source addresses than values of a byte");
        let socket = TcpSocket::new_v4()?;
        socket.set_nodelay(true)?;
        socket.bind((Ipv4Addr::new(127, 0, 0, last), 0).into())?;
        let stream = socket.connect(server).await.context("could not connect")?;

        let buffer = match load {
            Load::Busy => BUSY_BUFFER,
            Load::Idle => IDLE_BUFFER,
        };
        // A write buffer of zero sends each message at once and allocates nothing ahead.
        let config = WebSocketConfig::default()
            .read_buffer_size(buffer)
            .write_buffer_size(0);
        let (socket, _) =
            client_async_with_config(format!("ws://{server}/ws"), stream, Some(config))
                .await
                .context("could not upgrade")?;
        Ok(Self { socket })
    }

    /// Sends a request and waits for its observation.
    pub(super) async fn ask(&mut self, request: Utf8Bytes) -> Result<()> {
        self.socket.send(Message::Text(request)).await?;
        loop {
            match self.socket.next().await {
                Some(Ok(Message::Text(reply))) if is_observation(&reply) => return Ok(()),
                Some(Ok(Message::Text(reply))) => bail!("the server answered {reply}"),
                Some(Ok(Message::Close(frame))) => bail!("the server closed: {frame:?}"),
                Some(Ok(_)) => {}
                Some(Err(error)) => return Err(error.into()),
                None => bail!("the connection ended"),
            }
        }
    }

    /// Answers the server's pings until the connection ends. May be cancelled.
    pub(super) async fn hold(&mut self) {
        while let Some(Ok(_)) = self.socket.next().await {}
    }

    /// Closes the way the Python client does, and waits for the server's part.
    pub(super) async fn close(mut self) -> Result<()> {
        let request = Utf8Bytes::from_static(r#"{"type":"close"}"#);
        self.socket.send(Message::Text(request)).await?;
        let frame = CloseFrame {
            code: CloseCode::Normal,
            reason: Utf8Bytes::default(),
        };
        // Fails when the server was quicker to close.
        let _ = self.socket.close(Some(frame)).await;
        self.hold().await;
        Ok(())
    }
}

/// Both servers write the type first. A full parse would cost the client more than the rest of the step.
fn is_observation(reply: &str) -> bool {
    reply.starts_with(r#"{"type":"observation""#)
}
