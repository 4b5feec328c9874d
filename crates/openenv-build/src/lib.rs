//! From the source of an environment to what runs: a program, a container image.
//!
//! [`CargoProject`] is an environment in Rust, as its author keeps it, and builds its
//! program.

mod cargo;
mod output;
mod progress;

pub use cargo::{CargoOptions, CargoProject, Profile};
pub use progress::{Progress, Tell};
