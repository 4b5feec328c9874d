//! Waiting for many replies at once.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::time::{Sleep, sleep_until};

use super::clock::after;
use super::connection::{Ask, Outcome};

/// How many are read for one wait.
const GROUP: usize = 32;

/// Requests that were sent together, and their outcomes so far.
///
/// All of them are wanted, so not every one need be waited for: when the last
/// of a group has come most of the group has, and each of them costs one read
/// instead of being slept and woken for. Groups, not all of them, so that there
/// is something to read while the server works on the next.
#[derive(Debug)]
pub(super) struct Together<'a> {
    asks: Vec<Ask<'a>>,
    outcomes: Vec<Option<Outcome>>,
    /// Those that are not yet sent whole: at first all, later only long ones.
    unsent: Vec<usize>,
    /// How many have their outcome, in the order of waiting.
    done: usize,
    timer: Option<Pin<Box<Sleep>>>,
}

impl<'a> Together<'a> {
    pub(super) fn new(asks: Vec<Ask<'a>>, limit: Option<Duration>) -> Self {
        Self {
            outcomes: asks.iter().map(|_| None).collect(),
            unsent: (0..asks.len()).collect(),
            asks,
            done: 0,
            timer: limit.map(|limit| Box::pin(sleep_until(after(limit)))),
        }
    }

    fn send(&mut self, context: &mut Context<'_>) {
        self.unsent.retain(|&number| {
            let ask = &mut self.asks[number];
            if let Poll::Ready(early) = ask.poll_send(context) {
                self.outcomes[number] = Some(early);
                return false;
            }
            !ask.is_sent()
        });
    }

    /// Takes what has come for one of them. Whether it has its outcome.
    fn look_at(&mut self, number: usize, context: &mut Context<'_>) -> bool {
        if self.outcomes[number].is_none()
            && let Poll::Ready(outcome) = Pin::new(&mut self.asks[number]).poll(context)
        {
            self.outcomes[number] = Some(outcome);
        }
        self.outcomes[number].is_some()
    }

    fn is_late(&mut self, context: &mut Context<'_>) -> bool {
        self.timer
            .as_mut()
            .is_some_and(|timer| timer.as_mut().poll(context).is_ready())
    }
}

/// Gives an outcome for each request, in order; none for those that took too long.
impl Future for Together<'_> {
    type Output = Vec<Option<Outcome>>;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let together = self.get_mut();
        together.send(context);
        let late = together.is_late(context);
        while together.done < together.asks.len() {
            let next = waited_for(together.done, together.asks.len());
            if !together.look_at(next, context) && !late {
                return Poll::Pending;
            }
            together.done += 1;
        }
        Poll::Ready(std::mem::take(&mut together.outcomes))
    }
}

/// The one that is waited for after `done` others: each group from its end.
fn waited_for(done: usize, count: usize) -> usize {
    let start = done / GROUP * GROUP;
    let end = (start + GROUP).min(count);
    end - 1 - (done - start)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_waited_for_once() {
        for count in [0, 1, GROUP - 1, GROUP, GROUP + 1, 3 * GROUP - 1] {
            let mut order: Vec<_> = (0..count).map(|done| waited_for(done, count)).collect();
            assert!(
                order
                    .first()
                    .is_none_or(|first| *first == count.min(GROUP) - 1)
            );
            order.sort_unstable();
            assert!(order.into_iter().eq(0..count));
        }
    }
}
