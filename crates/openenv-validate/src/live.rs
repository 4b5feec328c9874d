//! How a server behaves when it is played with.
//!
//! A few short episodes are played, and the checks look at what was said in them: one alone, two that
//! take turns, some that should come out the same, and one in which nonsense is sent. At most
//! [`closing::SMALL`] sessions more than one are open at a time, and only where nobody else is there.

use std::time::{Duration, Instant};

use serde_json::Value;

use crate::episode::{Transcript, play};
use crate::finding::{Check, Findings};
use crate::script::Script;
use crate::server::Server;
use crate::tools::Listing;

mod closing;
mod contract;
mod isolation;
mod nonsense;
mod repetition;
mod toolbox;

use self::isolation::Interleaved;
use self::repetition::Repeated;

/// What is known of a server before it is played with.
#[derive(Debug)]
pub(crate) struct Subject {
    pub(crate) server: Server,
    /// Of actions, observations, and what reset returns; `Null` where none is published.
    pub(crate) schemas: Schemas,
    pub(crate) tools: Listing,
    pub(crate) script: Result<Script, String>,
    /// Whether it says that it has no routes for training.
    pub(crate) production: bool,
}

/// The schemas that a server publishes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Schemas {
    pub(crate) action: Value,
    pub(crate) observation: Option<Value>,
    pub(crate) reset_observation: Option<Value>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Live {
    /// In a fixed order
    pub(crate) checks: Vec<Check>,
    /// The episode that was played alone
    pub(crate) episode: Transcript,
    /// Whether rewards were the same in equal episodes; `None` if that was not looked at
    pub(crate) rewards_repeat: Option<Result<(), String>>,
}

impl Live {
    /// The check of this name.
    pub(crate) fn check(&self, id: &str) -> Option<&Check> {
        self.checks.iter().find(|check| check.id == id)
    }
}

/// The checks and what they look at, in the order of the report.
pub(crate) const CHECKS: [(&str, &str); 11] = [
    ("live.session", "reset, step and state answer on /ws"),
    (
        "live.observation_schema",
        "observations fit the published schema",
    ),
    ("live.reward", "rewards are finite numbers"),
    ("live.state", "state names the episode and counts its steps"),
    ("live.seed", "the same seed begins the same episode"),
    (
        "live.determinism",
        "the same seed and actions give the same episode",
    ),
    (
        "live.isolation",
        "two episodes at a time do not disturb each other",
    ),
    (
        "live.bad_actions",
        "bad messages are refused and the session goes on",
    ),
    ("live.tools", "tools are declared as they behave"),
    ("live.close", "close ends the session and frees its place"),
    ("live.capacity", "a full server says so"),
];

/// Plays with the server and looks at everything.
pub(crate) async fn look(subject: &Subject) -> Live {
    let begun = Instant::now();
    let script = match &subject.script {
        Ok(script) => script,
        Err(error) => {
            return nothing(subject, &format!("no action could be made up: {error}"));
        }
    };
    let first = Box::pin(play(&subject.server, script)).await;
    let session_time = begun.elapsed();
    if let Some(failure) = &first.failure {
        let reason = contract::unplayable(subject, failure);
        if let Some(reason) = reason {
            return nothing(subject, &reason);
        }
    }
    let session = contract::session(&first);
    if first.failure.is_some() {
        let reason = "the first episode could not be played (live.session)";
        let mut live = nothing(subject, reason);
        live.checks[0] = named(0, session, session_time);
        live.episode = first;
        return live;
    }
    let interleaving = isolation::interleave(&subject.server, script);
    let (interleaved, interleaved_time) = Box::pin(timed(interleaving)).await;
    // Alone as well: what others do at the same time must not make a difference here.
    let again = repetition::repeat(&subject.server, script);
    let (repeated, repeated_time) = Box::pin(timed(again)).await;
    let nonsense = nonsense::send(&subject.server, script, &subject.schemas.action);
    let nonsense = Box::pin(timed(nonsense));
    let tools = toolbox::check(&subject.server, script, &subject.tools);
    let tools = Box::pin(timed(tools));
    let (nonsense, tools) = if interleaved.has_room() {
        tokio::join!(nonsense, tools)
    } else {
        (nonsense.await, tools.await)
    };
    let limit = interleaved.limit();
    let ((close, capacity), closing_time) =
        Box::pin(timed(closing::check(&subject.server, script, limit))).await;
    let live = Observed {
        subject,
        script,
        first: &first,
        interleaved: &interleaved,
        repeated: &repeated,
    };
    let checks = vec![
        named(0, session, session_time),
        named(1, live.schema(), Duration::ZERO),
        named(2, contract::reward(&first), Duration::ZERO),
        named(3, contract::state(&first, script), Duration::ZERO),
        named(4, repeated.seed(&first), repeated_time),
        named(5, repeated.determinism(&first), repeated_time),
        named(6, live.isolation(), interleaved_time),
        named(7, nonsense.0, nonsense.1),
        named(8, tools.0, tools.1),
        named(9, close, closing_time),
        named(10, capacity, closing_time),
    ];
    let rewards_repeat = repeated.rewards(&first);
    Live {
        checks,
        episode: first,
        rewards_repeat,
    }
}

/// All that was seen.
struct Observed<'a> {
    subject: &'a Subject,
    script: &'a Script,
    first: &'a Transcript,
    interleaved: &'a Interleaved,
    repeated: &'a Repeated,
}

impl Observed<'_> {
    fn schema(&self) -> Findings {
        contract::schema(self.first, &self.subject.schemas, self.script)
    }

    fn isolation(&self) -> Findings {
        let varying = self.repeated.varying(self.first);
        self.interleaved.check(self.first, &varying)
    }
}

/// The outcome if no episode can be played: the tools can be looked at all the same.
fn nothing(subject: &Subject, reason: &str) -> Live {
    let mut checks: Vec<Check> = (0..CHECKS.len())
        .map(|index| named(index, Findings::not_run(reason), Duration::ZERO))
        .collect();
    checks[8] = named(8, toolbox::declarations(&subject.tools), Duration::ZERO);
    Live {
        checks,
        episode: Transcript::default(),
        rewards_repeat: None,
    }
}

fn named(index: usize, findings: Findings, duration: Duration) -> Check {
    let (id, description) = CHECKS[index];
    findings.into_check(id, description, duration)
}

async fn timed<T>(work: impl Future<Output = T>) -> (T, Duration) {
    let begun = Instant::now();
    let done = work.await;
    (done, begun.elapsed())
}
