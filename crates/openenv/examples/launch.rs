//! Runs any server until Ctrl-C, and never leaves it behind.
//!
//! `cargo run --example launch -- openenv serve echo --port '{port}'`

use openenv::provider::{Process, Provider};
use openenv::{Error, Result};

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example talks to its user")]
async fn main() -> Result<()> {
    let mut words = std::env::args().skip(1);
    let program = words.next().ok_or("which command starts the server?")?;
    let mut server = Process::new(program).args(words).show_output(true);
    let endpoint = server.start().await?;
    println!("healthy at {endpoint}");
    tokio::signal::ctrl_c().await.map_err(Error::from)?;
    server.stop().await
}
