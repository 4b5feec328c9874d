//! What keeps one server of a pool ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde::Deserialize;
use tokio::sync::{Mutex, mpsc, oneshot, watch};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};

use super::{AfterUse, Lease, Make, Request};
use crate::client::Endpoint;
use crate::error::{Error, Result};
use crate::provider::Provider;

/// The pause after a failed start; each one after it is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The longest pause between two attempts to start a server.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// How long the sessions of a server that was given back may take to end.
const QUIET_WITHIN: Duration = Duration::from_secs(10);

/// How often it is asked whether they have.
const LOOK: Duration = Duration::from_millis(20);

/// One for each server of a pool. Whoever is free waits in line for the requests.
pub(super) struct Keeper {
    pub(super) make: Arc<Make>,
    pub(super) after_use: AfterUse,
    /// Where requests are put back to that this one cannot answer after all.
    pub(super) desk: mpsc::UnboundedSender<Request>,
    pub(super) requests: Arc<Mutex<mpsc::UnboundedReceiver<Request>>>,
    pub(super) closing: watch::Receiver<bool>,
    /// How many servers of the pool wait for somebody.
    pub(super) ready: Arc<AtomicUsize>,
    /// Who is told of the first start.
    pub(super) report: Option<mpsc::Sender<Result<()>>>,
}

/// A server that nobody has, as long as this is held.
struct Ready(Arc<AtomicUsize>);

impl Ready {
    fn count(ready: &Arc<AtomicUsize>) -> Self {
        ready.fetch_add(1, Ordering::Relaxed);
        Self(Arc::clone(ready))
    }
}

impl Drop for Ready {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

/// What to do with a server.
enum Then {
    Replace,
    Close,
}

/// How full an environment is, as far as it matters here.
#[derive(Deserialize)]
struct Sessions {
    active: usize,
}

impl Keeper {
    pub(super) async fn keep(mut self) -> Result<()> {
        let mut pause = FIRST_PAUSE;
        loop {
            let mut provider = (self.make)();
            let mut closing = self.closing.clone();
            let started = tokio::select! {
                started = provider.start() => started,
                () = closed(&mut closing) => return Ok(()),
            };
            match (started, self.report.take()) {
                (Ok(endpoint), report) => {
                    pause = FIRST_PAUSE;
                    tell(report, Ok(())).await;
                    let then = self.lend(&mut *provider, &endpoint).await;
                    let stopped = provider.stop().await;
                    match (then, stopped) {
                        (Then::Close, stopped) => return stopped,
                        (Then::Replace, Ok(())) => {}
                        (Then::Replace, Err(error)) => {
                            tracing::warn!(%error, "could not stop a server of a pool");
                        }
                    }
                }
                (Err(error), Some(report)) => {
                    tell(Some(report), Err(error)).await;
                    return Ok(());
                }
                (Err(error), None) => {
                    tracing::warn!(%error, "could not start a server of a pool");
                    tokio::select! {
                        () = self.pass_on(error, pause) => {}
                        () = closed(&mut closing) => return Ok(()),
                    }
                    pause = (pause * 2).min(LONGEST_PAUSE);
                }
            }
        }
    }

    /// Lets whoever asks next know, unless there is a server for him, and waits before another attempt.
    async fn pass_on(&self, error: Error, pause: Duration) {
        let over = Instant::now() + pause;
        if self.ready.load(Ordering::Relaxed) == 0
            && let Ok(Some(request)) = timeout_at(over, next(&self.requests)).await
        {
            if self.ready.load(Ordering::Relaxed) == 0 {
                // Who has left need not know.
                let _ = request.send(Err(error));
            } else {
                // The pool may be gone by now, and with it who asked.
                let _ = self.desk.send(request);
            }
        }
        sleep_until(over).await;
    }

    /// Lends a server to one after another.
    async fn lend(&mut self, provider: &mut dyn Provider, endpoint: &Endpoint) -> Then {
        loop {
            let ready = Ready::count(&self.ready);
            let request = tokio::select! {
                request = next(&self.requests) => request,
                error = provider.ended() => return replaced(endpoint, &error),
                () = closed(&mut self.closing) => return Then::Close,
            };
            drop(ready);
            let Some(request) = request else {
                return Then::Close;
            };
            if let Err(error) = endpoint.health().await {
                // Another one is ready, or will be.
                let _ = self.desk.send(request);
                return replaced(endpoint, &error);
            }
            let (back, returned) = oneshot::channel();
            let lease = Lease {
                endpoint: endpoint.clone(),
                back: Some(back),
            };
            if request.send(Ok(lease)).is_err() {
                // Whoever asked has left before there was an answer.
                continue;
            }
            let discarded = tokio::select! {
                returned = returned => returned.is_ok(),
                error = provider.ended() => return replaced(endpoint, &error),
                () = closed(&mut self.closing) => return Then::Close,
            };
            if discarded || self.after_use == AfterUse::Replace {
                return Then::Replace;
            }
            tokio::select! {
                quiet = is_quiet(endpoint) => if let Err(error) = quiet {
                    return replaced(endpoint, &error);
                },
                () = closed(&mut self.closing) => return Then::Close,
            }
        }
    }
}

fn replaced(endpoint: &Endpoint, error: &Error) -> Then {
    tracing::warn!(%endpoint, %error, "a server of a pool is replaced");
    Then::Replace
}

/// The next request, for whoever has waited longest.
async fn next(requests: &Mutex<mpsc::UnboundedReceiver<Request>>) -> Option<Request> {
    requests.lock().await.recv().await
}

/// Waits until the pool is closed.
async fn closed(closing: &mut watch::Receiver<bool>) {
    // A pool that is gone is closed too.
    let _ = closing.wait_for(|closing| *closing).await;
}

async fn tell(report: Option<mpsc::Sender<Result<()>>>, outcome: Result<()>) {
    if let Some(report) = report {
        // Nobody waits any more once another one has failed.
        let _ = report.send(outcome).await;
    }
}

/// Waits until a server has no sessions any more, if it tells how many it has.
async fn is_quiet(endpoint: &Endpoint) -> Result<()> {
    let start = Instant::now();
    endpoint.health().await?;
    while let Ok(environments) = endpoint.get::<Vec<Sessions>>("/envs").await {
        let active: usize = environments.iter().map(|sessions| sessions.active).sum();
        if active == 0 {
            break;
        }
        if start.elapsed() > QUIET_WITHIN {
            return Err(Error::new(format!(
                "{active} of its sessions have not ended {QUIET_WITHIN:?} after it was given back"
            )));
        }
        sleep(LOOK).await;
    }
    Ok(())
}
