//! What the processes write to their standard streams.
//!
//! Lines of a worker come with its number (`worker/openenv_worker/keeper.py`), and
//! so does how it ended.

use std::collections::{HashMap, VecDeque};
use std::io::PipeReader;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::net::unix::pipe;
use tokio::sync::oneshot;

use super::worker::Worker;
use crate::error::{Error, Kind};

/// Lines that are kept to explain a failure.
const KEPT: usize = 40;

/// What stands before and after the number of a worker.
const MARK: char = '\x1e';

/// Everything that is written, and who may want to know.
#[derive(Debug, Default)]
pub(super) struct Output {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    last: VecDeque<String>,
    ends: HashMap<u32, oneshot::Sender<i32>>,
    workers: HashMap<u32, Weak<Worker>>,
}

/// One line, by who wrote it.
#[derive(Debug, PartialEq, Eq)]
enum Line<'a> {
    /// How a worker ended.
    End { worker: u32, status: i32 },
    /// What a worker wrote.
    Worker { worker: u32, text: &'a str },
    /// What was written before there were workers.
    Other(&'a str),
}

impl Output {
    pub(super) fn listen(pipe: PipeReader) -> Arc<Self> {
        let output = Arc::new(Self::default());
        match pipe::Receiver::from_owned_fd(OwnedFd::from(pipe)) {
            Ok(pipe) => drop(tokio::spawn(read(pipe, Arc::downgrade(&output)))),
            Err(error) => tracing::error!(%error, "could not read what workers write"),
        }
        output
    }

    /// How the worker ends, once it has.
    pub(super) fn expect(&self, worker: u32) -> oneshot::Receiver<i32> {
        let (end, ended) = oneshot::channel();
        let mut inner = self.inner();
        inner.ends.retain(|_, other| !other.is_closed());
        inner.ends.insert(worker, end);
        ended
    }

    /// Lets lines of the worker be logged with its session.
    pub(super) fn attribute(&self, number: u32, worker: Weak<Worker>) {
        self.inner().workers.insert(number, worker);
    }

    /// A failure, with what was written last.
    pub(super) async fn explain(&self, what: &str) -> Error {
        // The last words may still be on their way.
        tokio::time::sleep(Duration::from_millis(100)).await;
        let last: Vec<String> = self.inner().last.iter().cloned().collect();
        let error = Error::of(Kind::Configuration, what);
        if last.is_empty() {
            error
        } else {
            error.because(last.join("\n"))
        }
    }

    fn hear(&self, line: &str) {
        match Line::read(line) {
            Line::End { worker, status } => {
                let mut inner = self.inner();
                inner.workers.remove(&worker);
                if let Some(end) = inner.ends.remove(&worker) {
                    let _ = end.send(status);
                }
            }
            Line::Worker { worker, text } => {
                self.keep(text);
                let known = self.inner().workers.get(&worker).and_then(Weak::upgrade);
                let session = known.and_then(|worker| worker.only_session());
                let (session, log) = session.unzip();
                let session = session.map(tracing::field::display);
                tracing::info!(worker, session, stream = "output", "{text}");
                if let Some(log) = log {
                    log.line(tracing::Level::INFO, text);
                }
            }
            Line::Other(text) => {
                self.keep(text);
                tracing::info!(stream = "output", "{text}");
            }
        }
    }

    fn keep(&self, text: &str) {
        let mut inner = self.inner();
        if inner.last.len() == KEPT {
            inner.last.pop_front();
        }
        inner.last.push_back(text.to_owned());
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<'a> Line<'a> {
    fn read(line: &'a str) -> Self {
        let marked = || {
            let (worker, text) = line.strip_prefix(MARK)?.split_once(MARK)?;
            let worker = worker.parse().ok()?;
            let status = text.strip_prefix(MARK).map(str::parse);
            Some(match status {
                Some(Ok(status)) => Line::End { worker, status },
                _ => Line::Worker { worker, text },
            })
        };
        marked().unwrap_or(Line::Other(line))
    }
}

async fn read(pipe: pipe::Receiver, output: Weak<Output>) {
    let mut lines = BufReader::new(pipe);
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line).await {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let Some(output) = output.upgrade() else {
            return;
        };
        output.hear(String::from_utf8_lossy(&line).trim_end_matches(['\r', '\n']));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_told_apart() {
        assert_eq!(Line::read("hello"), Line::Other("hello"));
        let text = "hello";
        assert_eq!(
            Line::read("\x1e3\x1ehello"),
            Line::Worker { worker: 3, text }
        );
        assert_eq!(
            Line::read("\x1e3\x1e\x1e9"),
            Line::End {
                worker: 3,
                status: 9
            }
        );
        assert_eq!(Line::read("\x1ex\x1ehello"), Line::Other("\x1ex\x1ehello"));
    }
}
