//! The limit of open files: every session needs one.

/// Allows as many open files as the system lets this user have; tells how many.
pub fn raise_limit() -> Option<u64> {
    rlimit::increase_nofile_limit(u64::MAX)
        .inspect_err(|error| tracing::warn!(%error, "could not raise the limit of open files"))
        .ok()
}
