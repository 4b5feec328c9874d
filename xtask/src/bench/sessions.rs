//! What an open session costs while it waits: memory and threads at 1,000 and 10,000 sessions.

use std::{net::SocketAddr, time::Duration};

use anyhow::Result;
use futures_util::{StreamExt as _, stream};
use tokio::{
    runtime::Runtime,
    task::JoinSet,
    time::{Instant, timeout, timeout_at},
};

use super::{
    Effort,
    client::{RESET, Session},
    process,
    report::{Figure, Report},
    subject::{Pair, Subject, Subjects},
};

const LEVELS: [usize; 2] = [1_000, 10_000];
const CONNECTING_AT_ONCE: usize = 64;
const OPEN_WITHIN: Duration = Duration::from_mins(1);

/// The state of a server at one level.
#[derive(Clone, Debug)]
struct Level {
    kib_per_session: f64,
    threads: f64,
    sessions_per_second: f64,
}

pub(super) fn measure(
    subjects: &Subjects,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    let budget = match effort {
        Effort::Quick => Duration::from_secs(45),
        Effort::Full => Duration::from_mins(5),
    };
    let mut notes = Vec::new();
    let levels = subjects.try_map(|subject| climb(subject, budget, runtime, &mut notes))?;
    for (index, count) in LEVELS.iter().enumerate() {
        let level = Pair {
            ours: levels.ours.as_ref().and_then(|side| side.get(index)),
            reference: levels.reference.as_ref().and_then(|side| side.get(index)),
        };
        let name = format!("memory per session, {count} open");
        let memory = level.map(|level| level.kib_per_session);
        report.add(Figure::new(&name, "KiB", memory));
        let name = format!("threads, {count} open");
        report.add(Figure::new(&name, "", level.map(|level| level.threads)));
        let name = format!("opening, up to {count}");
        let rate = level.map(|level| level.sessions_per_second);
        report.add(Figure::new(&name, "sessions/s", rate));
    }
    for note in notes {
        report.note(note);
    }
    Ok(())
}

/// Opens more and more sessions on one server; ends early, with a note, where the server does.
fn climb(
    subject: &Subject,
    budget: Duration,
    runtime: &Runtime,
    notes: &mut Vec<String>,
) -> Result<Vec<Level>> {
    let server = subject.start("echo", 20_000)?;
    let process_id = server.process_id();
    let before = process::resident_kib(process_id)?;
    let begin = Instant::now();
    let mut held = JoinSet::new();
    let mut reached = Vec::new();
    for count in LEVELS {
        let deadline = begin + budget;
        let level_begin = Instant::now();
        let present = held.len();
        let stopped = runtime.block_on(fill(&mut held, server.address(), count, deadline));
        let lost = runtime.block_on(async { reap(&mut held) });
        let resident = process::resident_kib(process_id)?;
        let threads = process::threads(process_id)?;
        if stopped.is_some() || lost > 0 {
            notes.push(format!(
                "{}: {} of {count} sessions open after {:.0} s ({lost} lost, {} MiB, {threads} threads): {}",
                subject.label(),
                held.len(),
                begin.elapsed().as_secs_f64(),
                resident / 1024,
                stopped.unwrap_or_else(|| "the server closed some".into()),
            ));
            break;
        }
        reached.push(Level {
            kib_per_session: resident.saturating_sub(before) as f64 / held.len() as f64,
            threads: threads as f64,
            sessions_per_second: (held.len() - present) as f64
                / level_begin.elapsed().as_secs_f64(),
        });
    }
    // The server goes first: ten thousand orderly goodbyes are not measured.
    drop(server);
    Ok(reached)
}

/// Opens sessions until `count` are held. Returns what stopped it, if anything did.
async fn fill(
    held: &mut JoinSet<()>,
    server: SocketAddr,
    count: usize,
    deadline: Instant,
) -> Option<String> {
    let numbers = held.len()..count;
    let mut opening = stream::iter(numbers)
        .map(|number| open(server, number))
        .buffer_unordered(CONNECTING_AT_ONCE);
    loop {
        match timeout_at(deadline, opening.next()).await {
            Ok(None) => return None,
            Ok(Some(Ok(mut session))) => {
                held.spawn(async move { session.hold().await });
            }
            Ok(Some(Err(error))) => return Some(format!("{error:#}")),
            Err(_) => return Some("out of time".into()),
        }
    }
}

async fn open(server: SocketAddr, number: usize) -> Result<Session> {
    timeout(OPEN_WITHIN, async {
        let mut session = Session::connect(server, number).await?;
        session.ask(&RESET).await?;
        Ok(session)
    })
    .await?
}

/// Removes the sessions that ended, and tells how many they were.
fn reap(held: &mut JoinSet<()>) -> usize {
    let mut lost = 0;
    while held.try_join_next().is_some() {
        lost += 1;
    }
    lost
}
