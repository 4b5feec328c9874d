//! Who started a container, and whether that process still runs.

use std::collections::HashMap;

/// The mark of every container that this library starts.
pub(super) const MANAGED: &str = "org.openenv.managed";

/// The name of the container itself.
pub(super) const NAMED: &str = "org.openenv.container";

const PROCESS: &str = "org.openenv.owner.pid";
const STARTED: &str = "org.openenv.owner.started";
const NAMESPACE: &str = "org.openenv.owner.pid-namespace";
const BOOT: &str = "org.openenv.owner.boot";
const MACHINE: &str = "org.openenv.owner.machine";

/// The process that started a container, as told by the labels of it.
///
/// An id alone would not do: another process has it by and by.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Owner {
    process: Option<u32>,
    /// In ticks of the clock since the machine was started.
    started: Option<String>,
    /// Ids of processes mean something in here only.
    namespace: Option<String>,
    boot: Option<String>,
    machine: Option<String>,
}

/// What is known about a process that started a container.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum OwnerState {
    /// It runs.
    Alive,
    /// It has ended, or the machine was started again since.
    Gone,
    /// It is, or was, on another machine or in a container of its own; or this system
    /// does not tell.
    Unknown,
}

impl Owner {
    /// This process.
    pub(super) fn this() -> Self {
        let process = std::process::id();
        Self {
            process: Some(process),
            started: match system::start_of(process) {
                system::Start::At(ticks) => Some(ticks),
                system::Start::Ended | system::Start::Unknown => None,
            },
            namespace: system::namespace(),
            boot: system::boot(),
            machine: system::machine(),
        }
    }

    pub(super) fn process(&self) -> Option<u32> {
        self.process
    }

    pub(super) fn labels(&self) -> HashMap<String, String> {
        let known = [
            (MANAGED, Some("true".to_owned())),
            (PROCESS, self.process.map(|id| id.to_string())),
            (STARTED, self.started.clone()),
            (NAMESPACE, self.namespace.clone()),
            (BOOT, self.boot.clone()),
            (MACHINE, self.machine.clone()),
        ];
        let known = known.into_iter();
        known
            .filter_map(|(name, value)| Some((name.to_owned(), value?)))
            .collect()
    }

    pub(super) fn from_labels(labels: &HashMap<String, String>) -> Self {
        let text = |name: &str| labels.get(name).cloned();
        Self {
            process: text(PROCESS).and_then(|id| id.parse().ok()),
            started: text(STARTED),
            namespace: text(NAMESPACE),
            boot: text(BOOT),
            machine: text(MACHINE),
        }
    }

    /// Whether it still runs, as seen from this process. In doubt it is not said to be gone.
    pub(super) fn state(&self) -> OwnerState {
        let here = Self::this();
        let same =
            |theirs: &Option<String>, ours: &Option<String>| theirs.is_some() && theirs == ours;
        if !same(&self.boot, &here.boot) {
            let restarted =
                self.boot.is_some() && here.boot.is_some() && same(&self.machine, &here.machine);
            return if restarted {
                OwnerState::Gone
            } else {
                OwnerState::Unknown
            };
        }
        let (Some(process), Some(started)) = (self.process, &self.started) else {
            return OwnerState::Unknown;
        };
        if !same(&self.namespace, &here.namespace) {
            return OwnerState::Unknown;
        }
        match system::start_of(process) {
            system::Start::At(ticks) if ticks == *started => OwnerState::Alive,
            system::Start::At(_) | system::Start::Ended => OwnerState::Gone,
            system::Start::Unknown => OwnerState::Unknown,
        }
    }
}

/// What the system tells about processes: nothing, except on Linux.
mod system {
    use std::{fs, io};

    use rustix::io::Errno;
    use rustix::process::{Pid, test_kill_process};

    pub(super) enum Start {
        At(String),
        Ended,
        Unknown,
    }

    pub(super) fn start_of(process: u32) -> Start {
        if !cfg!(target_os = "linux") {
            return Start::Unknown;
        }
        let status = match fs::read_to_string(format!("/proc/{process}/stat")) {
            Ok(status) => status,
            // It may also be hidden from this user, and then a signal could be sent, or not allowed.
            Err(error) if error.kind() == io::ErrorKind::NotFound && is_gone(process) => {
                return Start::Ended;
            }
            Err(_) => return Start::Unknown,
        };
        // The name may have anything in it; after it comes the state, and 19 fields later the start.
        let mut fields = status.rsplit_once(") ").unwrap_or_default().1.split(' ');
        match (fields.next(), fields.nth(18)) {
            (Some("Z" | "X"), _) => Start::Ended,
            (Some(_), Some(ticks)) => Start::At(ticks.to_owned()),
            _ => Start::Unknown,
        }
    }

    fn is_gone(process: u32) -> bool {
        let process = i32::try_from(process).ok().and_then(Pid::from_raw);
        process.is_none_or(|process| test_kill_process(process) == Err(Errno::SRCH))
    }

    pub(super) fn namespace() -> Option<String> {
        let link = fs::read_link("/proc/self/ns/pid").ok()?;
        Some(link.to_str()?.to_owned())
    }

    pub(super) fn boot() -> Option<String> {
        line("/proc/sys/kernel/random/boot_id")
    }

    pub(super) fn machine() -> Option<String> {
        line("/etc/machine-id")
    }

    fn line(path: &str) -> Option<String> {
        let text = fs::read_to_string(path).ok()?;
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    #[test]
    fn labels_tell_the_owner() {
        let owner = Owner::this();
        let labels = owner.labels();
        assert_eq!(labels[MANAGED], "true");
        assert_eq!(Owner::from_labels(&labels), owner);
        assert_eq!(owner.state(), OwnerState::Alive);
    }

    #[test]
    fn a_process_with_the_same_id_is_another_one() {
        let owner = Owner {
            started: Some("1".to_owned()),
            ..Owner::this()
        };
        assert_eq!(owner.state(), OwnerState::Gone);
    }

    #[test]
    fn an_owner_that_ended_is_gone_even_if_not_collected() {
        let mut child = Command::new("cat").stdin(Stdio::piped()).spawn().unwrap();
        let system::Start::At(started) = system::start_of(child.id()) else {
            panic!("it runs")
        };
        let owner = Owner {
            process: Some(child.id()),
            started: Some(started),
            ..Owner::this()
        };
        assert_eq!(owner.state(), OwnerState::Alive);
        drop(child.stdin.take());
        while owner.state() == OwnerState::Alive {
            std::thread::yield_now();
        }
        assert_eq!(owner.state(), OwnerState::Gone);
        child.wait().unwrap();
        assert_eq!(owner.state(), OwnerState::Gone);
    }

    #[test]
    fn what_cannot_be_seen_from_here_is_not_said_to_be_gone() {
        let other = Some("other".to_owned());
        let elsewhere = Owner {
            namespace: other.clone(),
            ..Owner::this()
        };
        assert_eq!(elsewhere.state(), OwnerState::Unknown);
        let another_machine = Owner {
            boot: other.clone(),
            machine: other,
            ..Owner::this()
        };
        assert_eq!(another_machine.state(), OwnerState::Unknown);
        assert_eq!(Owner::default().state(), OwnerState::Unknown);
        if let Some(machine) = Owner::this().machine {
            let restarted = Owner {
                boot: Some("before".to_owned()),
                machine: Some(machine),
                ..Owner::this()
            };
            assert_eq!(restarted.state(), OwnerState::Gone);
        }
    }
}
