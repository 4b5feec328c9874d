//! What happens on a connection between the calls: pings, and the notice of its end.

use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::clock::{LONG, after};
use super::connection::Shared;
use super::traffic::Traffic;

/// How soon after a call the socket is looked at again. A call does not arrange
/// for what comes after its reply, because that would cost every call as much.
const TICK: Duration = Duration::from_millis(250);
/// Pings that follow each other without a pause would be a load, not a test.
const SHORTEST: Duration = Duration::from_millis(10);

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
            if socket.poll_idle(socket_context) {
                // Its caller was not looking.
                shared.wakers.wake_caller();
            }
            if socket.is_lost() {
                shared.wakers.wake_caller();
                return Poll::Ready(());
            }
            let mut due = match silence.judge(socket.is_stuck()) {
                Verdict::WaitUntil(due) => due,
                Verdict::Ping => {
                    socket.ping(socket_context);
                    silence.pinged();
                    continue;
                }
                Verdict::GiveUp(silent) => {
                    socket.lose(format!("the server gave no sign of life for {silent:?}"));
                    continue;
                }
            };
            // Unless there are calls, the socket wakes this task when anything comes.
            let (resting, requests) = socket.rest(requests_seen);
            requests_seen = requests;
            if !resting {
                due = due.min(Instant::now() + TICK);
            }
            drop(socket);
            timer.as_mut().reset(due);
            if timer.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
        }
    })
    .await;
}

/// How long a connection has shown no sign of life.
#[derive(Debug)]
struct Silence {
    traffic: Traffic,
    keepalive: Option<Keepalive>,
    received: u64,
    sent: u64,
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
            received: traffic.received(),
            sent: traffic.sent(),
            traffic,
            keepalive,
            since: Instant::now(),
            pinged: None,
        }
    }

    /// What is written says nothing about the server, unless it was `stuck` and
    /// goes on because the server reads.
    fn judge(&mut self, stuck: bool) -> Verdict {
        let now = Instant::now();
        let (received, sent) = (self.traffic.received(), self.traffic.sent());
        if received != self.received || (stuck && sent != self.sent) {
            self.since = now;
            self.pinged = None;
        }
        (self.received, self.sent) = (received, sent);
        let Some(keepalive) = self.keepalive else {
            return Verdict::WaitUntil(after(LONG));
        };
        let test = self.since + keepalive.interval.clamp(SHORTEST, LONG);
        match self.pinged {
            Some(pinged) => match pinged + keepalive.timeout.min(LONG) {
                end if end <= now => Verdict::GiveUp(now - self.since),
                end => Verdict::WaitUntil(end),
            },
            None if test <= now => Verdict::Ping,
            None => Verdict::WaitUntil(test),
        }
    }

    /// The ping has left; its own bytes are no sign of life.
    fn pinged(&mut self) {
        self.sent = self.traffic.sent();
        self.pinged = Some(Instant::now());
    }
}
