//! A question to a worker, and its answer.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use tokio::sync::oneshot;
use tokio::time::timeout;

use super::frame::{Frame, say};
use super::worker::{Key, Worker};
use crate::error::{Error, Kind, Violation};

/// How long a call may take to end after it was told to, before its process is.
pub(super) const GRACE: Duration = Duration::from_millis(500);

/// What a worker says to a call.
#[derive(Debug)]
pub(super) enum Answer {
    Done(Bytes),
    Refused(Error),
    /// The worker has ended, for this reason.
    Gone(Arc<str>),
}

impl Answer {
    pub(super) fn of(frame: &Frame) -> Self {
        #[derive(Deserialize)]
        struct Failure {
            message: String,
        }
        let refused = match frame.kind {
            say::OK | say::REPORT => return Self::Done(frame.payload.clone()),
            say::INVALID => match serde_json::from_slice::<Vec<Violation>>(&frame.payload) {
                Ok(violations) => Error::validation(violations),
                Err(error) => error.into(),
            },
            say::FAILED => match serde_json::from_slice::<Failure>(&frame.payload) {
                Ok(failure) => Error::new(failure.message),
                Err(error) => error.into(),
            },
            say::UNSUPPORTED => Error::unsupported("this"),
            say::TASK_INDEX => Error::task_index(),
            kind => Error::of(
                Kind::Answer,
                format!("a worker sent a frame of kind {kind}"),
            ),
        };
        Self::Refused(refused)
    }
}

/// A question that was asked, and its answer that is not there yet.
///
/// Dropped, it tells the call to end where that does no harm, and its limit holds
/// all the same.
#[derive(Debug)]
pub(super) struct Asked {
    worker: Arc<Worker>,
    key: Key,
    answered: oneshot::Receiver<Answer>,
    over: bool,
    deadline: Option<tokio::time::Instant>,
}

impl Asked {
    pub(super) fn new(worker: Arc<Worker>, key: Key, answered: oneshot::Receiver<Answer>) -> Self {
        Self {
            worker,
            key,
            answered,
            over: false,
            deadline: None,
        }
    }

    pub(super) async fn answer(&mut self) -> Answer {
        let answer = (&mut self.answered).await;
        self.over = true;
        answer.unwrap_or_else(|_| Answer::Gone("its worker ended".into()))
    }

    /// The answer within a limit; who takes longer is ended, one way or the other.
    pub(super) async fn answer_within(mut self, limit: Option<Duration>, what: &str) -> Answer {
        let Some(limit) = limit else {
            return self.answer().await;
        };
        self.deadline = Some(tokio::time::Instant::now() + limit);
        if let Ok(answer) = timeout(limit, self.answer()).await {
            return answer;
        }
        let seconds = limit.as_secs_f64();
        let late = Error::of(
            Kind::Timeout,
            format!("{what} timed out after {seconds} seconds"),
        );
        self.worker.cancel(self.key, true);
        if timeout(GRACE, self.answer()).await.is_err() {
            self.over = true;
            kill_for_time(&self.worker, limit);
        }
        Answer::Refused(late)
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if self.over || self.answered.is_terminated() {
            return;
        }
        self.worker.cancel(self.key, false);
        if let (Some(deadline), Ok(runtime)) =
            (self.deadline, tokio::runtime::Handle::try_current())
        {
            let (worker, key) = (Arc::clone(&self.worker), self.key);
            runtime.spawn(async move {
                let now = tokio::time::Instant::now();
                tokio::time::sleep_until(deadline).await;
                if worker.is_waited_for(key) && !worker.end(key).await {
                    kill_for_time(&worker, deadline - now);
                }
            });
        }
    }
}

fn kill_for_time(worker: &Worker, limit: Duration) {
    let seconds = limit.as_secs_f64();
    worker.kill(format!(
        "worker {} was ended because a call in it went on for longer than its limit of {seconds} seconds",
        worker.number
    ));
}
