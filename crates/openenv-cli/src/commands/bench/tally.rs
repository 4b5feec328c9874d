//! What was counted and timed.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use hdrhistogram::Histogram;
use openenv::Error;

use crate::diagnosis;

/// Longer times count as this one, in nanoseconds: an hour.
const LONGEST: u64 = 3_600_000_000_000;
/// Times are kept to one part in a thousand.
const SIGNIFICANT_DIGITS: u8 = 3;

/// How far a worker is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(super) enum Phase {
    #[default]
    Opening,
    Running,
    Closing,
}

/// What the sessions of one worker, or of all, have done.
#[derive(Debug)]
pub(super) struct Tally {
    pub(super) phase: Phase,
    pub(super) connects: Histogram<u64>,
    pub(super) resets: Histogram<u64>,
    pub(super) steps: Histogram<u64>,
    /// Sessions that were let in, once each.
    pub(super) opened: usize,
    /// Sessions that were not; each is one of the errors.
    pub(super) unopened: usize,
    /// Held sessions that took a step at the end.
    pub(super) alive: usize,
    pub(super) closed: usize,
    /// Sessions opened in place of lost ones.
    pub(super) reconnects: u64,
    /// By code.
    pub(super) errors: BTreeMap<String, Errors>,
    /// Why the very first action was refused, which ends the measurement.
    pub(super) refusal: Option<String>,
    /// How long opening took.
    pub(super) opening: Duration,
    /// How long was measured: until every session had its last reply, so that steps
    /// divided by this is what the report says.
    pub(super) window: Duration,
    /// Processor time of the worker while it was measured, where it can be known.
    pub(super) processor_time: Option<Duration>,
}

/// Errors of one code.
#[derive(Debug, Clone)]
pub(super) struct Errors {
    pub(super) count: u64,
    /// What the first one said.
    pub(super) first: String,
}

impl Default for Tally {
    fn default() -> Self {
        Self {
            phase: Phase::default(),
            connects: empty(),
            resets: empty(),
            steps: empty(),
            opened: 0,
            unopened: 0,
            alive: 0,
            closed: 0,
            reconnects: 0,
            errors: BTreeMap::new(),
            refusal: None,
            opening: Duration::ZERO,
            window: Duration::ZERO,
            processor_time: None,
        }
    }
}

impl Tally {
    pub(super) fn fail(&mut self, error: &Error) {
        let code = diagnosis::code(error);
        if let Some(errors) = self.errors.get_mut(code) {
            errors.count += 1;
        } else {
            let errors = Errors {
                count: 1,
                first: diagnosis::said(error),
            };
            self.errors.insert(code.to_owned(), errors);
        }
    }

    pub(super) fn error_count(&self) -> u64 {
        self.errors.values().map(|errors| errors.count).sum()
    }

    /// All that was asked of the server, whether or not it succeeded.
    pub(super) fn calls(&self) -> u64 {
        self.connects.len() + self.resets.len() + self.steps.len() + self.error_count()
    }

    /// This and another worker's.
    pub(super) fn merged(mut self, other: Self) -> Self {
        for (mine, theirs) in [
            (&mut self.connects, &other.connects),
            (&mut self.resets, &other.resets),
            (&mut self.steps, &other.steps),
        ] {
            mine.add(theirs).expect("all have the same bounds");
        }
        for (code, theirs) in other.errors {
            self.errors
                .entry(code)
                .and_modify(|mine| mine.count += theirs.count)
                .or_insert(theirs);
        }
        self.processor_time = match (self.processor_time, other.processor_time) {
            (Some(mine), Some(theirs)) => Some(mine + theirs),
            _ => None,
        };
        Self {
            opened: self.opened + other.opened,
            unopened: self.unopened + other.unopened,
            alive: self.alive + other.alive,
            closed: self.closed + other.closed,
            reconnects: self.reconnects + other.reconnects,
            refusal: self.refusal.or(other.refusal),
            opening: self.opening.max(other.opening),
            window: self.window.max(other.window),
            ..self
        }
    }
}

/// The tally of a worker. All its sessions run on one thread, so that nobody waits
/// for the lock but who looks at the progress.
#[derive(Debug, Clone, Default)]
pub(super) struct SharedTally(Arc<Mutex<Tally>>);

impl SharedTally {
    pub(super) fn lock(&self) -> MutexGuard<'_, Tally> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn take(&self) -> Tally {
        std::mem::take(&mut *self.lock())
    }
}

pub(super) fn record(histogram: &mut Histogram<u64>, elapsed: Duration) {
    histogram.saturating_record(u64::try_from(elapsed.as_nanos()).unwrap_or(u64::MAX));
}

fn empty() -> Histogram<u64> {
    Histogram::new_with_max(LONGEST, SIGNIFICANT_DIGITS).expect("the bounds are valid")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tallies_add_up() {
        let mut left = Tally::default();
        record(&mut left.steps, Duration::from_millis(1));
        left.fail(&Error::new("first"));
        let mut right = Tally::default();
        record(&mut right.steps, Duration::from_millis(3));
        right.fail(&Error::new("second"));
        right.fail(&Error::invalid("a", "no"));
        let both = left.merged(right);
        assert_eq!(both.steps.len(), 2);
        assert_eq!(both.error_count(), 3);
        assert_eq!(both.calls(), 5);
        assert_eq!(both.errors["EXECUTION_ERROR"].first, "first");
        assert_eq!(both.errors["VALIDATION_ERROR"].first, "a: no");
    }
}
