//! Process groups, as Unix has them.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command};

use rustix::io::Errno;
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, kill_process_group, test_kill_process_group,
    waitid, waitpgid,
};

/// Makes the process the leader of a group of its own.
///
/// An interrupt from the terminal then goes to this process alone, which decides.
pub(super) fn lead_group(command: &mut Command) {
    command.process_group(0);
}

/// Whether the leader has ended; it is not collected.
pub(super) fn has_ended(leader: &mut Child) -> bool {
    let look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    match waitid(WaitId::Pid(Pid::from_child(leader)), look) {
        Ok(ended) => ended.is_some(),
        Err(Errno::INTR) => false,
        // Somebody else collected it.
        Err(_) => true,
    }
}

/// Whether anything of the group lives on after its leader was collected.
pub(super) fn has_members(leader: &Child) -> bool {
    let group = Pid::from_child(leader);
    // As the first process of a container, this one inherits what the leader had started.
    while let Ok(Some(_)) = waitpgid(group, WaitOptions::NOHANG) {}
    test_kill_process_group(group) != Err(Errno::SRCH) && !has_only_ended(group)
}

/// Whether all that is left has ended, and only its new parent has not collected it.
///
/// The first process of a container may be a `sleep infinity` that never will.
#[cfg(target_os = "linux")]
fn has_only_ended(group: Pid) -> bool {
    let group = group.to_string();
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return false;
    };
    !entries.flatten().any(|entry| {
        // Of no use: what is no process, or has just ended.
        let status = std::fs::read(entry.path().join("stat")).unwrap_or_default();
        let status = String::from_utf8_lossy(&status);
        // `17 (any name) S 1 12 …`: the state, the parent, the group.
        let Some((_, status)) = status.rsplit_once(") ") else {
            return false;
        };
        let mut fields = status.split(' ');
        let state = fields.next();
        fields.nth(1) == Some(&group) && !matches!(state, Some("Z" | "X"))
    })
}

#[cfg(not(target_os = "linux"))]
fn has_only_ended(_: Pid) -> bool {
    false
}

/// Asks all of the group to end.
pub(super) fn terminate(leader: &mut Child) -> io::Result<()> {
    signal(leader, Signal::TERM)
}

/// Ends all of the group.
pub(super) fn kill(leader: &mut Child) -> io::Result<()> {
    signal(leader, Signal::KILL)
}

fn signal(leader: &mut Child, signal: Signal) -> io::Result<()> {
    match kill_process_group(Pid::from_child(leader), signal) {
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        // What macOS says of a group that has ended and is not collected.
        Err(Errno::PERM) if has_ended(leader) => Ok(()),
        Err(error) => Err(error.into()),
    }
}
