//! One session that somebody plays, episode after episode.

use openenv::{Endpoint, EnvClient, Json, ResetOptions, Result, Step};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::config::PlayConfig;

/// A session, and how its episode goes.
#[derive(Debug)]
pub(super) struct Game {
    runtime: Runtime,
    client: EnvClient<Json>,
    /// What every reset is asked for.
    options: ResetOptions,
    /// The name of the first episode, until it begins.
    episode_id: Option<String>,
    steps: u64,
    total_reward: f64,
    over: bool,
}

/// The beginning of an episode.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) step: Step<Value>,
    /// Whether the session before was lost.
    pub(super) in_new_session: bool,
}

impl Game {
    pub(super) fn open(runtime: Runtime, endpoint: &Endpoint, config: &PlayConfig) -> Result<Self> {
        Ok(Self {
            client: runtime.block_on(endpoint.connect())?,
            runtime,
            options: config.reset.clone(),
            episode_id: config.episode_id.clone(),
            steps: 0,
            total_reward: 0.0,
            over: false,
        })
    }

    /// Begins an episode, in a new session if the old one is lost.
    pub(super) fn reset(&mut self, seed: Option<u64>) -> Result<Begun> {
        let in_new_session = !self.client.is_connected();
        if in_new_session {
            self.runtime.block_on(self.client.reconnect())?;
        }
        let mut options = self.options.clone();
        options.seed = seed.map(Into::into);
        options.episode_id.clone_from(&self.episode_id);
        let step = self.runtime.block_on(self.client.reset(options))?;
        self.episode_id = None;
        self.steps = 0;
        self.total_reward = 0.0;
        self.over = step.is_done();
        Ok(Begun {
            step,
            in_new_session,
        })
    }

    pub(super) fn step(&mut self, action: &Value) -> Result<Step<Value>> {
        let step = self.runtime.block_on(self.client.step(action))?;
        self.steps += 1;
        self.total_reward += step.reward.map_or(0.0, openenv::Reward::as_f64);
        self.over = step.is_done();
        Ok(step)
    }

    pub(super) fn state(&mut self) -> Result<Value> {
        Ok(self.runtime.block_on(self.client.state())?.state)
    }

    /// Of this episode.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Of this episode.
    pub(super) fn total_reward(&self) -> f64 {
        self.total_reward
    }

    pub(super) fn is_over(&self) -> bool {
        self.over
    }

    /// Ends the session, so that the server has closed it when the command ends.
    pub(super) fn close(self) {
        if let Err(error) = self.runtime.block_on(self.client.close()) {
            tracing::warn!(%error, "the session was not closed in time");
        }
    }
}
