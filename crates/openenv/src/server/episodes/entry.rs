//! One thing that happened in an episode: what was asked, and what came of it.

use std::io::Write;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde::Deserialize;

use crate::env::Reward;
use crate::server::session_log::LogLine;

/// What an entry takes besides its texts.
const OVERHEAD: usize = 256;

/// What was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Reset,
    Step,
    /// A tool, called for its own sake.
    Tool,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Step => "step",
            Self::Tool => "tool",
        }
    }
}

/// What came of it, in JSON.
#[derive(Debug)]
pub(crate) enum Outcome {
    Reply(Box<[u8]>),
    Error(Box<[u8]>),
}

/// One reset, step or call of a tool. All texts are JSON.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(super) kind: Kind,
    /// Since the episode began.
    pub(super) at: Duration,
    pub(super) took: Duration,
    pub(super) request: Box<str>,
    pub(super) outcome: Outcome,
    /// What came after it.
    pub(super) attached: Mutex<Attached>,
}

/// What belongs to a step but was asked for by itself, or was said late.
#[derive(Debug, Default)]
pub(crate) struct Attached {
    pub(super) logs: Vec<LogLine>,
    pub(super) state: Option<Box<[u8]>>,
    /// The fields of a view, without braces.
    pub(super) view: Option<Box<[u8]>>,
}

/// What a step was worth.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct Worth {
    #[serde(default)]
    pub(super) reward: Option<Reward>,
    #[serde(default)]
    pub(super) done: bool,
}

impl Entry {
    pub(super) fn size(&self) -> usize {
        let outcome = match &self.outcome {
            Outcome::Reply(text) | Outcome::Error(text) => text.len(),
        };
        OVERHEAD + self.request.len() + outcome + self.attached().size()
    }

    pub(super) fn worth(&self) -> Worth {
        match &self.outcome {
            Outcome::Reply(reply) if self.kind == Kind::Step => Worth::of(reply),
            _ => Worth::default(),
        }
    }

    pub(super) fn is_error(&self) -> bool {
        matches!(self.outcome, Outcome::Error(_))
    }

    pub(super) fn attached(&self) -> MutexGuard<'_, Attached> {
        self.attached.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Appends it as an object, with its place in the episode.
    pub(super) fn write(&self, n: u64, out: &mut Vec<u8>) {
        let (reply, error): (&[u8], &[u8]) = match &self.outcome {
            Outcome::Reply(reply) => (reply, b"null"),
            Outcome::Error(error) => (b"null", error),
        };
        let kind = self.kind.name();
        let at = self.at.as_secs_f64();
        let took = self.took.as_secs_f64() * 1000.0;
        let _ = write!(
            out,
            r#"{{"n":{n},"kind":"{kind}","at":{at:.6},"took":{took:.3},"request":"#
        );
        out.extend_from_slice(self.request.as_bytes());
        out.extend_from_slice(b",\"reply\":");
        out.extend_from_slice(reply);
        out.extend_from_slice(b",\"error\":");
        out.extend_from_slice(error);
        let attached = self.attached();
        if let Some(state) = &attached.state {
            out.extend_from_slice(b",\"state\":");
            out.extend_from_slice(state);
        }
        if let Some(view) = &attached.view {
            out.push(b',');
            out.extend_from_slice(view);
        }
        out.extend_from_slice(b",\"logs\":");
        serde_json::to_writer(&mut *out, &attached.logs).expect("lines of text always serialise");
        out.push(b'}');
    }
}

impl Worth {
    /// Most replies end with it: the rest of them need not be read.
    fn of(reply: &[u8]) -> Self {
        Self::at_end(reply).unwrap_or_else(|| serde_json::from_slice(reply).unwrap_or_default())
    }

    fn at_end(reply: &[u8]) -> Option<Self> {
        let (reply, done) = match reply.strip_suffix(b",\"done\":false}") {
            Some(reply) => (reply, false),
            None => (reply.strip_suffix(b",\"done\":true}")?, true),
        };
        let colon = reply.iter().rposition(|byte| *byte == b':')?;
        let (name, reward) = reply.split_at(colon + 1);
        // A quote within a text would have a backslash before it.
        name.ends_with(b",\"reward\":").then_some(())?;
        let reward = serde_json::from_slice(reward).ok()?;
        Some(Self { reward, done })
    }
}

impl Attached {
    pub(super) fn size(&self) -> usize {
        let size = |text: &Option<Box<[u8]>>| text.as_ref().map_or(0, |text| text.len());
        let logs: usize = self.logs.iter().map(LogLine::size).sum();
        size(&self.state) + size(&self.view) + logs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worth_of_a_step_is_found_without_reading_all_of_it() {
        for reply in [
            r#"{"observation":{"a":"x"},"reward":0.5,"done":false}"#,
            r#"{"observation":{},"reward":null,"done":true}"#,
            r#"{"observation":{},"reward":true,"done":true}"#,
            r#"{"observation":{"s":",\"reward\":1,\"done\":true}"},"reward":-3,"done":false}"#,
        ] {
            let whole: Worth = serde_json::from_str(reply).unwrap();
            assert_eq!(Worth::at_end(reply.as_bytes()), Some(whole), "{reply}");
        }
        let with_metadata = r#"{"observation":{},"reward":2,"done":true,"metadata":{"a":1}}"#;
        assert_eq!(Worth::at_end(with_metadata.as_bytes()), None);
        assert!(Worth::of(with_metadata.as_bytes()).done);
    }
}
