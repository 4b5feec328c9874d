//! Integration tests: a real server on a real socket.
#![expect(clippy::unwrap_used, reason = "a test can only fail")]

mod bad_input;
mod client;
mod differences;
#[cfg(all(feature = "docker", target_os = "linux"))]
mod docker;
mod examples;
mod faults;
mod golden;
mod isolation;
#[cfg(feature = "mcp")]
mod mcp;
mod mounting;
mod probe;
#[cfg(all(feature = "client", target_os = "linux"))]
mod provider;
#[cfg(all(feature = "python", unix))]
mod python;
mod replay;
mod sessions;
mod support;
mod tools;
mod twins;
mod web;
