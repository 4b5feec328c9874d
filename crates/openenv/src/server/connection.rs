//! One WebSocket: reading ahead, keepalive, and closing in an orderly way.

use std::collections::VecDeque;
use std::pin::{Pin, pin};
use std::time::Duration;

use axum::extract::ws::{CloseFrame, Message, Utf8Bytes, WebSocket, close_code};
use tokio::time::{Instant, Sleep};
use tokio_util::sync::CancellationToken;
use tungstenite::error::{CapacityError, Error as ProtocolError};

use crate::server::at_once::at_once;
use crate::server::info::CloseReason;
use crate::server::sessions::Sessions;

/// How long the other side may take to finish a close.
const CLOSE_GRACE: Duration = Duration::from_secs(5);

/// The same when the server stops, which a client that does not read must not delay.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(1);

/// How long a client that broke the protocol has to read how.
const BROKEN_GRACE: Duration = Duration::from_secs(1);

/// How long a client that is refused has to come and read why.
const REFUSAL_GRACE: Duration = Duration::from_secs(1);

/// A socket, and what tells it to stop.
pub(crate) struct Connection {
    reader: Reader,
    send_timeout: Duration,
    /// A child of the server's token: waiting on it every time takes no lock
    /// that other connections use.
    stopping: CancellationToken,
    aborting: CancellationToken,
}

/// The reading side of a socket, with the frames that are ahead of their turn.
struct Reader {
    socket: WebSocket,
    inbox: VecDeque<Frame>,
    inbox_bytes: usize,
    max_inbox_frames: usize,
    max_inbox_bytes: usize,
    keepalive: Keepalive,
    /// How the client broke the protocol, if it did.
    broken: Option<CloseFrame>,
}

/// One message of the client.
pub(crate) enum Frame {
    Text(Utf8Bytes),
    /// A binary frame of this many bytes that holds no text.
    NotText(usize),
}

/// How driving a future ended.
pub(crate) enum Driven<T> {
    Done(T),
    /// The client is gone, or has to go, before the future was done.
    Gone(CloseReason),
}

impl Connection {
    /// Boxed: the futures that close it would each keep room for a copy.
    pub(crate) fn new(socket: WebSocket, sessions: &Sessions) -> Box<Self> {
        let config = &sessions.config;
        Box::new(Self {
            reader: Reader {
                socket,
                inbox: VecDeque::new(),
                inbox_bytes: 0,
                max_inbox_frames: config.max_pipelined_frames,
                max_inbox_bytes: config.max_message_size,
                keepalive: Keepalive::new(config.keepalive_interval, config.keepalive_timeout),
                broken: None,
            },
            send_timeout: config.send_timeout,
            stopping: sessions.lifecycle.stopping.child_token(),
            aborting: sessions.lifecycle.aborting.clone(),
        })
    }

    /// The next frame in order, or the reason why there is none.
    pub(crate) async fn next_frame(&mut self) -> Result<Frame, CloseReason> {
        loop {
            if let Some(frame) = self.reader.take() {
                return Ok(frame);
            }
            tokio::select! {
                biased;
                read = self.reader.read(self.send_timeout) => read?,
                () = self.stopping.cancelled() => return Err(CloseReason::Shutdown),
            }
        }
    }

    /// Runs a future to its end while keeping an eye on the socket.
    pub(crate) async fn drive<F: Future + Unpin>(&mut self, mut future: F) -> Driven<F::Output> {
        // Most calls are done at the first poll: those pay for nothing else.
        if let Some(output) = at_once(&mut future).await {
            return Driven::Done(output);
        }
        loop {
            let has_room = self.reader.has_room();
            tokio::select! {
                biased;
                output = &mut future => return Driven::Done(output),
                read = self.reader.read(self.send_timeout), if has_room => {
                    if let Err(reason) = read {
                        return Driven::Gone(reason);
                    }
                }
                () = self.aborting.cancelled() => return Driven::Gone(CloseReason::Shutdown),
            }
        }
    }

