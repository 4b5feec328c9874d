//! Drives the real `openenv` binary.
#![expect(clippy::unwrap_used, reason = "a test can only fail")]

mod commands;
mod faults;
mod serving;
