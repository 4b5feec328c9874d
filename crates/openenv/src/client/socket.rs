//! One WebSocket, and which reply belongs to whom.

use std::mem;
use std::task::{Context, Poll, ready};

use futures_util::{SinkExt, StreamExt};
use tokio_tungstenite::tungstenite::error::CapacityError;
use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::{Bytes, Error as WsError, Message, Utf8Bytes};
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream};

use super::connection::Outcome;
use super::traffic::CountedStream;

pub(super) type Stream = WebSocketStream<MaybeTlsStream<CountedStream>>;

/// A longer text says nothing about why a session ends.
const LONGEST_REASON: usize = 4096;

/// A socket on which every request has one reply, in the order of the requests.
///
/// Replies carry no name, so they are counted: a caller that gives up leaves its
/// reply owed, and it is let pass when it comes. Nothing is ever taken for the
/// reply to another request.
#[derive(Debug)]
pub(super) struct Socket {
    /// None once the connection is lost.
    stream: Option<Stream>,
    /// Requests that were sent and not yet replied to.
    owed: usize,
    /// Whether the last of these replies is waited for.
    awaited: bool,
    /// That reply, until it is fetched.
    arrived: Option<Utf8Bytes>,
    /// What came although nothing had been asked for.
    unasked: Option<Utf8Bytes>,
    /// The last short reply that nobody waited for: a server that ends the session
    /// says why.
    passed: Option<Utf8Bytes>,
    /// Why the connection is lost.
    loss: Option<String>,
    /// What the server said when it closed.
    farewell: Option<String>,
    /// Whether a message is stuck half-way.
    stuck: bool,
    activity: Activity,
    /// Requests so far.
    requests: u64,
}

/// Whether there are calls.
#[derive(Debug, PartialEq, Eq)]
enum Activity {
    /// Somebody waits for a reply.
    Call,
    Pause,
    /// A long pause: the keepalive counts on being told when it is over.
    Rest,
}

impl Socket {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream: Some(stream),
            owed: 0,
            awaited: false,
            arrived: None,
            unasked: None,
            passed: None,
            loss: None,
            farewell: None,
            stuck: false,
            activity: Activity::Pause,
            requests: 0,
        }
    }

    /// Begins a call. Says whether the keepalive has to be told.
    pub(super) fn begin_call(&mut self) -> bool {
        mem::replace(&mut self.activity, Activity::Call) == Activity::Rest
    }

    /// Ends a call; a reply that is still to come is let pass.
    pub(super) fn end_call(&mut self) {
        self.activity = Activity::Pause;
        self.awaited = false;
        self.arrived = None;
    }

    /// Says that the keepalive will rest, if there was no call since `requests`.
    /// Returns whether it may, and the requests so far.
    pub(super) fn rest(&mut self, requests: u64) -> (bool, u64) {
        let may_rest = self.activity != Activity::Call && self.requests == requests;
        if may_rest {
            self.activity = Activity::Rest;
        }
        (may_rest, self.requests)
    }

    /// Whether a message is stuck half-way, so that writing is a sign of life.
    pub(super) fn is_stuck(&self) -> bool {
        self.stuck
    }

    pub(super) fn is_lost(&self) -> bool {
        self.stream.is_none()
    }

    /// What came although nothing had been asked for, once.
    pub(super) fn take_unasked(&mut self) -> Option<Utf8Bytes> {
        self.unasked.take()
    }

    /// Why nothing more comes: what the server said last, or how the connection ended.
    pub(super) fn end(&mut self) -> Outcome {
        let loss = self.loss.clone().unwrap_or_else(|| describe(None));
        match self.unasked.take().or_else(|| self.passed.take()) {
            Some(text) => Outcome::LastWords { text, loss },
            None => Outcome::Lost(loss),
        }
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
                self.awaited = has_reply;
                self.requests += 1;
                if has_reply {
                    // The session goes on, so they were not its last.
                    self.passed = None;
                }
            }
            Err(error) => {
                // A server that refuses says why before it closes.
                self.poll_incoming(context);
                self.lose_by(&error);
            }
        }
        Poll::Ready(())
    }

    pub(super) fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<()> {
        if let Some(stream) = &mut self.stream {
            // A failure is met again by reading, after what the server said before it.
            self.stuck = stream.poll_flush_unpin(context).is_pending();
            if self.stuck {
                return Poll::Pending;
            }
        }
        Poll::Ready(())
    }

    /// The reply that is waited for; `None` when the connection is lost.
    pub(super) fn poll_reply(&mut self, context: &mut Context<'_>) -> Poll<Option<Utf8Bytes>> {
        if self.arrived.is_none() {
            self.poll_incoming(context);
        }
        match self.arrived.take() {
            Some(text) => Poll::Ready(Some(text)),
            None if self.is_lost() => Poll::Ready(None),
            None => Poll::Pending,
        }
    }

    /// Reads until the reply that is waited for is there, or nothing more comes.
    ///
    /// Reading is what answers pings.
    fn poll_incoming(&mut self, context: &mut Context<'_>) {
        while self.arrived.is_none()
            && let Poll::Ready(Some(text)) = self.poll_text(context)
        {
            if self.owed == 1 && self.awaited {
                self.owed = 0;
                self.awaited = false;
                self.arrived = Some(text);
                return;
            }
            if self.owed == 0 {
                self.unasked = Some(text);
            } else {
                self.owed -= 1;
                self.passed = Some(text).filter(|text| text.len() <= LONGEST_REASON);
            }
        }
    }

    /// What there is to do while nobody polls a call: writes what is stuck, reads
    /// what comes. Says whether the caller's reply is among it.
    pub(super) fn poll_idle(&mut self, context: &mut Context<'_>) -> bool {
        if self.stuck {
            let _ = self.poll_flush(context);
        }
        self.poll_incoming(context);
        self.arrived.is_some()
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
        self.stuck = false;
    }
}

fn describe(farewell: Option<&CloseFrame>) -> String {
    let Some(farewell) = farewell else {
        return "the server closed it".to_owned();
    };
    let code = u16::from(farewell.code);
    let what = match farewell.code {
        CloseCode::Away | CloseCode::Restart => "the server is stopping",
        _ => "the server closed it",
    };
    match farewell.reason.as_str() {
        "" => format!("{what} (code {code})"),
        reason => format!("{what} (code {code}): {reason}"),
    }
}
