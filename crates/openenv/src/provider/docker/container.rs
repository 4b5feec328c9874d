//! One container, which never outlives its owner.

use std::hash::{BuildHasher, RandomState};
use std::sync::mpsc;
use std::time::Duration;

use bollard::errors::Error as ApiError;
use bollard::models::{ContainerCreateBody, ContainerInspectResponse};
use bollard::query_parameters::{
    CreateContainerOptionsBuilder, InspectContainerOptions, KillContainerOptionsBuilder,
    LogsOptionsBuilder, RemoveContainerOptionsBuilder, WaitContainerOptions,
};
use futures_util::StreamExt;
use tokio::io::AsyncWriteExt;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};

use super::engine::{Engine, background, status};
use super::owner::NAMED;
use crate::error::{Error, Kind, Result};
use crate::provider::output;

/// How long a container may take to be gone once it is removed.
const REMOVED_WITHIN: Duration = Duration::from_secs(20);

/// The pause before the engine is asked once more.
const PAUSE: Duration = Duration::from_millis(50);

/// How long the last lines of a log may take to be shown.
const SHOWN_WITHIN: Duration = Duration::from_millis(500);

/// How many lines of the log an error looks at.
const LAST_LINES: &str = "20";

/// A container, removed with its volumes when dropped.
#[derive(Debug)]
pub(super) struct Container {
    engine: Engine,
    name: String,
    /// The request for it, while it is not answered.
    creation: Option<JoinHandle<Result<Vec<String>, ApiError>>>,
    /// What copies its log to standard error.
    showing: Option<JoinHandle<()>>,
    over: bool,
}

impl Container {
    /// A name of its own, known before the engine is asked: whatever the engine makes of a
    /// request that nobody waits for any more can be found and removed.
    pub(super) fn new(engine: &Engine) -> Self {
        // The keys of a hasher are random.
        let number = RandomState::new().hash_one(std::process::id());
        Self {
            engine: engine.clone(),
            name: format!("openenv-{number:016x}"),
            creation: None,
            showing: None,
            over: true,
        }
    }

    /// Asks the engine to create it.
    pub(super) async fn create(&mut self, mut body: ContainerCreateBody) -> Result<(), ApiError> {
        let (api, name) = (self.engine.api.clone(), self.name.clone());
        // Labels travel with an image that is made from a container, but a name does not.
        let labels = body.labels.get_or_insert_default();
        labels.insert(NAMED.to_owned(), name.clone());
        let creation = background().spawn(async move {
            let options = CreateContainerOptionsBuilder::new().name(&name).build();
            let created = api.create_container(Some(options), body).await?;
            Ok(created.warnings)
        });
        self.over = false;
        let created = self.creation.insert(creation).await;
        self.creation = None;
        match created {
            Ok(Ok(warnings)) => {
                for warning in warnings {
                    tracing::warn!(container = self.name, warning);
                }
                Ok(())
            }
            Ok(Err(error)) => {
                // An engine that refused has created none; one that fell silent may have.
                self.over = status(&error).is_some();
                Err(error)
            }
            Err(panicked) => Err(ApiError::from(std::io::Error::other(panicked))),
        }
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) async fn start(&self) -> Result<()> {
        let api = &self.engine.api;
        let started = api.start_container(&self.name, None).await;
        started.map_err(|error| self.engine.failed("start a container", error))
    }

    pub(super) async fn inspect(&self) -> Result<ContainerInspectResponse> {
        let options = None::<InspectContainerOptions>;
        let seen = self.engine.api.inspect_container(&self.name, options).await;
        seen.map_err(|error| self.engine.failed("look at a container", error))
    }

    /// Waits until it runs no more; can be dropped and asked again.
    pub(super) async fn exited(&self) {
        loop {
            let options = None::<WaitContainerOptions>;
            let mut waiting = Box::pin(self.engine.api.wait_container(&self.name, options));
            match waiting.next().await {
                Some(Ok(_) | Err(ApiError::DockerContainerWaitError { .. })) => return,
                Some(Err(error)) if status(&error) == Some(404) => return,
                // The engine is slow, or is being started again.
                Some(Err(_)) | None => sleep(PAUSE).await,
            }
        }
    }

    /// How it ended, and what it said last, as the end of a sentence.
    pub(super) async fn ending(&self) -> String {
        let how = match self.inspect().await {
            Err(_) => "somebody removed it".to_owned(),
            Ok(seen) => {
                let state = seen.state.unwrap_or_default();
                let mut how = match state.exit_code {
                    Some(code) => format!("exit code {code}"),
                    None => "its exit code is not known".to_owned(),
                };
                if state.oom_killed == Some(true) {
                    how.push_str(", it had used up its memory");
                }
                if let Some(error) = state.error.filter(|error| !error.is_empty()) {
                    how.push_str(", ");
                    how.push_str(&error);
                }
                how
            }
        };
        format!("{how}; {}", self.last_words().await)
    }

