//! A server in about twenty lines.
//!
//! `cargo run --example server`, then `curl localhost:8000/step -H
//! 'content-type: application/json' -d '{"action": {"text": "hello"}}'`.

use openenv::{Environment, ResetOptions, Result, Server, Step, StepOptions};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::net::TcpListener;

mod port;

#[derive(Serialize, Deserialize, JsonSchema)]
struct Message {
    /// What is said
    text: String,
}

#[derive(Default)]
struct Shout;

impl Environment for Shout {
    type Action = Message;
    type Observation = Message;
    type ResetObservation = Message;
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<Message>> {
        let text = "say something".to_owned();
        Ok(Step::new(Message { text }))
    }

    async fn step(&mut self, said: Message, _: StepOptions) -> Result<Step<Message>> {
        let text = said.text.to_uppercase();
        Ok(Step::new(Message { text }).reward(1.0))
    }

    fn state(&self) {}
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder()
        .environment("shout", Shout::default)
        .build()?;
    let listener = TcpListener::bind(("127.0.0.1", port::from_user())).await?;
    port::announce(&listener)?;
    server.serve(listener, openenv::shutdown_signal()).await
}
