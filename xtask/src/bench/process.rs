//! What the kernel knows about a server process.

use std::{fs, time::Duration};

use anyhow::{Context as _, Result};

/// Linux reports processor time in this unit to programs, whatever the kernel counts in.
const TICK: Duration = Duration::from_millis(10);

/// Resident memory in KiB.
pub(super) fn resident_kib(process_id: u32) -> Result<u64> {
    status_field(process_id, "VmRSS:")
}

/// Memory in KiB of a process and all that it started; what they share counts once.
pub(super) fn proportional_kib(process_id: u32) -> Result<u64> {
    let path = format!("/proc/{process_id}/smaps_rollup");
    let content = fs::read_to_string(&path).with_context(|| format!("could not read `{path}`"))?;
    let own =
        parse_status_field(&content, "Pss:").with_context(|| format!("`{path}` has no `Pss:`"))?;
    let mut all = own;
    for thread in fs::read_dir(format!("/proc/{process_id}/task"))? {
        let children = fs::read_to_string(thread?.path().join("children"))?;
        for child in children.split_whitespace() {
            all += proportional_kib(child.parse()?)?;
        }
    }
    Ok(all)
}

/// Operating system threads.
pub(super) fn threads(process_id: u32) -> Result<u64> {
    status_field(process_id, "Threads:")
}

/// Processor time spent so far, by all threads, in user space and in the kernel.
pub(super) fn processor_time(process_id: u32) -> Result<Duration> {
    let path = format!("/proc/{process_id}/stat");
    let content = fs::read_to_string(&path).with_context(|| format!("could not read `{path}`"))?;
    parse_processor_time(&content).with_context(|| format!("`{path}` has an unknown form"))
}

fn parse_processor_time(stat: &str) -> Option<Duration> {
    // The program's name may hold spaces and parentheses; the fields after it are numbered from 3 in proc(5).
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(14 - 3);
    let user: u32 = fields.next()?.parse().ok()?;
    let system: u32 = fields.next()?.parse().ok()?;
    Some(TICK * (user + system))
}

fn status_field(process_id: u32, name: &str) -> Result<u64> {
    let path = format!("/proc/{process_id}/status");
    let content = fs::read_to_string(&path).with_context(|| format!("could not read `{path}`"))?;
    parse_status_field(&content, name).with_context(|| format!("`{path}` has no `{name}`"))
}

fn parse_status_field(status: &str, name: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_skips_a_name_with_parentheses() {
        let stat = "7 (a) b) S 1 7 7 0 -1 4194560 1 2 3 4 150 50 0 0 20 0 1 0 9";
        assert_eq!(parse_processor_time(stat), Some(Duration::from_secs(2)));
    }

    #[test]
    fn status_fields_are_found_by_name() {
        let status = "Name:\tx\nVmRSS:\t    1234 kB\nThreads:\t5\n";
        assert_eq!(parse_status_field(status, "VmRSS:"), Some(1234));
        assert_eq!(parse_status_field(status, "Threads:"), Some(5));
        assert_eq!(parse_status_field(status, "VmHWM:"), None);
    }
}
