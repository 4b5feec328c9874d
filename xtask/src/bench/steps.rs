//! Steps per second and their latency, at few and at many sessions.

use std::{net::SocketAddr, sync::LazyLock};

use anyhow::Result;

use super::{
    Effort,
    client::{RESET, Request, Session},
    closed_loop::{self, Caller, Run},
    report::{Figure, Report, Target},
    subject::Subjects,
};

static STEP: LazyLock<Request> = LazyLock::new(|| {
    Request::new(r#"{"type":"step","data":{"message":"a message of usual length"}}"#)
});
const SESSIONS: [usize; 3] = [1, 32, 256];

impl Caller for Session {
    async fn call(&mut self) -> Result<()> {
        self.ask(&STEP).await
    }
}

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let runtime = closed_loop::runtime()?;
    for count in SESSIONS {
        let servers = subjects.try_map(|subject| subject.start("echo", 512))?;
        let mut runs = servers.try_map(|server| {
            let sessions = runtime.block_on(open(server.address(), count))?;
            Ok(Run::new(server, sessions))
        })?;
        closed_loop::alternate(&mut runs, effort, &runtime)?;

        let noun = if count == 1 { "session" } else { "sessions" };
        let rate = runs.map(Run::calls_per_second);
        let mut figure = Figure::new(&format!("steps, {count} {noun}"), "steps/s", rate);
        if count == 32 {
            figure = figure.target(Target::RatioAtLeast(20.0));
        }
        report.add(figure);
        let name = format!("latency p50, {count} {noun}");
        report.add(Figure::new(&name, "ms", runs.map(|run| run.quantile(0.5))));
        let name = format!("latency p99, {count} {noun}");
        let mut figure = Figure::new(&name, "ms", runs.map(|run| run.quantile(0.99)));
        if count == 256 {
            figure = figure.target(Target::RatioAtMost(1.0 / 10.0));
        }
        report.add(figure);
        let name = format!("server processor time, {count} {noun}");
        report.add(Figure::new(&name, "us/step", runs.map(Run::server_time)));
        for note in closed_loop::trust(&runs, &format!("{count} {noun}"), "step") {
            report.note(note);
        }
    }
    Ok(())
}

async fn open(server: SocketAddr, count: usize) -> Result<Vec<Session>> {
    let mut sessions = Vec::new();
    for number in 0..count {
        let mut session = Session::connect(server, number).await?;
        session.ask(&RESET).await?;
        sessions.push(session);
    }
    Ok(sessions)
}
