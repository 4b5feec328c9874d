//! One episode in a session of its own, and all that was said in it.

use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use tokio::time::sleep;

use crate::script::Script;
use crate::server::{Lost, Refusal, Server, Socket};

/// Pause between attempts to get into a full server.
const FULL_PAUSE: Duration = Duration::from_millis(20);
/// Bytes that an episode may have, as for the reference.
const MAX_TRACE: usize = 8 * 1024 * 1024;

/// What a request asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    Reset,
    Step,
    State,
}

impl Operation {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Reset => "reset",
            Self::Step => "step",
            Self::State => "state",
        }
    }
}

/// A request and its reply.
#[derive(Debug, Clone)]
pub(crate) struct Exchange {
    pub(crate) operation: Operation,
    pub(crate) request: Value,
    /// As it came, also if it is not JSON.
    pub(crate) response: String,
    /// `Null` if it is not JSON.
    pub(crate) reply: Value,
}

impl Exchange {
    /// What the reply is about; `Null` where there is nothing.
    pub(crate) fn data(&self) -> &Value {
        &self.reply["data"]
    }
}

/// Why an episode did not come to its end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Failure {
    pub(crate) phase: &'static str,
    /// The error's code, or what happened in a word.
    pub(crate) kind: String,
    /// What happened, in full.
    pub(crate) seen: String,
    /// Whether the server was full.
    pub(crate) full: Option<Refusal>,
}

/// All that was said in an episode.
#[derive(Debug, Clone, Default)]
pub(crate) struct Transcript {
    pub(crate) exchanges: Vec<Exchange>,
    pub(crate) failure: Option<Failure>,
}

impl Transcript {
    /// The exchanges that gave an observation.
    pub(crate) fn observations(&self) -> impl Iterator<Item = (usize, &Exchange)> {
        self.exchanges
            .iter()
            .enumerate()
            .filter(|(_, exchange)| exchange.operation != Operation::State)
    }

    /// Whether there was a step.
    pub(crate) fn has_steps(&self) -> bool {
        self.exchanges
            .iter()
            .any(|exchange| exchange.operation == Operation::Step)
    }

    /// What a person calls an exchange: `reset`, `step 2`, `state after step 2`.
    pub(crate) fn place(&self, index: usize) -> String {
        let steps = self.exchanges[..=index]
            .iter()
            .filter(|exchange| exchange.operation == Operation::Step)
            .count();
        match (self.exchanges[index].operation, steps) {
            (Operation::Reset, _) => "reset".to_owned(),
            (Operation::Step, steps) => format!("step {steps}"),
            (Operation::State, 0) => "state after reset".to_owned(),
            (Operation::State, steps) => format!("state after step {steps}"),
        }
    }
}

/// An episode that goes on.
#[derive(Debug)]
pub(crate) struct Episode {
    socket: Socket,
    pub(crate) transcript: Transcript,
    size: usize,
}

