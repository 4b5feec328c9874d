//! What every worker of a measurement has to know.

use std::sync::Arc;
use std::time::Duration;

use openenv::{Endpoint, EnvTypes, ResetOptions};
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::config::{BenchConfig, Load};

/// Replies are checked, but not kept.
#[derive(Debug)]
pub(super) enum Unread {}

impl EnvTypes for Unread {
    type Action = Box<RawValue>;
    type Observation = IgnoredAny;
    type ResetObservation = IgnoredAny;
    type State = IgnoredAny;
}

/// What to do, resolved against the server.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) endpoint: Endpoint,
    pub(super) action: Box<RawValue>,
    pub(super) sessions: usize,
    pub(super) threads: usize,
    pub(super) duration: Duration,
    pub(super) load: Load,
    ramp: Duration,
    seed: Option<i128>,
}

impl Plan {
    pub(super) fn new(
        config: &BenchConfig,
        endpoint: Endpoint,
        action: Box<RawValue>,
    ) -> Arc<Self> {
        Arc::new(Self {
            endpoint,
            action,
            sessions: config.sessions,
            threads: config.threads,
            duration: config.duration,
            load: config.load,
            ramp: config.ramp,
            seed: config.seed,
        })
    }

    /// The sessions of one worker: every so manieth, so that all of them take part
    /// in a slow opening from its beginning.
    pub(super) fn share(&self, worker: usize) -> impl Iterator<Item = usize> + use<> {
        (worker..self.sessions).step_by(self.threads)
    }

    /// How long after the beginning a session is opened.
    pub(super) fn delay(&self, session: usize) -> Duration {
        #[expect(
            clippy::cast_precision_loss,
            reason = "there are less than 2^53 sessions"
        )]
        self.ramp.mul_f64(session as f64 / self.sessions as f64)
    }

    /// Of the `episode`th reset of a session: no two are asked for the same.
    pub(super) fn reset_options(&self, session: usize, episode: u64) -> ResetOptions {
        let options = ResetOptions::default();
        match self.seed {
            None => options,
            Some(seed) => {
                let offset = episode
                    .wrapping_mul(self.sessions as u64)
                    .wrapping_add(session as u64);
                options.with_seed(seed.wrapping_add(offset.into()))
            }
        }
    }
}
