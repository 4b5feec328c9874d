//! The end of sessions, and the limit of their number.

use std::time::Instant;

use serde_json::Value;

use crate::episode::Episode;
use crate::finding::{Findings, Problem};
use crate::script::Script;
use crate::server::{KNOCK, Refusal, Server, Socket};

/// Servers with more places than this are not filled up.
pub(super) const SMALL: u64 = 4;

/// How full a server says it is.
#[derive(Debug, Clone, Copy)]
struct Capacity {
    active: u64,
    maximum: u64,
}

/// Looks at close and at capacity; `limit` is what the server said when it was full.
pub(super) async fn check(
    server: &Server,
    script: &Script,
    limit: Option<u64>,
) -> (Findings, Findings) {
    let capacity = published(server).await;
    let maximum = capacity.map(|capacity| capacity.maximum).or(limit);
    let others = capacity.map_or(0, |capacity| capacity.active);
    match maximum {
        Some(maximum) if maximum <= SMALL && others == 0 => fill(server, script, maximum).await,
        _ => {
            let reason = match maximum {
                Some(maximum) if maximum > SMALL => {
                    format!("the server has {maximum} places, too many to fill them up")
                }
                Some(_) => format!("{others} sessions of others are open"),
                None => "how many sessions the server has is not known".to_owned(),
            };
            let close = close_alone(server, script, capacity).await;
            (close, Findings::not_run(reason))
        }
    }
}

/// Our server's route; the reference has none.
async fn published(server: &Server) -> Option<Capacity> {
    let answer = server.get("/capacity").await.ok()?;
    let count = |name: &str| answer.get(name).and_then(Value::as_u64);
    (answer.status == 200).then_some(())?;
    Some(Capacity {
        active: count("active")?,
        maximum: count("maximum")?,
    })
}

/// Takes every place, asks for one more, gives one back and asks again.
async fn fill(server: &Server, script: &Script, maximum: u64) -> (Findings, Findings) {
    let mut episodes = Vec::new();
    for _ in 0..maximum {
        match Episode::begin(server, &script.reset).await {
            Ok(episode) => episodes.push(episode),
            Err(failure) => {
                let reason = format!("somebody else is there: {}", failure.seen);
                for episode in episodes {
                    episode.end().await;
                }
                let close = close_alone(server, script, None).await;
                return (close, Findings::not_run(reason));
            }
        }
    }
    let capacity = one_too_many(server, maximum).await;
    let mut close = Findings::seen(format!("one of {maximum} places was given back"));
    if let Some(mut episode) = episodes.pop() {
        let _ = episode.state().await;
        close.leave(episode).await;
        match Episode::begin(server, &script.reset).await {
            Ok(episode) => episodes.push(episode),
            Err(failure) => close.problems.push(Problem::required(
                "after `close`, the place of the session is free again",
                format!("the next session is refused: {}", failure.seen),
                "close the session and give its place back when its client leaves",
            )),
        }
    }
    for episode in episodes {
        episode.end().await;
    }
    (close, capacity)
}

async fn one_too_many(server: &Server, maximum: u64) -> Findings {
    let mut findings = Findings::seen(format!("session {} was refused", maximum + 1));
    let expected = "an error CAPACITY_REACHED, with `message` and `max_sessions`";
    let fix = "accept the socket, send one `error` frame and close it";
    let mut socket = match Socket::open(server).await {
        Ok(socket) => socket,
        Err(error) => {
            findings.problems.push(Problem::advice(
                expected,
                format!("no socket: {error}"),
                fix,
            ));
            return findings;
        }
    };
    match socket.ask(KNOCK).await {
        Ok(reply) => {
            let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
            match Refusal::of(&reply) {
                Some(refusal) if refusal.is_capacity() => {
                    if refusal.max_sessions != Some(maximum) {
                        let seen =
                            format!("the error says `max_sessions` {:?}", refusal.max_sessions);
                        findings.problems.push(Problem::advice(expected, seen, fix));
                    }
                }
                Some(refusal) if refusal.code != "UNKNOWN_TYPE" => {
                    let seen = format!("the error {}: {}", refusal.code, refusal.message);
                    findings.problems.push(Problem::advice(expected, seen, fix));
                }
                _ => {
                    let _ = socket.leave().await;
                    findings.problems.push(Problem::required(
                        format!(
                            "a server with {maximum} places refuses session {}",
                            maximum + 1
                        ),
                        "it was let in".to_owned(),
                        "count sessions, and refuse those beyond the limit",
                    ));
                }
            }
        }
        Err(lost) => findings
            .problems
            .push(Problem::advice(expected, lost.to_string(), fix)),
    }
    findings
}

/// Closes one session and looks whether its place is free, where the server tells.
async fn close_alone(server: &Server, script: &Script, before: Option<Capacity>) -> Findings {
    let mut findings = Findings::seen("the server closed the socket");
    match Episode::begin(server, &script.reset).await {
        Ok(episode) => findings.leave(episode).await,
        Err(failure) => return Findings::not_run(format!("no session: {}", failure.seen)),
    }
    let Some(before) = before else {
        findings
            .notes
            .push("whether its place is free was not looked at: the limit is not known".to_owned());
        return findings;
    };
    let begun = Instant::now();
    while begun.elapsed() < server.patience() {
        match published(server).await {
            Some(now) if now.active > before.active => {}
            _ => return findings,
        }
        tokio::task::yield_now().await;
    }
    findings.problems.push(Problem::required(
        format!(
            "after `close`, {} sessions are open, as before",
            before.active
        ),
        "one more is open".to_owned(),
        "close the session and give its place back when its client leaves",
    ));
    findings
}

impl Findings {
    async fn leave(&mut self, episode: Episode) {
        if let Err(seen) = episode.leave().await {
            self.problems.push(Problem::required(
                "`close` has no reply: the server closes the socket",
                seen,
                "end the session and close the socket when the client says `close`",
            ));
        }
    }
}
