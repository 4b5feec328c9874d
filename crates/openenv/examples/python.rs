//! Serves an environment that is written in Python.
//!
//! `cargo run -p openenv --features python --example python -- ./my_env [PYTHON]`

use std::env::args;

use openenv::python::{Options, Project, Workers};
use openenv::{Result, Server, shutdown_signal};
use tokio::net::TcpListener;

#[tokio::main]
#[expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "an example talks to its user"
)]
async fn main() -> Result<()> {
    let mut arguments = args().skip(1);
    let path = arguments.next().unwrap_or_else(|| ".".to_owned());
    let project = Project::find(path)?;

    let mut options = Options::default();
    options.interpreter.explicit = arguments.next().map(Into::into);
    let workers = Workers::start(&project, options, &|line| eprintln!("{line}")).await?;

    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("http://{}", listener.local_addr()?);
    let server = Server::builder().python(workers).build()?;
    server.serve(listener, shutdown_signal()).await
}
