//! A WebSocket client that hides nothing.

use std::time::Duration;

use futures_util::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::protocol::Message;
use tokio_tungstenite::tungstenite::protocol::frame::Frame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::{Data, OpCode};
use tokio_tungstenite::tungstenite::{Bytes, Error};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};

/// How long to wait for a frame before the test fails.
const PATIENCE: Duration = Duration::from_secs(10);

/// One WebSocket connection.
#[derive(Debug)]
pub(crate) struct Socket {
    stream: WebSocketStream<MaybeTlsStream<TcpStream>>,
}

/// What came in on a socket.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Incoming {
    Text(String),
    Binary(Vec<u8>),
    /// A close frame with its code; 1005 if it had none.
    Close(u16),
    /// No close frame, but an end or nothing for too long; says which.
    Nothing(String),
}

/// The HTTP answer to an upgrade that was refused.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) body: String,
}

impl Socket {
    /// # Panics
    /// If the server refuses.
    pub(crate) async fn open(url: &str) -> Self {
        match Self::try_open(url).await {
            Ok(socket) => socket,
            Err(refusal) => panic!("could not open {url}: {refusal:?}"),
        }
    }

    /// # Panics
    /// If there is no HTTP answer at all.
    pub(crate) async fn try_open(url: &str) -> Result<Self, Refusal> {
        match connect_async(url).await {
            Ok((stream, _)) => Ok(Self { stream }),
            Err(Error::Http(response)) => Err(Refusal {
                status: response.status().as_u16(),
                body: String::from_utf8_lossy(response.body().as_deref().unwrap_or_default())
                    .into_owned(),
            }),
            Err(error) => panic!("could not connect to {url}: {error}"),
        }
    }

    /// Sends a text frame; a lost connection shows at the next read.
    pub(crate) async fn send_text(&mut self, text: &str) {
        let _ = self.stream.send(Message::text(text)).await;
    }

    /// Sends a binary frame; a lost connection shows at the next read.
    pub(crate) async fn send_binary(&mut self, bytes: &[u8]) {
        let bytes = Bytes::copy_from_slice(bytes);
        let _ = self.stream.send(Message::Binary(bytes)).await;
    }

    /// Sends a message; a lost connection shows at the next read.
    pub(crate) async fn send_json(&mut self, message: &Value) {
        self.send_text(&message.to_string()).await;
    }

    /// Sends a message and waits for the next one.
    pub(crate) async fn ask(&mut self, message: &Value) -> Value {
        self.send_json(message).await;
        self.recv_json().await
    }

    /// Ends the connection as the protocol asks for, without waiting for the end.
    pub(crate) async fn close(&mut self) {
        let _ = self.stream.close(None).await;
    }

    /// Ends the connection without a word, as a killed process does.
    pub(crate) fn vanish(self) {
        if let MaybeTlsStream::Plain(stream) = self.stream.get_ref() {
            let _ = socket2::SockRef::from(stream).set_linger(Some(Duration::ZERO));
        }
    }

    /// Sends a ping and waits for its pong.
    ///
    /// # Panics
    /// If anything else comes in.
    pub(crate) async fn ping(&mut self, payload: &[u8]) {
        let ping = Bytes::copy_from_slice(payload);
        self.stream.send(Message::Ping(ping)).await.unwrap();
        let pong = tokio::time::timeout(PATIENCE, self.stream.next()).await;
        match pong {
            Ok(Some(Ok(Message::Pong(pong)))) => assert_eq!(pong, payload),
            other => panic!("expected a pong, got {other:?}"),
        }
    }

    /// Reads for a while, which answers pings.
    ///
    /// # Panics
    /// If a message comes in.
    pub(crate) async fn listen_for(&mut self, time: Duration) {
        let listening = async {
            loop {
                match self.stream.next().await {
                    Some(Ok(Message::Ping(_) | Message::Pong(_))) => {}
                    other => panic!("expected silence, got {other:?}"),
                }
            }
        };
        let _ = tokio::time::timeout(time, listening).await;
    }

    /// Sends a text frame whose bytes are not UTF-8.
    pub(crate) async fn send_invalid_utf8(&mut self) {
        let frame = Frame::message(
            Bytes::from_static(&[0xff, 0xfe]),
            OpCode::Data(Data::Text),
            true,
        );
        let _ = self.stream.send(Message::Frame(frame)).await;
    }

    /// The next frame, pings and pongs left out.
    pub(crate) async fn recv(&mut self) -> Incoming {
        loop {
            let Ok(next) = tokio::time::timeout(PATIENCE, self.stream.next()).await else {
                return Incoming::Nothing(format!("no frame for {PATIENCE:?}"));
            };
            return match next {
                Some(Ok(Message::Text(text))) => Incoming::Text(text.as_str().to_owned()),
                Some(Ok(Message::Binary(bytes))) => Incoming::Binary(bytes.to_vec()),
                Some(Ok(Message::Close(frame))) => {
                    // The reply to a close frame is queued until something flushes it.
                    let _ = self.stream.flush().await;
                    Incoming::Close(frame.map_or(1005, |frame| frame.code.into()))
                }
                Some(Ok(_)) => continue,
                Some(Err(error)) => Incoming::Nothing(error.to_string()),
                None => Incoming::Nothing("the connection is closed".to_owned()),
            };
        }
    }

    /// The next message.
    ///
    /// # Panics
    /// If anything else comes in.
    pub(crate) async fn recv_json(&mut self) -> Value {
        match self.recv().await {
            Incoming::Text(text) => serde_json::from_str(&text)
                .unwrap_or_else(|error| panic!("{text:?} is not JSON: {error}")),
            other => panic!("expected a message, got {other:?}"),
        }
    }

    /// Waits for the close frame and returns its code.
    ///
    /// # Panics
    /// If anything else comes in.
    pub(crate) async fn expect_close(&mut self) -> u16 {
        match self.recv().await {
            Incoming::Close(code) => code,
            other => panic!("expected a close frame, got {other:?}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::net::TcpListener;
    use tokio_tungstenite::accept_async;
    use tokio_tungstenite::tungstenite::protocol::CloseFrame;
    use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

    use super::*;

    #[tokio::test]
    async fn messages_and_close_codes_come_through() {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = tokio::spawn(async move {
            let (stream, _) = listener.accept().await.unwrap();
            let mut peer = accept_async(stream).await.unwrap();
            let message = peer.next().await.unwrap().unwrap();
            peer.send(message).await.unwrap();
            let frame = CloseFrame {
                code: CloseCode::Away,
                reason: "".into(),
            };
            peer.close(Some(frame)).await.unwrap();
            while peer.next().await.is_some() {}
        });
        let mut socket = Socket::open(&format!("ws://{address}/ws")).await;
        socket.send_json(&json!({ "type": "state" })).await;
        assert_eq!(socket.recv_json().await, json!({ "type": "state" }));
        assert_eq!(socket.expect_close().await, 1001);
        server.await.unwrap();
    }
}
