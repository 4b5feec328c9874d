//! One session under measurement.

use std::sync::Arc;
use std::time::{Duration, Instant};

use openenv::{EnvClient, Result};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::plan::{Plan, Unread};
use super::tally::{SharedTally, record};
use crate::diagnosis;

/// The pause before the first attempt to reconnect; each one doubles it.
const SHORTEST_PAUSE: Duration = Duration::from_millis(50);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A session that the server has let in.
#[derive(Debug)]
pub(super) struct Session {
    number: usize,
    episodes: u64,
    client: EnvClient<Unread>,
    plan: Arc<Plan>,
    tally: SharedTally,
}

impl Session {
    /// Connects and resets; both are timed.
    pub(super) async fn open(plan: &Arc<Plan>, tally: &SharedTally, number: usize) -> Result<Self> {
        let begin = Instant::now();
        let client = plan.endpoint.connect().await?;
        record(&mut tally.lock().connects, begin.elapsed());
        let mut session = Self {
            number,
            episodes: 0,
            client,
            plan: Arc::clone(plan),
            tally: tally.clone(),
        };
        // A full server says so only now.
        session.reset().await?;
        tally.lock().opened += 1;
        Ok(session)
    }

    async fn reset(&mut self) -> Result<()> {
        let options = self.plan.reset_options(self.number, self.episodes);
        let begin = Instant::now();
        self.client.reset(options).await?;
        self.episodes += 1;
        record(&mut self.tally.lock().resets, begin.elapsed());
        Ok(())
    }

    /// Takes step after step until the time is over. If the very first action is
    /// refused, nobody need try it again: `stop` ends it for all.
    pub(super) async fn step_until(&mut self, end: Instant, stop: &CancellationToken) {
        let mut pause = SHORTEST_PAUSE;
        let mut sent = Instant::now();
        while sent < end {
            let outcome = self.client.step(&self.plan.action).await;
            let answered = Instant::now();
            let failure = match outcome {
                Ok(step) => {
                    record(&mut self.tally.lock().steps, answered - sent);
                    pause = SHORTEST_PAUSE;
                    sent = answered;
                    if !step.is_done() {
                        continue;
                    }
                    self.reset().await.err()
                }
                Err(error) => {
                    if error.is_validation() && self.tally.lock().steps.is_empty() {
                        self.tally.lock().refusal = Some(diagnosis::said(&error));
                        stop.cancel();
                    }
                    Some(error)
                }
            };
            if let Some(error) = failure {
                self.tally.lock().fail(&error);
                if error.ends_session() {
                    self.reopen(end, &mut pause).await;
                }
            }
            sent = Instant::now();
        }
    }

    /// Opens new sessions, with longer and longer pauses, until one is let in or
    /// the time is over.
    async fn reopen(&mut self, end: Instant, pause: &mut Duration) {
        loop {
            let left = end.saturating_duration_since(Instant::now());
            sleep((*pause).min(left)).await;
            if *pause >= left {
                return;
            }
            *pause = (*pause * 2).min(LONGEST_PAUSE);
            match self.connect_again().await {
                Ok(()) => return,
                Err(error) => self.tally.lock().fail(&error),
            }
        }
    }

    async fn connect_again(&mut self) -> Result<()> {
        let begin = Instant::now();
        self.client.reconnect().await?;
        record(&mut self.tally.lock().connects, begin.elapsed());
        self.reset().await?;
        self.tally.lock().reconnects += 1;
        Ok(())
    }

    /// Takes one step, to show that the session is alive.
    pub(super) async fn step_once(&mut self) {
        let begin = Instant::now();
        let outcome = self.client.step(&self.plan.action).await;
        let mut tally = self.tally.lock();
        match outcome {
            Ok(_) => {
                tally.alive += 1;
                record(&mut tally.steps, begin.elapsed());
            }
            Err(error) => tally.fail(&error),
        }
    }

    pub(super) async fn close(self) {
        // One that is lost was counted when it was noticed.
        let closed = if self.client.is_connected() {
            self.client.close().await
        } else {
            Ok(())
        };
        let mut tally = self.tally.lock();
        tally.closed += 1;
        if let Err(error) = closed {
            tally.fail(&error);
        }
    }
}
