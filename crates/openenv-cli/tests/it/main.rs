//! Drives the real `openenv` binary.
#![expect(clippy::unwrap_used, reason = "a test can only fail")]

mod bench;
mod build;
mod commands;
mod countdown;
#[cfg(target_os = "linux")]
mod docker;
mod docker_build;
mod docker_journey;
mod faults;
mod init;
mod interrupt;
mod mcp;
mod place;
mod play;
#[cfg(target_os = "linux")]
mod python;
mod serving;
mod tls;
mod validate;
