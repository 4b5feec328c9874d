//! What happens on a connection between the calls: pings, and the notice of its end.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::connection::Shared;
use super::traffic::Traffic;

/// How soon after a call the socket is looked at again. A call does not arrange
/// for what comes after its reply, because that would cost every call as much.
const TICK: Duration = Duration::from_secs(1);
/// Instead of never: timers cannot wait forever.
const LONG: Duration = Duration::from_hours(24);

/// When a silent connection is tested, and when it is given up.
#[derive(Debug, Clone, Copy)]
pub(super) struct Keepalive {
    /// Silence before a ping.
    pub(super) interval: Duration,
    /// Silence after the ping.
    pub(super) timeout: Duration,
}

/// Looks after the connection until it is lost.
pub(super) async fn run(
    shared: Arc<Shared>,
    waker: Waker,
    traffic: Traffic,
    keepalive: Option<Keepalive>,
) {
    let mut silence = Silence::new(traffic, keepalive);
    let mut requests_seen = 0;
    let mut timer = pin!(sleep_until(Instant::now() + TICK));
    poll_fn(|context| {
        shared.wakers.keepalive.register(context.waker());
        loop {
            let socket_context = &mut Context::from_waker(&waker);
            let mut socket = shared.socket();
            if !socket.busy {
                socket.poll_idle(socket_context);
            }
            let mut due = match silence.judge() {
                Verdict::WaitUntil(due) => due,
                Verdict::Ping => {
                    socket.ping(socket_context);
                    silence.pinged()
                }
                Verdict::GiveUp(silent) => {
                    socket.lose(format!("the server gave no sign of life for {silent:?}"));
                    waker.wake_by_ref();
                    return Poll::Ready(());
                }
            };
            if socket.loss().is_some() {
                return Poll::Ready(());
            }
            // Unless there are calls, the socket wakes this task when anything comes.
            let resting = !socket.busy && socket.requests == requests_seen;
            requests_seen = socket.requests;
            if !resting {
                due = due.min(Instant::now() + TICK);
            }
            socket.rest(resting);
            drop(socket);
            timer.as_mut().reset(due);
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// How long nothing has moved on a connection.
#[derive(Debug)]
struct Silence {
    traffic: Traffic,
    keepalive: Option<Keepalive>,
    bytes: u64,
    since: Instant,
    pinged: Option<Instant>,
}

enum Verdict {
    WaitUntil(Instant),
    Ping,
    /// After this long.
    GiveUp(Duration),
}

impl Silence {
    fn new(traffic: Traffic, keepalive: Option<Keepalive>) -> Self {
        Self {
            bytes: traffic.bytes(),
            traffic,
            keepalive,
            since: Instant::now(),
            pinged: None,
        }
    }

    fn judge(&mut self) -> Verdict {
        let now = Instant::now();
        let bytes = self.traffic.bytes();
        if bytes != self.bytes {
            self.bytes = bytes;
            self.since = now;
            self.pinged = None;
        }
        let Some(keepalive) = self.keepalive else {
            return Verdict::WaitUntil(now + LONG);
        };
        match self.pinged.map(|pinged| pinged + keepalive.timeout) {
            Some(end) if end <= now => Verdict::GiveUp(now - self.since),
            Some(end) => Verdict::WaitUntil(end),
            None if self.since + keepalive.interval <= now => Verdict::Ping,
            None => Verdict::WaitUntil(self.since + keepalive.interval),
        }
    }

    /// The ping has left: its own bytes are no sign of life. Returns when an answer is due.
    fn pinged(&mut self) -> Instant {
        let now = Instant::now();
        self.bytes = self.traffic.bytes();
        self.pinged = Some(now);
        now + self.keepalive.map_or(LONG, |keepalive| keepalive.timeout)
    }
}
