//! Checks an environment: its package, its manifest, and how its server behaves.
//!
//! - [`check_running`] takes a server that runs: the reference's six criteria, and then some short
//!   episodes over its WebSocket.
//! - [`check_package`] takes the directory of a package: what it declares and, with a [`Launcher`] that
//!   gets it running, how it behaves.
//!
//! Reports have the form of the reference's, so that its consumers can read them. The checks that only
//! this crate has are called `live.…`. No check passes without having looked: what was not looked at is
//! listed as such, with the reason.

mod conformity;
mod difference;
mod episode;
mod finding;
mod launch;
mod live;
mod manifest;
mod package;
mod plan;
mod policy;
mod report;
mod running;
mod script;
mod server;
mod tools;

pub use self::launch::{LaunchError, Launcher, Limits, Package, Place, Running};
pub use self::manifest::Execution;
pub use self::package::{PackageError, PackageOptions, PackageRun, check_package};
pub use self::policy::{Level, Policy};
pub use self::report::{CheckResult, PackageReport, Status, Verdict};
pub use self::running::{Criterion, Finding, NotRun, RunningReport, Summary, check_running};
pub use self::server::{Server, Unusable};
