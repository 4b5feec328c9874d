//! One session that somebody plays, episode after episode.

use openenv::{Endpoint, EnvClient, Error, Json, ResetOptions, Result, Step};
use serde_json::Value;
use tokio::runtime::Runtime;
use tokio::signal::ctrl_c;

use super::toolkit::Toolkit;
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
    /// Whether Ctrl-C gives a call up.
    interruptible: bool,
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
            interruptible: false,
        })
    }

    /// From now on, Ctrl-C gives up a call that runs instead of ending the process.
    pub(super) fn stop_waiting_at_interrupt(&mut self) {
        self.interruptible = true;
    }

    /// Begins an episode, in a new session if the old one is lost.
    pub(super) fn reset(&mut self, seed: Option<i128>) -> Result<Begun> {
        let in_new_session = !self.client.is_connected();
        if in_new_session {
            wait(&self.runtime, self.interruptible, self.client.reconnect())?;
        }
        let mut options = self.options.clone();
        options.seed = seed.map(Into::into);
        options.episode_id.clone_from(&self.episode_id);
        let reset = self.client.reset(options);
        let step = wait(&self.runtime, self.interruptible, reset)?;
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
        let step = self.client.step(action);
        let step = wait(&self.runtime, self.interruptible, step)?;
        self.steps += 1;
        self.total_reward += step.reward.map_or(0.0, openenv::Reward::as_f64);
        self.over = step.is_done();
        Ok(step)
    }

    /// What can be called; nothing if the server does not say.
    pub(super) fn tools(&mut self) -> Toolkit {
        let listed = wait(&self.runtime, self.interruptible, self.client.list_tools());
        Toolkit::new(listed.unwrap_or_default())
    }

    pub(super) fn state(&mut self) -> Result<Value> {
        let state = self.client.state();
        Ok(wait(&self.runtime, self.interruptible, state)?.state)
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
        if let Err(error) = wait(&self.runtime, self.interruptible, self.client.close()) {
            tracing::warn!(%error, "the session was not closed in time");
        }
    }
}

/// Waits for a call. Giving it up leaves the session as it is: the client passes
/// over the reply when it comes.
fn wait<T>(
    runtime: &Runtime,
    interruptible: bool,
    call: impl Future<Output = Result<T>>,
) -> Result<T> {
    runtime.block_on(async {
        tokio::select! {
            outcome = call => outcome,
            Ok(()) = ctrl_c(), if interruptible => {
                Err(Error::new("given up; the server may still carry it out"))
            }
        }
    })
}
