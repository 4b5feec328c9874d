//! The last words of a process.

use std::collections::VecDeque;
use std::io::{self, PipeReader, PipeWriter, Read, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::time::{Instant, sleep};

/// How much is kept: more than anybody reads, less than anybody notices.
const KEPT: usize = 64 * 1024;

/// How many lines an error shows.
const SHOWN_LINES: usize = 20;

/// The end of what a process wrote, on both of its streams in the order it wrote it.
#[derive(Debug, Clone, Default)]
pub(super) struct Output {
    tail: Arc<Mutex<Tail>>,
}

#[derive(Debug, Default)]
struct Tail {
    bytes: VecDeque<u8>,
    /// Whether there was more before.
    cut: bool,
}

impl Output {
    /// A pipe for a process to write to, read until nobody can write to it any more.
    ///
    /// By a thread rather than a task: a process whose pipe is full stops, and a
    /// runtime that is busy, paused or gone must not do that to it.
    pub(super) fn collect(&self, show: bool) -> io::Result<(PipeWriter, Reading)> {
        let (reader, writer) = io::pipe()?;
        let output = self.clone();
        let thread = thread::Builder::new()
            .name("openenv-output".to_owned())
            .spawn(move || output.read(reader, show))?;
        Ok((writer, Reading(thread)))
    }

    fn read(&self, mut pipe: PipeReader, show: bool) {
        let mut buffer = vec![0; 8 * 1024];
        loop {
            let read = match pipe.read(&mut buffer) {
                Ok(0) => return,
                Ok(read) => &buffer[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return,
            };
            self.tail().push(read);
            if show {
                // Standard output is for the data of whoever uses this library.
                let _ = io::stderr().write_all(read);
            }
        }
    }

    /// All that is kept; begins with a whole line.
    pub(super) fn text(&self) -> String {
        let mut tail = self.tail();
        let cut = tail.cut;
        let bytes: &[u8] = tail.bytes.make_contiguous();
        let whole = match bytes.iter().position(|byte| *byte == b'\n') {
            Some(end) if cut => &bytes[end + 1..],
            _ => bytes,
        };
        String::from_utf8_lossy(whole).into_owned()
    }

    /// The end of a sentence that tells the last lines.
    pub(super) fn told(&self) -> String {
        told(&self.text())
    }

    fn tail(&self) -> MutexGuard<'_, Tail> {
        // Bytes are whole whatever happened to who held the lock.
        self.tail.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end of a sentence that tells the last lines of a text.
pub(super) fn told(text: &str) -> String {
    let lines: Vec<&str> = text.trim_end().lines().collect();
    let last = &lines[lines.len().saturating_sub(SHOWN_LINES)..];
    if last.is_empty() {
        return "it wrote nothing".to_owned();
    }
    format!("its last output:\n  {}", last.join("\n  "))
}

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.bytes.extend(bytes);
        if let Some(excess) = self.bytes.len().checked_sub(KEPT).filter(|more| *more > 0) {
            self.bytes.drain(..excess);
            self.cut = true;
        }
    }
}

/// The thread that reads.
#[derive(Debug)]
pub(super) struct Reading(JoinHandle<()>);

impl Reading {
    /// Waits for the last words of a process that has ended.
    ///
    /// Not for long: a process that moved to a group of its own may keep the pipe.
    pub(super) async fn finish(self) {
        let deadline = Instant::now() + Duration::from_millis(500);
        while !self.0.is_finished() && Instant::now() < deadline {
            sleep(Duration::from_millis(5)).await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_bounded_and_begins_with_a_line() {
        let output = Output::default();
        for number in 0..20_000 {
            let line = format!("line {number}\n");
            output.tail().push(line.as_bytes());
        }
        let text = output.text();
        assert!(text.len() <= KEPT && text.len() > KEPT - 20);
        assert!(text.starts_with("line "));
        assert!(text.ends_with("line 19999\n"));
        assert_eq!(output.told().lines().count(), 1 + SHOWN_LINES);
    }

    #[test]
    fn output_that_is_no_text_is_told_all_the_same() {
        let output = Output::default();
        assert_eq!(output.told(), "it wrote nothing");
        output.tail().push(b"a\xff\n\n");
        assert_eq!(output.told(), "its last output:\n  a\u{fffd}");
    }
}
