//! The replay against this implementation, in this process.

use std::path::PathBuf;

use openenv::ServerBuilder;
use openenv::{Mode, NoAction, Server};

use super::{Target, replay};
use crate::differences::{self, Language};
use crate::support::TestServer;
use crate::twins::{Act, AsyncEnv, CustomAction, EchoEnv, McpEnv, PlainEnv, TaskEnv};

fn echo() -> ServerBuilder {
    Server::builder()
        .environment("echo_env", EchoEnv::default)
        .mode(Mode::Simulation)
        .max_sessions(2)
}

async fn check(name: &str, builder: ServerBuilder, factory_flag: Option<PathBuf>) {
    let server = TestServer::start(builder).await;
    let target = Target {
        base: server.url(),
        factory_flag,
    };
    let mismatches = replay(name, &target, &differences::of(Language::Rust)).await;
    server.stop().await;
    assert!(
        mismatches.is_empty(),
        "{} rows do not agree:\n\n{}",
        mismatches.len(),
        mismatches.join("\n\n")
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echo_simulation() {
    check("echo-sim", echo(), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echo_production() {
    check("echo-prod", echo().mode(Mode::Production), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn echo_with_a_failing_factory() {
    let flag = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("factory-flag");
    let builder = Server::builder()
        .try_environment("echo_env", {
            let flag = flag.clone();
            move || EchoEnv::flagged(&flag)
        })
        .max_sessions(2);
    check("echo-sim-factoryflag", builder, Some(flag)).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn plain() {
    let builder = Server::builder().environment("PlainEnv", PlainEnv::default);
    check("plain-sim", builder, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn asynchronous() {
    let builder = Server::builder()
        .environment("AsyncEnv", AsyncEnv::default)
        .max_sessions(4);
    check("async-sim", builder, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tasks() {
    let builder = Server::builder()
        .environment("Task_Env", TaskEnv::default)
        .max_sessions(2);
    check("tasks-sim", builder, None).await;
}

fn tools<A: Act>(mode: Mode) -> ServerBuilder {
    Server::builder()
        .environment("mcp_env", McpEnv::<A>::default)
        .mode(mode)
        .max_sessions(2)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_in_simulation() {
    check("mcp-sim", tools::<NoAction>(Mode::Simulation), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_in_production() {
    check("mcp-prod", tools::<NoAction>(Mode::Production), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_know_of_simulation() {
    let builder = tools::<NoAction>(Mode::Simulation);
    check("mcp-sim-envmode-sim", builder, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_that_know_of_production() {
    let builder = tools::<NoAction>(Mode::Production);
    check("mcp-prod-envmode-prod", builder, None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_beside_an_empty_action() {
    check("mcp-sim-actionbase", tools::<()>(Mode::Simulation), None).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tools_beside_an_action() {
    let builder = tools::<CustomAction>(Mode::Simulation);
    check("mcp-sim-customaction", builder, None).await;
}
