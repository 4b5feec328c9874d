//! The environments that the answers were recorded from, written again.

mod asynchronous;
mod echo;
mod mcp;
mod plain;
mod tasks;

pub(crate) use asynchronous::AsyncEnv;
pub(crate) use echo::EchoEnv;
pub(crate) use mcp::{Act, CustomAction, McpEnv};
pub(crate) use plain::PlainEnv;
pub(crate) use tasks::TaskEnv;
