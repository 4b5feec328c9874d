//! `openenv play`: an environment, driven from the terminal.

use anyhow::Result;

use crate::config::PlayConfig;

pub(crate) fn run(_config: &PlayConfig) -> Result<()> {
    Ok(())
}
