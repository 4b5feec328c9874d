//! What is shown while it is measured.

use std::sync::Arc;
use std::time::{Duration, Instant};

use indicatif::HumanCount;

use super::plan::Plan;
use super::tally::{Phase, SharedTally};
use crate::config::Load;
use crate::ui::progress::Progress;

/// Watches the tallies of the workers.
#[derive(Debug)]
pub(super) struct Monitor<'a> {
    plan: Arc<Plan>,
    progress: Progress,
    tallies: &'a [SharedTally],
    /// When the last session was open.
    running_since: Option<Instant>,
    /// When was last looked, and the steps until then.
    last: (Instant, u64),
}

impl<'a> Monitor<'a> {
    pub(super) fn new(plan: &Arc<Plan>, progress: Progress, tallies: &'a [SharedTally]) -> Self {
        Self {
            plan: Arc::clone(plan),
            progress,
            tallies,
            running_since: None,
            last: (Instant::now(), 0),
        }
    }

    pub(super) fn show(&mut self) {
        let mut phase = Phase::Closing;
        let (mut opened, mut closed, mut steps, mut errors) = (0, 0, 0, 0);
        for tally in self.tallies {
            let tally = tally.lock();
            phase = phase.min(tally.phase);
            opened += tally.opened;
            closed += tally.closed;
            steps += tally.steps.len();
            errors += tally.error_count();
        }
        let now = Instant::now();
        let (before, steps_before) = std::mem::replace(&mut self.last, (now, steps));
        let trouble = match errors {
            0 => String::new(),
            count => format!(", {} errors", HumanCount(count)),
        };
        match phase {
            Phase::Opening => {
                let (opened, sessions) = (opened as u64, self.plan.sessions as u64);
                let remark = of(opened, sessions, &trouble);
                self.progress.show("opening", opened, sessions, remark);
            }
            Phase::Running => {
                let since = *self.running_since.get_or_insert(now);
                let (done, whole) = (now - since, self.plan.duration);
                let what = match self.plan.load {
                    Load::Hold => format!("{} sessions held", HumanCount(opened as u64)),
                    Load::ClosedLoop => {
                        let rate = per_second(steps - steps_before, before, now);
                        format!("{} steps/s", HumanCount(rate))
                    }
                };
                let remark = format!("{what}{trouble}, {} s left", left(whole, done));
                let (done, whole) = (milliseconds(done), milliseconds(whole));
                self.progress.show("running", done, whole, remark);
            }
            Phase::Closing => {
                let (closed, opened) = (closed as u64, opened as u64);
                let remark = of(closed, opened, &trouble);
                self.progress.show("closing", closed, opened, remark);
            }
        }
    }

    pub(super) fn clear(&self) {
        self.progress.clear();
    }
}

fn of(done: u64, all: u64, trouble: &str) -> String {
    format!(
        "{} of {} sessions{trouble}",
        HumanCount(done),
        HumanCount(all)
    )
}

#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate for people, never negative"
)]
fn per_second(count: u64, from: Instant, to: Instant) -> u64 {
    (count as f64 / (to - from).as_secs_f64()).round() as u64
}

/// Whole seconds, rounded up.
fn left(whole: Duration, done: Duration) -> u64 {
    milliseconds(whole.saturating_sub(done)).div_ceil(1000)
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