    pub(crate) async fn send(&mut self, reply: Utf8Bytes) -> Result<(), CloseReason> {
        let sending = send(
            &mut self.reader.socket,
            Message::Text(reply),
            self.send_timeout,
        );
        tokio::select! {
            biased;
            sent = sending => sent,
            () = self.aborting.cancelled() => Err(CloseReason::Shutdown),
        }
    }

    /// Ends the conversation as its reason asks for.
    pub(crate) async fn end(mut self: Box<Self>, reason: CloseReason) {
        if let Some(frame) = self.reader.broken.take() {
            let _ = send(
                &mut self.reader.socket,
                Message::Close(Some(frame)),
                CLOSE_GRACE,
            )
            .await;
            // What the client still sends cannot be read any more, and closing on
            // top of it would take the close frame away from the client.
            return tokio::time::sleep(BROKEN_GRACE).await;
        }
        match reason {
            CloseReason::Disconnected => self.finish().await,
            CloseReason::Unresponsive => {
                self.close(close_code::ERROR, "keepalive ping timeout")
                    .await;
            }
            CloseReason::Shutdown => self.close(close_code::RESTART, "").await,
            CloseReason::Failed => {
                self.close(close_code::NORMAL, "the environment failed")
                    .await;
            }
            _ => self.close(close_code::NORMAL, "").await,
        }
    }

    /// Tells the client that the conversation is over and waits for it to agree.
    async fn close(mut self: Box<Self>, code: u16, reason: &'static str) {
        let frame = CloseFrame {
            code,
            reason: Utf8Bytes::from_static(reason),
        };
        let message = Message::Close(Some(frame));
        if send(&mut self.reader.socket, message, CLOSE_GRACE)
            .await
            .is_ok()
        {
            self.finish().await;
        }
    }

    /// Ends a conversation that never began, after telling the client why.
    ///
    /// The close waits for the client's first frame: many clients look at what
    /// they were sent only once they have sent something, and would find a
    /// closed socket instead of the reason.
    pub(crate) async fn refuse(mut self: Box<Self>, reason: Utf8Bytes) {
        if self.send(reason).await.is_ok() {
            let _ = tokio::time::timeout(REFUSAL_GRACE, self.next_frame()).await;
            self.close(close_code::NORMAL, "").await;
        }
    }

    /// Answers a close that the client began, or waits for its answer to ours.
    async fn finish(mut self: Box<Self>) {
        let rest = async { while let Some(Ok(_)) = self.reader.socket.recv().await {} };
        let grace = if self.stopping.is_cancelled() {
            SHUTDOWN_GRACE
        } else {
            CLOSE_GRACE
        };
        let _ = tokio::time::timeout(grace, rest).await;
    }
}

async fn send(
    socket: &mut WebSocket,
    message: Message,
    limit: Duration,
) -> Result<(), CloseReason> {
    let mut sending = pin!(socket.send(message));
    // Nearly always the kernel takes it all: no timer for those.
    let sent = match at_once(&mut sending).await {
        Some(sent) => Ok(sent),
        None => tokio::time::timeout(limit, sending).await,
    };
    match sent {
        Ok(Ok(())) => Ok(()),
        Ok(Err(_)) => Err(CloseReason::Disconnected),
        Err(_) => Err(CloseReason::Unresponsive),
    }
}

impl Reader {
    fn take(&mut self) -> Option<Frame> {
        let frame = self.inbox.pop_front()?;
        self.inbox_bytes -= frame.len();
        Some(frame)
    }

    fn has_room(&self) -> bool {
        self.inbox.len() < self.max_inbox_frames && self.inbox_bytes < self.max_inbox_bytes
    }

