//! What an image consists of.

use std::collections::BTreeMap;
use std::time::Duration;

mod archive;
mod dockerfile;
mod layer;
mod oci;

pub(crate) use self::dockerfile::list;
pub(crate) use self::oci::timestamp;
pub use archive::{Archive, Compression};
pub use layer::Layer;

/// The time that everything has which has no other: the first day that a zip file can
/// name. Tools that pack what they find in an image fail on anything older.
pub(crate) const NO_TIME: u64 = 315_619_200;

/// All that makes an image.
///
/// The same recipe gives the same bytes, and so the same id, on every machine.
#[derive(Debug, Clone, Default)]
pub struct Image {
    /// Its files, the lowest layer first
    pub layers: Vec<Layer>,
    /// How it runs
    pub settings: Settings,
    /// When it was made, in seconds since 1970; a fixed day by default, so that the time
    /// makes no difference
    pub created: Option<u64>,
}

/// How an image runs.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// The program and its first arguments
    pub entrypoint: Vec<String>,
    /// The arguments that can be replaced, or the program if there is no entrypoint
    pub command: Vec<String>,
    /// Environment variables
    pub environment: BTreeMap<String, String>,
    /// Who it runs as: a name, or `user:group` in numbers
    pub user: Option<String>,
    /// Where it starts
    pub directory: Option<String>,
    /// The port that it listens on
    pub port: Option<u16>,
    /// How to learn whether it works
    pub health_check: Option<HealthCheck>,
    /// What it says about itself
    pub labels: BTreeMap<String, String>,
    /// The signal that stops it; `SIGTERM` by default
    pub stop_signal: Option<String>,
}

/// A command that succeeds while all is well, and when it is run.
#[derive(Debug, Clone)]
pub struct HealthCheck {
    /// The program and its arguments; no shell is between
    pub command: Vec<String>,
    /// Time between two checks; 30 seconds by default
    pub interval: Duration,
    /// How long one may take; 5 seconds by default
    pub timeout: Duration,
    /// How long failures do not count after the start; 30 seconds by default
    pub start_period: Duration,
    /// Time between two checks until the first success; a second by default.
    ///
    /// Docker knows it from version 25 on. Older ones refuse it in a Dockerfile, so it is
    /// in images that are made here only.
    pub start_interval: Duration,
    /// How many failures in a row are one too many; 3 by default
    pub retries: u32,
}

impl HealthCheck {
    /// A check with this command and the default times.
    pub fn new(command: Vec<String>) -> Self {
        Self {
            command,
            interval: Duration::from_secs(30),
            timeout: Duration::from_secs(5),
            start_period: Duration::from_secs(30),
            start_interval: Duration::from_secs(1),
            retries: 3,
        }
    }
}
