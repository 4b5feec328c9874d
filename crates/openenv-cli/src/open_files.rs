//! The limit of open files: every session needs one.

pub(crate) use openenv_serve::open_files::raise_limit;

/// Files that so many connections need, roughly: those that threads, logs and
/// libraries open come on top.
pub(crate) fn needed(connections: usize, threads: usize) -> u64 {
    const PER_THREAD: usize = 4;
    const OTHERS: usize = 16;
    (connections + threads * PER_THREAD + OTHERS) as u64
}
