//! The limit of open files: every session needs one.

/// Allows as many open files as the system lets this user have; tells how many.
pub(crate) fn raise_limit() -> Option<u64> {
    rlimit::increase_nofile_limit(u64::MAX)
        .inspect_err(|error| tracing::warn!(%error, "could not raise the limit of open files"))
        .ok()
}

/// Files that so many connections need, roughly: those that threads, logs and
/// libraries open come on top.
pub(crate) fn needed(connections: usize, threads: usize) -> u64 {
    const PER_THREAD: usize = 4;
    const OTHERS: usize = 16;
    (connections + threads * PER_THREAD + OTHERS) as u64
}