    /// Reads one frame into the inbox. Dropping the future loses nothing.
    async fn read(&mut self, send_timeout: Duration) -> Result<(), CloseReason> {
        loop {
            let message = tokio::select! {
                biased;
                message = self.socket.recv() => message,
                () = self.keepalive.due() => {
                    match self.keepalive.tick() {
                        Pulse::Ping => {
                            let ping = Message::Ping(bytes::Bytes::new());
                            send(&mut self.socket, ping, send_timeout).await?;
                        }
                        Pulse::Alive => {}
                        Pulse::Dead => return Err(CloseReason::Unresponsive),
                    }
                    continue;
                }
            };
            self.keepalive.heard();
            let frame = match message {
                None | Some(Ok(Message::Close(_))) => return Err(CloseReason::Disconnected),
                Some(Err(error)) => return Err(self.note_broken(error)),
                Some(Ok(Message::Ping(_) | Message::Pong(_))) => continue,
                Some(Ok(Message::Text(text))) => Frame::Text(text),
                // JSON in a binary frame is as good as in a text frame.
                Some(Ok(Message::Binary(bytes))) => {
                    let length = bytes.len();
                    Utf8Bytes::try_from(bytes).map_or(Frame::NotText(length), Frame::Text)
                }
            };
            self.inbox_bytes += frame.len();
            self.inbox.push_back(frame);
            return Ok(());
        }
    }

    fn note_broken(&mut self, error: axum::Error) -> CloseReason {
        let Ok(error) = error.into_inner().downcast::<ProtocolError>() else {
            return CloseReason::Disconnected;
        };
        let (code, reason) = match *error {
            ProtocolError::Capacity(CapacityError::MessageTooLong { max_size, .. }) => (
                close_code::SIZE,
                format!("message exceeds limit of {max_size} bytes"),
            ),
            ProtocolError::Utf8(_) => (close_code::INVALID, "text is not UTF-8".to_owned()),
            ProtocolError::Protocol(error)
                if error != tungstenite::error::ProtocolError::ResetWithoutClosingHandshake =>
            {
                (close_code::PROTOCOL, error.to_string())
            }
            _ => return CloseReason::Disconnected,
        };
        self.broken = Some(CloseFrame {
            code,
            reason: reason.into(),
        });
        CloseReason::ProtocolError
    }
}

impl Frame {
    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::NotText(length) => *length,
        }
    }
}

/// Notices a client that is gone without having said so.
///
/// Any message counts as a sign of life, not only pongs: a tunnel that swallows
/// pongs must not cost a session that is in use.
struct Keepalive {
    interval: Option<Duration>,
    timeout: Duration,
    /// When the next ping is due or, after a ping, the client is given up.
    deadline: Pin<Box<Sleep>>,
    pinged: bool,
    heard: bool,
}

enum Pulse {
    Ping,
    Alive,
    Dead,
}

impl Keepalive {
    fn new(interval: Option<Duration>, timeout: Duration) -> Self {
        let first = interval.unwrap_or_default();
        Self {
            interval,
            timeout,
            deadline: Box::pin(tokio::time::sleep(first)),
            pinged: false,
            heard: false,
        }
    }

    /// Is ready when [`tick`](Self::tick) has something to decide.
    async fn due(&mut self) {
        match self.interval {
            Some(_) => self.deadline.as_mut().await,
            None => std::future::pending().await,
        }
    }

    /// Notes a sign of life. The timer is left alone: this happens for every frame.
    fn heard(&mut self) {
        self.heard = true;
    }

    fn tick(&mut self) -> Pulse {
        let (pulse, pause) = match (self.pinged, self.heard) {
            (true, false) => (Pulse::Dead, self.timeout),
            // It answered, or talks by itself: the rest of the interval is left.
            (true, true) => {
                let rest = self
                    .interval
                    .unwrap_or_default()
                    .saturating_sub(self.timeout);
                (Pulse::Alive, rest)
            }
            (false, _) => (Pulse::Ping, self.timeout),
        };
        self.pinged = matches!(pulse, Pulse::Ping);
        self.heard = false;
        self.deadline.as_mut().reset(Instant::now() + pause);
        pulse
    }
}