impl Episode {
    /// Opens a session and resets it. A full server is asked again as long as it may take to answer.
    pub(crate) async fn begin(
        server: &Server,
        reset: &Map<String, Value>,
    ) -> Result<Self, Failure> {
        let begun = Instant::now();
        loop {
            let socket = Socket::open(server).await.map_err(|error| Failure {
                phase: "connect",
                kind: "ConnectionError".to_owned(),
                seen: error,
                full: None,
            })?;
            let mut episode = Self {
                socket,
                transcript: Transcript::default(),
                size: 0,
            };
            match episode.reset(reset).await {
                Ok(()) => return Ok(episode),
                Err(failure) if failure.full.is_some() && begun.elapsed() < server.patience() => {
                    sleep(FULL_PAUSE).await;
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    /// Begins an episode in a session that may have had others.
    pub(crate) async fn reset(&mut self, options: &Map<String, Value>) -> Result<(), Failure> {
        let request = json!({ "type": "reset", "data": options });
        self.exchange(Operation::Reset, request).await
    }

    pub(crate) async fn step(&mut self, action: &Value) -> Result<(), Failure> {
        let request = json!({ "type": "step", "data": action });
        self.exchange(Operation::Step, request).await
    }

    pub(crate) async fn state(&mut self) -> Result<(), Failure> {
        self.exchange(Operation::State, json!({ "type": "state" }))
            .await
    }

    /// Whether the last observation ended the episode.
    pub(crate) fn is_done(&self) -> bool {
        let last = self.transcript.observations().last();
        last.is_some_and(|(_, exchange)| exchange.data()["done"] == true)
    }

    /// The socket, for what is said outside of the script.
    pub(crate) fn socket(&mut self) -> &mut Socket {
        &mut self.socket
    }

    /// Closes the session.
    ///
    /// # Errors
    /// If the server answers, or does not close.
    pub(crate) async fn leave(self) -> Result<(), String> {
        self.socket.leave().await
    }

    /// Closes the session and keeps what was said.
    pub(crate) async fn end(self) -> Transcript {
        // How sessions end is looked at elsewhere.
        let _ = self.socket.leave().await;
        self.transcript
    }

    async fn exchange(&mut self, operation: Operation, request: Value) -> Result<(), Failure> {
        let phase = operation.name();
        let failed = |kind: &str, seen: String| Failure {
            phase,
            kind: kind.to_owned(),
            seen,
            full: None,
        };
        let text = request.to_string();
        let response = self.socket.ask(text.as_str()).await.map_err(|lost| {
            let kind = match &lost {
                Lost::Closed(_) => "ConnectionClosed",
                Lost::Silent(_) => "TimeoutError",
                Lost::Binary => "ValueError",
            };
            failed(kind, lost.to_string())
        })?;
        self.size += text.len() + response.len();
        if self.size > MAX_TRACE {
            let limit = format!("the replies of the episode exceed {MAX_TRACE} bytes");
            return Err(failed("ValueError", limit));
        }
        let reply: Value = serde_json::from_str(&response).unwrap_or_default();
        let wanted = match operation {
            Operation::State => "state",
            Operation::Reset | Operation::Step => "observation",
        };
        let refusal = Refusal::of(&reply);
        let fits = reply["type"] == wanted && reply["data"].is_object();
        self.transcript.exchanges.push(Exchange {
            operation,
            request,
            response,
            reply,
        });
        match refusal {
            Some(refusal) => Err(Failure {
                phase,
                kind: known_code(&refusal.code).unwrap_or("ValueError").to_owned(),
                seen: format!("the error {}: {}", refusal.code, refusal.message),
                full: refusal.is_capacity().then_some(refusal),
            }),
            None if !fits => {
                let last = self.transcript.exchanges.last();
                let response = last.map(|exchange| exchange.response.as_str());
                let seen = format!("the reply {}", shortened(response.unwrap_or_default()));
                Err(failed("ValueError", seen))
            }
            None => Ok(()),
        }
    }
}

/// Plays a script in a new session, to its end or to the first failure.
pub(crate) async fn play(server: &Server, script: &Script) -> Transcript {
    let mut episode = match Episode::begin(server, &script.reset).await {
        Ok(episode) => episode,
        Err(failure) => {
            return Transcript {
                exchanges: Vec::new(),
                failure: Some(failure),
            };
        }
    };
    let failure = go_on(&mut episode, script).await.err();
    let mut transcript = episode.end().await;
    transcript.failure = failure;
    transcript
}

/// Plays a script in a session that was just reset.
pub(crate) async fn go_on(episode: &mut Episode, script: &Script) -> Result<(), Failure> {
    episode.state().await?;
    for action in &script.actions {
        if episode.is_done() {
            break;
        }
        episode.step(action).await?;
        episode.state().await?;
    }
    Ok(())
}

/// The code, if it is one of the protocol's: others are the subject's own words.
fn known_code(code: &str) -> Option<&str> {
    const CODES: [&str; 7] = [
        "INVALID_JSON",
        "UNKNOWN_TYPE",
        "VALIDATION_ERROR",
        "EXECUTION_ERROR",
        "CAPACITY_REACHED",
        "FACTORY_ERROR",
        "SESSION_ERROR",
    ];
    CODES.contains(&code).then_some(code)
}

/// A text that fits into a line.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 120;
    let line = text.replace(['\n', '\r'], " ");
    if line.chars().count() <= MOST {
        return line;
    }
    let start: String = line.chars().take(MOST).collect();
    format!("{start}…")
}
