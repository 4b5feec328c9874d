//! A process that is somebody else's child.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;

use rustix::process::{Pid, Signal};

/// A worker as the kernel knows it.
///
/// The worker is not a child of this process, so its number may be given to
/// another process at any time: where there are descriptors of processes, signals go
/// through one, which never means anything else.
#[derive(Debug)]
pub(super) struct Process {
    number: Pid,
    #[cfg(target_os = "linux")]
    handle: OwnedFd,
}

impl Process {
    /// # Errors
    /// If it has ended already.
    pub(super) fn find(number: i32) -> std::io::Result<Self> {
        let number = Pid::from_raw(number).ok_or(std::io::ErrorKind::NotFound)?;
        Ok(Self {
            number,
            #[cfg(target_os = "linux")]
            handle: rustix::process::pidfd_open(number, rustix::process::PidfdFlags::empty())?,
        })
    }

    pub(super) fn number(&self) -> i32 {
        self.number.as_raw_nonzero().get()
    }

    /// Ends it at once; what it started ends with it.
    pub(super) fn kill(&self) {
        #[cfg(target_os = "linux")]
        let killed = rustix::process::pidfd_send_signal(&self.handle, Signal::KILL);
        #[cfg(not(target_os = "linux"))]
        let killed = rustix::process::kill_process(self.number, Signal::KILL);
        // An error means that it has ended.
        let _ = killed;
    }

    /// Bytes of memory that it has in use, if it can be told.
    pub(super) fn memory(&self) -> Option<u64> {
        let statm = std::fs::read_to_string(format!("/proc/{}/statm", self.number())).ok()?;
        let resident: u64 = statm.split_whitespace().nth(1)?.parse().ok()?;
        Some(resident * u64::try_from(rustix::param::page_size()).ok()?)
    }
}

/// How a process ended, in words, from what `wait` tells.
pub(super) fn how_it_ended(status: i32) -> String {
    let signal = status & 0x7f;
    if signal == 0 {
        return format!("ended by itself with code {}", (status >> 8) & 0xff);
    }
    let name = match signal {
        4 => " (illegal instruction)",
        6 => " (aborted)",
        7 => " (bus error)",
        8 => " (arithmetic error)",
        9 => " (killed; perhaps by the system, for want of memory)",
        11 => " (segmentation fault)",
        15 => " (terminated)",
        _ => "",
    };
    format!("was ended by signal {signal}{name}")
}
