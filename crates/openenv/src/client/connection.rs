//! A connection: one caller at a time, and somebody who looks after it in between.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Wake, Waker};

use futures_util::task::AtomicWaker;
use tokio::task::AbortHandle;
use tokio_tungstenite::tungstenite::{Message, Utf8Bytes};

use super::keepalive::{self, Keepalive};
use super::socket::{Socket, Stream};
use super::traffic::Traffic;

/// The connection of one client.
///
/// Calls read and write the socket themselves: handing each to a task would cost
/// more than all else that a client does. Between the calls, a task of the
/// connection answers pings and notices the end.
#[derive(Debug)]
pub(super) struct Connection {
    shared: Arc<Shared>,
    /// The socket wakes [`Wakers`], whoever polled it last.
    waker: Waker,
    keepalive: AbortHandle,
}

/// What calls and keepalive share.
#[derive(Debug)]
pub(super) struct Shared {
    socket: Mutex<Socket>,
    pub(super) wakers: Arc<Wakers>,
}

/// Who is waiting for the socket.
#[derive(Debug, Default)]
pub(super) struct Wakers {
    caller: AtomicWaker,
    pub(super) keepalive: AtomicWaker,
}

impl Wakers {
    pub(super) fn wake_caller(&self) {
        self.caller.wake();
    }
}

/// An event is for the caller if there is one, else for the keepalive.
impl Wake for Wakers {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        match self.caller.take() {
            Some(caller) => caller.wake(),
            None => self.keepalive.wake(),
        }
    }
}

impl Shared {
    pub(super) fn socket(&self) -> MutexGuard<'_, Socket> {
        // Nothing in there is left half-done by a panic.
        self.socket.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What became of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    Reply(Utf8Bytes),
    /// Something that came although nothing had been asked for; the request was not sent.
    Unasked(Utf8Bytes),
    /// The connection is gone; perhaps the server said why.
    LastWords {
        text: Utf8Bytes,
        loss: String,
    },
    /// The connection is gone, and why.
    Lost(String),
}

impl Connection {
    pub(super) fn new(stream: Stream, traffic: Traffic, keepalive: Option<Keepalive>) -> Self {
        let wakers = Arc::new(Wakers::default());
        let shared = Arc::new(Shared {
            socket: Mutex::new(Socket::new(stream)),
            wakers: Arc::clone(&wakers),
        });
        let waker = Waker::from(wakers);
        let keepalive = keepalive::run(Arc::clone(&shared), waker.clone(), traffic, keepalive);
        Self {
            shared,
            waker,
            keepalive: tokio::spawn(keepalive).abort_handle(),
        }
    }

    /// Sends a request and waits for its reply.
    ///
    /// May be dropped at any time: the reply is owed then, and let pass by the
    /// next request.
    pub(super) fn ask(&mut self, request: Utf8Bytes) -> Ask<'_> {
        Ask {
            call: Call::begin(&self.shared),
            waker: &self.waker,
            message: Some(Message::Text(request)),
            flushed: false,
        }
    }

    /// Says goodbye and waits until the server has closed.
    pub(super) async fn close(&mut self, goodbye: Message) {
        let call = Call::begin(&self.shared);
        let mut message = Some(goodbye);
        poll_fn(|context| {
            self.shared.wakers.caller.register(context.waker());
            let context = &mut Context::from_waker(&self.waker);
            let mut socket = self.shared.socket();
            if message.is_some() {
                // If there is no room for it, what comes is read all the same.
                let _ = socket.poll_send(context, &mut message, false);
            }
            let _ = socket.poll_flush(context);
            socket.poll_idle(context);
            if socket.is_lost() {
                Poll::Ready(())
            } else {
                Poll::Pending
            }
        })
        .await;
        drop(call);
    }

    /// Gives the connection up.
    pub(super) fn lose(&mut self, why: &str) {
        self.shared.socket().lose(why.to_owned());
    }

    /// Whether the connection stands, as far as is known.
    pub(super) fn is_open(&self) -> bool {
        !self.shared.socket().is_lost()
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.keepalive.abort();
        // Now, not when the task notices: the server ends the session by it.
        self.lose("this client closed it");
    }
}

/// A request on its way to its reply.
#[derive(Debug)]
pub(super) struct Ask<'a> {
    call: Call<'a>,
    waker: &'a Waker,
    /// Until it is handed over to the socket.
    message: Option<Message>,
    flushed: bool,
}

impl Ask<'_> {
    /// Sends without waiting for the reply. Whether there is an outcome already.
    pub(super) fn poll_send(&mut self, context: &mut Context<'_>) -> Poll<Outcome> {
        let shared = self.call.0;
        shared.wakers.caller.register(context.waker());
        self.send(&mut shared.socket())
    }

    fn send(&mut self, socket: &mut Socket) -> Poll<Outcome> {
        let context = &mut Context::from_waker(self.waker);
        if self.message.is_some() {
            if let Some(unasked) = socket.take_unasked() {
                return Poll::Ready(Outcome::Unasked(unasked));
            }
            if socket
                .poll_send(context, &mut self.message, true)
                .is_pending()
            {
                return Poll::Pending;
            }
        }
        self.flushed = self.flushed || socket.poll_flush(context).is_ready();
        Poll::Pending
    }

    /// Whether nothing of the request is left to be sent.
    pub(super) fn is_sent(&self) -> bool {
        self.message.is_none() && self.flushed
    }
}

impl Future for Ask<'_> {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        let ask = self.get_mut();
        let shared = ask.call.0;
        shared.wakers.caller.register(context.waker());
        let mut socket = shared.socket();
        if !ask.is_sent()
            && let Poll::Ready(outcome) = ask.send(&mut socket)
        {
            return Poll::Ready(outcome);
        }
        // Reading goes on while a request cannot be written: the server may be
        // about to finish a long reply that nobody waits for any more.
        let context = &mut Context::from_waker(ask.waker);
        socket.poll_reply(context).map(|reply| match reply {
            Some(text) => Outcome::Reply(text),
            None => socket.end(),
        })
    }
}

/// A call under way.
#[derive(Debug)]
struct Call<'a>(&'a Shared);

impl<'a> Call<'a> {
    fn begin(shared: &'a Shared) -> Self {
        let resting = shared.socket().begin_call();
        if resting {
            shared.wakers.keepalive.wake();
        }
        Self(shared)
    }
}

impl Drop for Call<'_> {
    fn drop(&mut self) {
        self.0.wakers.caller.take();
        self.0.socket().end_call();
    }
}
