//! Ends a process group when this process has died without doing so.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// What the guard does: it is told a group and how many seconds to leave it, then
/// waits for the end of its input, which comes when this process dies, however.
///
/// It looks each second whether the group is gone, so as not to end another one
/// that has got the same id since.
const SCRIPT: &str = r#"
trap '' HUP INT QUIT TERM
read -r group seconds || exit 0
read -r nothing
kill -s TERM -- "-$group" || exit 0
while [ "$seconds" -gt 0 ]; do
    sleep 1
    kill -s 0 -- "-$group" || exit 0
    seconds=$((seconds - 1))
done
kill -s KILL -- "-$group"
"#;

/// A shell that outlives this process if need be; dropped, it ends without a deed.
///
/// `prctl(PR_SET_PDEATHSIG)` would need `unsafe`, is bound to the thread that
/// started the process, and exists on Linux alone.
#[derive(Debug)]
pub(super) struct Guard {
    shell: Child,
}

impl Guard {
    /// Starts a guard that has nothing to guard yet; `None` where there is no shell.
    pub(super) fn start() -> Option<Self> {
        Command::new("sh")
            .args(["-c", SCRIPT, "openenv-guard"])
            // This end of the pipe is closed in every other process that is started, so
            // nothing but this process keeps it open.
            .stdin(Stdio::piped())
            // Whoever waits for the end of this process's output must not wait for the guard.
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .current_dir("/")
            // An interrupt at the terminal must not end it together with this process.
            .process_group(0)
            .spawn()
            .map(|shell| Self { shell })
            .inspect_err(unguarded)
            .ok()
    }

    /// Tells the guard what to guard.
    pub(super) fn watch(mut self, group: u32, grace: Duration) -> Option<Self> {
        // A day is for ever, and a number that every shell can count.
        let seconds = grace.as_millis().div_ceil(1000).clamp(1, 86_400);
        let input = self.shell.stdin.as_mut()?;
        writeln!(input, "{group} {seconds}")
            .inspect_err(unguarded)
            .ok()?;
        Some(self)
    }
}

fn unguarded(error: &std::io::Error) {
    tracing::warn!(%error, "no guard for the server: it stays if this process is killed");
}

impl Drop for Guard {
    fn drop(&mut self) {
        // Killed first: waiting closes its input, which is its sign to act.
        let _ = self.shell.kill();
        let _ = self.shell.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::process::ExitStatusExt;

    use super::*;

    /// A process in a group of its own, and a guard that watches it.
    fn guarded(script: &str) -> (Child, Guard) {
        let process = Command::new("sh")
            .args(["-c", script])
            .process_group(0)
            .spawn()
            .unwrap();
        let guard = Guard::start().unwrap();
        let guard = guard.watch(process.id(), Duration::from_millis(1)).unwrap();
        (process, guard)
    }

    #[test]
    fn what_does_not_end_when_asked_to_is_killed() {
        let (mut process, mut guard) = guarded("trap '' TERM; sleep 300");
        // What happens to it when this process dies.
        drop(guard.shell.stdin.take());
        assert_eq!(process.wait().unwrap().signal(), Some(9));
        guard.shell.wait().unwrap();
    }

    #[test]
    fn a_guard_that_is_not_needed_does_nothing() {
        let (mut process, guard) = guarded("exec sleep 300");
        drop(guard);
        assert!(process.try_wait().unwrap().is_none());
        process.kill().unwrap();
        process.wait().unwrap();
    }
}
