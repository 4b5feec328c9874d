//! A process and all that it starts, stopped as one.

use std::io;
use std::process::{Child, Command, ExitStatus};
use std::thread;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::{Error, Result};

#[cfg(unix)]
mod guard;
#[cfg(not(unix))]
#[path = "group/other.rs"]
mod system;
#[cfg(unix)]
#[path = "group/unix.rs"]
mod system;

/// How often to look whether a process has ended: often enough to seem at once.
const LOOK: Duration = Duration::from_millis(10);

/// How often to look at last for one that takes its time.
const LOOK_SLOWLY: Duration = Duration::from_millis(100);

/// How long a killed process may take to disappear: only the kernel can delay it.
const KILLED_WITHIN: Duration = Duration::from_secs(1);

/// A process, the leader of its group, and all that it starts.
///
/// Dropped, it is killed: at once, without a runtime. If this process dies too
/// suddenly even for that, the guard does it.
///
/// The leader is a child of `std` rather than of tokio because its end must be
/// noticed without collecting it: until it is collected, the id of the group
/// belongs to this group for certain and can be sent signals.
#[derive(Debug)]
pub(super) struct Group {
    leader: Child,
    /// Whether nothing is left of it.
    over: bool,
    #[cfg(unix)]
    _guard: Option<guard::Guard>,
}

impl Group {
    /// Starts a command as the leader of a new group.
    ///
    /// `grace` is what the guard leaves it between being asked and being killed.
    #[cfg_attr(
        not(unix),
        expect(unused_variables, reason = "there is no guard to tell")
    )]
    pub(super) fn spawn(mut command: Command, grace: Duration) -> io::Result<Self> {
        system::lead_group(&mut command);
        // The guard first: what it takes to start it would be time without it.
        #[cfg(unix)]
        let guard = guard::Guard::start();
        let leader = command.spawn()?;
        #[cfg(unix)]
        let guard = guard.and_then(|guard| guard.watch(leader.id(), grace));
        Ok(Self {
            leader,
            over: false,
            #[cfg(unix)]
            _guard: guard,
        })
    }

    /// Whether the leader has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        system::has_ended(&mut self.leader)
    }

    /// Waits until the leader ends by itself.
    pub(super) async fn ended(&mut self) {
        while !self.has_ended() {
            sleep(LOOK).await;
        }
    }

    /// Kills what is left of a group whose leader has ended; how that ended, if known.
    pub(super) fn bury(mut self) -> Option<ExitStatus> {
        self.kill();
        self.leader.try_wait().ok().flatten()
    }

    /// Asks the group to end, kills it if it has not after `limit`.
    pub(super) async fn stop(mut self, limit: Duration) -> Result<()> {
        let id = self.leader.id();
        let failed = |why: &dyn std::fmt::Display| {
            Error::new(format!("could not stop process {id} and its group: {why}"))
        };
        system::terminate(&mut self.leader).map_err(|why| failed(&why))?;
        if !self.is_gone_within(limit).await {
            tracing::debug!(id, ?limit, "not gone when asked to, killed");
            // Some of it was seen just now, so that the id is still its own.
            system::kill(&mut self.leader).map_err(|why| failed(&why))?;
            // What the leader had started is not ours to collect.
            if !self.is_gone_within(KILLED_WITHIN).await && !self.is_collected() {
                return Err(failed(&"it was killed and is still there"));
            }
        }
        self.over = true;
        Ok(())
    }

    async fn is_gone_within(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        let mut pause = LOOK;
        loop {
            if self.is_collected() && !system::has_members(&self.leader) {
                return true;
            }
            if start.elapsed() >= limit {
                return false;
            }
            sleep(pause).await;
            pause = (pause * 2).min(LOOK_SLOWLY);
        }
    }

    /// Collects the leader, if it has ended.
    fn is_collected(&mut self) -> bool {
        // An error means that somebody else collected it.
        !matches!(self.leader.try_wait(), Ok(None))
    }

    /// Kills all of it, without a runtime.
    fn kill(&mut self) {
        self.over = true;
        // While the leader is not collected, no other group can have its id.
        if let Err(why) = system::kill(&mut self.leader) {
            tracing::warn!(id = self.leader.id(), %why, "could not kill a process group");
            return;
        }
        let steps = KILLED_WITHIN.as_millis();
        for _ in 0..steps {
            if self.is_collected() {
                return;
            }
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        if !self.over {
            self.kill();
        }
    }
}
