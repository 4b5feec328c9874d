//! Bench
use std::process::ExitCode;
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {}
pub(crate) fn run(_a: &Arguments) -> anyhow::Result<ExitCode> { Ok(ExitCode::SUCCESS) }
