//! A server for containers that hold nothing else, which misbehaves when told to.
//!
//! `cargo xtask test docker` links it statically and makes the image of the tests from it.

use std::time::Duration;
use std::{env, fs, thread};

use openenv::{Environment, ResetOptions, Result, Server, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

/// What to look at in the container.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Look {
    /// The value of a variable
    Variable(String),
    /// The content of a file
    Read(String),
    /// Whether a file can be written
    Write(String),
    /// The end of the server, with this exit code
    Exit(i32),
}

#[derive(Serialize, Deserialize, JsonSchema)]
struct Seen {
    text: String,
}

struct Window;

impl Environment for Window {
    type Action = Look;
    type Observation = Seen;
    type ResetObservation = Seen;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<Seen>> {
        let text = "look around".to_owned();
        Ok(Step::new(Seen { text }))
    }

    async fn step(&mut self, look: Look, _: StepOptions) -> Result<Step<Seen>> {
        let text = match look {
            Look::Variable(name) => env::var(name).unwrap_or_default(),
            Look::Read(path) => fs::read_to_string(path)?,
            Look::Write(path) => {
                fs::write(path, "written")?;
                "written".to_owned()
            }
            Look::Exit(code) => std::process::exit(code),
        };
        Ok(Step::new(Seen { text }).reward(1.0))
    }

    fn state(&self) {}
}

#[tokio::main]
#[expect(clippy::print_stdout, clippy::print_stderr, reason = "this is its log")]
async fn main() -> Result<()> {
    let told = |name: &str| env::var(name).ok();
    println!("the server starts");
    if let Some(code) = told("EXIT") {
        eprintln!("the server is told to end");
        std::process::exit(code.parse().unwrap_or(1));
    }
    if let Some(megabytes) = told("ALLOCATE") {
        let size = megabytes
            .parse::<usize>()
            .map_err(openenv::Error::from_source)?
            << 20;
        // Every page is written to, or none would be needed.
        println!(
            "{}",
            vec![1_u8; size]
                .iter()
                .map(|byte| usize::from(*byte))
                .sum::<usize>()
        );
    }
    if told("DEAF").is_some() {
        // From now on the signal does nothing.
        let terminate = tokio::signal::unix::SignalKind::terminate();
        std::mem::forget(tokio::signal::unix::signal(terminate)?);
    }
    if told("CHATTY").is_some() {
        thread::spawn(|| {
            loop {
                println!("{}", "chat ".repeat(100));
            }
        });
    }
    if told("NEVER").is_some() {
        loop {
            thread::sleep(Duration::from_mins(1));
        }
    }
    let port = told("PORT")
        .and_then(|port| port.parse().ok())
        .unwrap_or(8000);
    let server = Server::builder().environment("window", || Window).build()?;
    let listener = TcpListener::bind(("0.0.0.0", port)).await?;
    println!("listening on {}", listener.local_addr()?);
    let shutdown = async move {
        if env::var("DEAF").is_ok() {
            std::future::pending::<()>().await;
        }
        openenv::shutdown_signal().await;
    };
    server.serve(listener, shutdown).await
}