    /// The end of a sentence that tells the last lines of its log.
    pub(super) async fn last_words(&self) -> String {
        match self.log(LAST_LINES).await {
            Ok(log) => output::told(&log),
            Err(error) => format!("its log cannot be read: {error}"),
        }
    }

    /// The last lines of its log.
    pub(super) async fn log(&self, lines: &str) -> Result<String> {
        let options = LogsOptionsBuilder::new().stdout(true).stderr(true);
        let options = options.tail(lines).build();
        let mut log = Box::pin(self.engine.api.logs(&self.name, Some(options)));
        let mut bytes = Vec::new();
        while let Some(part) = log.next().await {
            let part = part.map_err(|error| self.engine.failed("read a log", error))?;
            bytes.extend_from_slice(part.as_ref());
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Copies its log to standard error until it ends.
    pub(super) fn show_output(&mut self) {
        let (api, name) = (self.engine.api.clone(), self.name.clone());
        self.showing = Some(background().spawn(async move {
            let options = LogsOptionsBuilder::new().stdout(true).stderr(true);
            let options = options.follow(true).build();
            let mut log = Box::pin(api.logs(&name, Some(options)));
            // Not on this thread: whoever reads it may pause, and containers are removed here.
            let mut shown = tokio::io::stderr();
            while let Some(Ok(part)) = log.next().await {
                if shown.write_all(part.as_ref()).await.is_err() {
                    return;
                }
            }
            // What was taken over is written by and by.
            let _ = shown.flush().await;
        }));
    }

    /// Waits until the log of a container that has ended is shown.
    pub(super) async fn shown(&mut self) {
        if let Some(mut showing) = self.showing.take()
            && timeout(SHOWN_WITHIN, &mut showing).await.is_err()
        {
            showing.abort();
        }
    }

    /// Asks it to end, in the way of its image, waits that long, and removes it in any case.
    pub(super) async fn stop(mut self, grace: Duration) -> Result<()> {
        // To a container that has ended or is gone, there is nothing to say.
        if let Ok(seen) = self.inspect().await {
            let signal = seen.config.and_then(|config| config.stop_signal);
            let signal = signal.filter(|signal| !signal.is_empty());
            let options = KillContainerOptionsBuilder::new()
                .signal(signal.as_deref().unwrap_or("SIGTERM"))
                .build();
            let asked = self.engine.api.kill_container(&self.name, Some(options));
            if asked.await.is_ok() {
                let _ = timeout(grace, self.exited()).await;
            }
        }
        self.shown().await;
        self.remove().await
    }

    /// Kills it if it runs, and removes it.
    pub(super) async fn remove(mut self) -> Result<()> {
        let removal = background().spawn(remove(self.engine.clone(), self.name.clone()));
        let removed = match removal.await {
            Ok(removed) => removed,
            Err(panicked) => Err(Error::from_source(panicked)),
        };
        self.over = removed.is_ok();
        removed
    }
}

/// Waits until it is gone: should the program end next, nobody else would see to it.
impl Drop for Container {
    fn drop(&mut self) {
        if let Some(showing) = self.showing.take() {
            showing.abort();
        }
        if self.over {
            return;
        }
        let (engine, name) = (self.engine.clone(), self.name.clone());
        let creation = self.creation.take();
        let (done, removed) = mpsc::channel();
        background().spawn(async move {
            if let Some(creation) = creation {
                // What is not there yet cannot be removed.
                let _ = creation.await;
            }
            let _ = done.send(remove(engine, name).await);
        });
        let why = match removed.recv_timeout(REMOVED_WITHIN) {
            Ok(Ok(())) => return,
            Ok(Err(error)) => error.to_string(),
            Err(_) => format!("it is still there after {REMOVED_WITHIN:?}"),
        };
        tracing::warn!(
            container = self.name,
            why,
            hint = "`openenv containers prune` removes it once this program has ended",
            "could not remove a container"
        );
    }
}

/// Kills and removes a container, and waits until it is gone.
pub(super) async fn remove(engine: Engine, name: String) -> Result<()> {
    let start = Instant::now();
    loop {
        let options = RemoveContainerOptionsBuilder::new().force(true).v(true);
        let options = options.build();
        let error = match engine.api.remove_container(&name, Some(options)).await {
            Ok(()) => return Ok(()),
            Err(error) if status(&error) == Some(404) => return Ok(()),
            Err(error) => error,
        };
        if start.elapsed() > REMOVED_WITHIN {
            return Err(engine.failed(&format!("remove the container `{name}`"), error));
        }
        // Somebody else removes it, or the engine is being started again.
        sleep(PAUSE).await;
    }
}

pub(super) fn is_running(seen: &ContainerInspectResponse) -> bool {
    let running = seen.state.as_ref().and_then(|state| state.running);
    running == Some(true)
}

/// That a container ended which should not have.
pub(super) fn ended(what: &str, ending: &str) -> Error {
    Error::of(Kind::Execution, format!("{what} {ending}"))
}
