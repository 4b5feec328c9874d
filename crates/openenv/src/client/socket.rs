//! One WebSocket, and which reply belongs to whom.

use std::mem;
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::connection::Outcome;
use super::traffic::CountedStream;

pub(super) type Stream = WebSocketStream<MaybeTlsStream<CountedStream>>;

/// A socket on which every request has one reply, in the order of the requests.
///
/// Replies carry no name, so they are counted: a caller that gives up leaves its
/// reply owed, and the next caller lets it pass. Nothing is ever taken for the
/// reply to another request.
#[derive(Debug)]
pub(super) struct Socket {
    /// None once the connection is lost.
    stream: Option<Stream>,
    /// Requests that were sent and not yet replied to.
    owed: usize,
    /// What the server said without being asked: why it refuses or ends the session.
    unasked: Option<Utf8Bytes>,
    /// Why the connection is lost.
    loss: Option<String>,
    /// What the server said when it closed.
    farewell: Option<String>,
    /// Whether somebody waits for a reply; the keepalive does not read then.
    pub(super) busy: bool,
    /// Whether the keepalive counts on being told when there are calls again.
    resting: bool,
    /// Requests so far.
    pub(super) requests: u64,
}

impl Socket {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream: Some(stream),
            owed: 0,
            unasked: None,
            loss: None,
            farewell: None,
            busy: false,
            resting: false,
            requests: 0,
        }
    }

    /// Why the connection is lost, if it is.
    pub(super) fn loss(&self) -> Option<&str> {
        self.loss.as_deref()
    }

    /// Why nothing more comes: what the server said last, or how the connection ended.
    pub(super) fn end(&mut self) -> Outcome {
        match self.unasked.take() {
            Some(text) => Outcome::Unasked(text),
            None => Outcome::Lost(self.loss.clone().unwrap_or_else(|| describe(None))),
        }
    }

    /// Begins a call. Says whether the keepalive has to be told.
    pub(super) fn begin_call(&mut self) -> bool {
        self.busy = true;
        mem::take(&mut self.resting)
    }

    pub(super) fn rest(&mut self, resting: bool) {
        self.resting = resting;
    }

    /// What the server said without being asked, once.
    pub(super) fn take_unasked(&mut self) -> Option<Utf8Bytes> {
        self.unasked.take()
    }

    /// Hands over a message; it is on its way once this is ready.
    ///
    /// A message that is handed over is sent whole, whoever waits for it or not.
    pub(super) fn poll_send(
        &mut self,
        context: &mut Context<'_>,
        message: &mut Option<Message>,
        has_reply: bool,
    ) -> Poll<()> {
        let ready = match &mut self.stream {
            Some(stream) => ready!(stream.poll_ready_unpin(context)),
            None => Err(WsError::AlreadyClosed),
        };
        // From here on it is sent, or never will be.
        let message = message.take();
        let sent = match (ready, &mut self.stream, message) {
            (Ok(()), Some(stream), Some(message)) => stream.start_send_unpin(message),
            (ready, ..) => ready,
        };
        match sent {
            Ok(()) => {
                self.owed += usize::from(has_reply);
                self.requests += 1;
            }
            Err(error) => {
                // A server that refuses says why before it closes.
                self.poll_idle(context);
                self.lose_by(&error);
            }
        }
        Poll::Ready(())
    }

    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(stream) = &mut self.stream {
            // A failure is met again by reading, after what the server said before it.
            let _ = ready!(stream.poll_flush_unpin(context));
        }
        Poll::Ready(())
    }

    /// The reply to the last request, once those before it have come; `None` when the
    /// connection is lost.
    pub(super) fn poll_reply(&mut self, context: &mut Context<'_>) -> Poll<Option<Utf8Bytes>> {
        loop {
            let Some(text) = ready!(self.poll_text(context)) else {
                return Poll::Ready(None);
            };
            match self.owed {
                0 => self.unasked = Some(text),
                1 => {
                    self.owed = 0;
                    return Poll::Ready(Some(text));
                }
                _ => self.owed -= 1,
            }
        }
    }

    /// Reads what comes while nobody waits for a reply, until nothing more does.
    ///
    /// Reading is what answers pings.
    pub(super) fn poll_idle(&mut self, context: &mut Context<'_>) {
        while let Poll::Ready(Some(text)) = self.poll_text(context) {
            if self.owed == 0 {
                self.unasked = Some(text);
            } else {
                self.owed -= 1;
            }
        }
    }

    /// Sends a ping, if a message under way leaves room for it.
    pub(super) fn ping(&mut self, context: &mut Context<'_>) {
        if let Some(stream) = &mut self.stream
            && let Poll::Ready(Ok(())) = stream.poll_ready_unpin(context)
            && stream.start_send_unpin(Message::Ping(Bytes::new())).is_ok()
        {
            // What cannot be written now is written with the next message or read.
            let _ = stream.poll_flush_unpin(context);
        }
    }

    /// The next text, `None` when the connection is lost.
    fn poll_text(&mut self, context: &mut Context<'_>) -> Poll<Option<Utf8Bytes>> {
        loop {
            let Some(stream) = &mut self.stream else {
                return Poll::Ready(None);
            };
            match stream.poll_next_unpin(context) {
                Poll::Ready(Some(Ok(Message::Text(text)))) => return Poll::Ready(Some(text)),
                // Read on: that is what answers it.
                Poll::Ready(Some(Ok(Message::Close(frame)))) => {
                    self.farewell = Some(describe(frame.as_ref()));
                }
                Poll::Ready(Some(Ok(_))) => {}
                Poll::Ready(Some(Err(error))) => self.lose_by(&error),
                Poll::Ready(None) => self.lose_by(&WsError::ConnectionClosed),
                Poll::Pending => match self.farewell.take() {
                    Some(farewell) => self.lose(farewell),
                    None => return Poll::Pending,
                },
            }
        }
    }

    fn lose_by(&mut self, error: &WsError) {
        let farewell = self.farewell.take();
        self.lose(match error {
            WsError::ConnectionClosed | WsError::AlreadyClosed => {
                farewell.unwrap_or_else(|| describe(None))
            }
            WsError::Capacity(CapacityError::MessageTooLong { size, max_size }) => format!(
                "a message of {size} bytes is over the limit of {max_size}, which \
                 `max_message_size` raises"
            ),
            error => farewell.unwrap_or_else(|| error.to_string()),
        });
    }

    /// Gives the connection up; the first reason is the one that counts.
    pub(super) fn lose(&mut self, why: String) {
        self.loss.get_or_insert(why);
        self.stream = None;
        self.owed = 0;
    }
}

fn describe(farewell: Option<&CloseFrame>) -> String {
    let Some(farewell) = farewell else {
        return "the server closed it".to_owned();
    };
    let code = u16::from(farewell.code);
    match farewell.reason.as_str() {
        "" => format!("the server closed it with code {code}"),
        reason => format!("the server closed it with code {code}: {reason}"),
    }
}
