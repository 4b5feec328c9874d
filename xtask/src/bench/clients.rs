//! What the clients cost: the load tool next to a bare loop, a pool next to as many single clients.

use std::{
    net::SocketAddr,
    process::Stdio,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use openenv::{Endpoint, EnvClient, EnvTypes, ResetOptions};
use serde::{Serialize, de::IgnoredAny};
use serde_json::Value;
use tokio::{runtime, task::JoinSet};

use super::{
    Effort,
    bare::{EchoServer, on_processor},
    process,
    report::{Figure, Report, Target},
    subject::{Pair, Subject},
};
use crate::server::Server;

/// The client has this one for itself, the server the other.
const CLIENT_PROCESSOR: usize = 0;
const SERVER_PROCESSOR: usize = 1;
const LOAD_SESSIONS: [usize; 2] = [1, 32];
const POOL_SESSIONS: usize = 256;

pub(super) fn measure(ours: &Subject, effort: Effort, report: &mut Report) -> Result<()> {
    let (rounds, duration) = match effort {
        Effort::Quick => (2, Duration::from_secs(1)),
        Effort::Full => (5, Duration::from_secs(3)),
    };
    pool(ours, rounds, duration, report)?;
    load_tool(ours, rounds, duration, report)
}

/// `openenv bench` drives the echo server, the bare loop an echo: one processor for each end.
fn load_tool(ours: &Subject, rounds: usize, duration: Duration, report: &mut Report) -> Result<()> {
    let echo = EchoServer::start(SERVER_PROCESSOR)?;
    let server = ours.start_on(SERVER_PROCESSOR, "echo", 512)?;
    for sessions in LOAD_SESSIONS {
        let (mut tool, mut bare) = (Vec::new(), Vec::new());
        for _ in 0..rounds {
            bare.push(echo.drive(CLIENT_PROCESSOR, sessions, duration)?);
            tool.push(bench_command(ours, &server, sessions, duration)?);
        }
        let noun = if sessions == 1 { "session" } else { "sessions" };
        report.note(format!(
            "load tool, {sessions} {noun}: rounds {}, bare loop {}",
            rates(&tool),
            rates(&bare)
        ));
        let values = Pair {
            ours: Some(median(tool)),
            reference: Some(median(bare)),
        };
        let name = format!("load tool / bare loop, {sessions} {noun}");
        report.add(Figure::new(&name, "steps/s", values).target(Target::RatioAtLeast(0.8)));
    }
    Ok(())
}

/// Steps per second, as the command itself reports them.
fn bench_command(
    ours: &Subject,
    server: &Server,
    sessions: usize,
    duration: Duration,
) -> Result<f64> {
    let output = on_processor(CLIENT_PROCESSOR, ours.program())
        .args(["bench", &server.url(), "--json", "--sessions"])
        .arg(sessions.to_string())
        .args(["--duration", &duration.as_secs_f64().to_string()])
        .args(["--action", r#"{"message":"a message of usual length"}"#])
        .stderr(Stdio::inherit())
        .output()?;
    ensure!(output.status.success(), "`openenv bench` failed");
    let report: Value = serde_json::from_slice(&output.stdout)?;
    report["steps_per_s"]
        .as_f64()
        .context("the report of `openenv bench` has no `steps_per_s`")
}

#[derive(Serialize)]
struct Message {
    message: &'static str,
}

/// Replies are checked, not kept.
struct Echo;

impl EnvTypes for Echo {
    type Action = Message;
    type Observation = IgnoredAny;
    type ResetObservation = IgnoredAny;
    type State = IgnoredAny;
}

const ACTION: Message = Message {
    message: "a message of usual length",
};

/// The processor time of this process for a step, driven either way.
fn pool(ours: &Subject, rounds: usize, duration: Duration, report: &mut Report) -> Result<()> {
    let server = ours.start("echo", 2 * POOL_SESSIONS)?;
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let (mut together, mut apart) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        apart.push(runtime.block_on(drive_apart(server.address(), duration))?);
        together.push(runtime.block_on(drive_together(server.address(), duration))?);
    }
    let values = Pair {
        ours: Some(median(together)),
        reference: Some(median(apart)),
    };
    let name = format!("client time, {POOL_SESSIONS} in a pool / apart");
    report.add(Figure::new(&name, "us/step", values).target(Target::RatioAtMost(1.0)));
    Ok(())
}

async fn drive_together(server: SocketAddr, duration: Duration) -> Result<f64> {
    let endpoint = Endpoint::new(&server.to_string())?;
    let mut pool = endpoint.connect_pool::<Echo>(POOL_SESSIONS).await?;
    for outcome in pool.reset(|_| ResetOptions::default()).await {
        outcome?;
    }
    let actions: Vec<_> = (0..POOL_SESSIONS).map(|_| ACTION).collect();
    let clock = ProcessorClock::start()?;
    let begin = Instant::now();
    let mut steps: u64 = 0;
    while begin.elapsed() < duration {
        for outcome in pool.step(&actions).await? {
            outcome?;
            steps += 1;
        }
    }
    let per_step = clock.microseconds()? / steps as f64;
    pool.close().await?;
    Ok(per_step)
}

async fn drive_apart(server: SocketAddr, duration: Duration) -> Result<f64> {
    let endpoint = Endpoint::new(&server.to_string())?;
    let mut clients: Vec<EnvClient<Echo>> = Vec::new();
    for _ in 0..POOL_SESSIONS {
        let mut client = endpoint.connect().await?;
        client.reset(ResetOptions::default()).await?;
        clients.push(client);
    }
    let clock = ProcessorClock::start()?;
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for mut client in clients {
        tasks.spawn(async move {
            let mut steps: u64 = 0;
            while begin.elapsed() < duration {
                client.step(&ACTION).await?;
                steps += 1;
            }
            Ok::<_, openenv::Error>((client, steps))
        });
    }
    let finished = tasks.join_all().await;
    let time = clock.microseconds()?;
    let mut steps = 0;
    for outcome in finished {
        let (client, taken) = outcome?;
        steps += taken;
        client.close().await?;
    }
    Ok(time / steps as f64)
}

/// Processor time of this process.
struct ProcessorClock(Duration);

impl ProcessorClock {
    fn start() -> Result<Self> {
        Ok(Self(process::processor_time(std::process::id())?))
    }

    fn microseconds(&self) -> Result<f64> {
        let spent = process::processor_time(std::process::id())?.saturating_sub(self.0);
        Ok(spent.as_secs_f64() * 1e6)
    }
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn rates(values: &[f64]) -> String {
    let values: Vec<_> = values.iter().map(|value| format!("{value:.0}")).collect();
    values.join(" ")
}
