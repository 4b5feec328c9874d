//! Points in time that limits lead to.

use std::time::Duration;

use tokio::time::Instant;

/// Instead of never: what lies too far ahead cannot be reckoned with.
pub(super) const LONG: Duration = Duration::from_hours(24 * 365);

/// The end of a limit that begins now.
pub(super) fn after(limit: Duration) -> Instant {
    Instant::now() + limit.min(LONG)
}
