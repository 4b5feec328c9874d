//! A group of one, where there are no process groups.

use std::io;
use std::process::{Child, Command};

pub(super) fn lead_group(_: &mut Command) {}

/// Whether the process has ended.
pub(super) fn has_ended(leader: &mut Child) -> bool {
    !matches!(leader.try_wait(), Ok(None))
}

/// Nothing is known of what the process had started.
pub(super) fn has_members(_: &Child) -> bool {
    false
}

/// There is no way to ask.
pub(super) fn terminate(leader: &mut Child) -> io::Result<()> {
    kill(leader)
}

/// Ends the process.
pub(super) fn kill(leader: &mut Child) -> io::Result<()> {
    leader.kill()
}
