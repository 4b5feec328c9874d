//! The command line of an environment's server.
//!
//! A crate with an environment becomes a program by one call:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! # use openenv::{Environment, ResetOptions, Result, Step, StepOptions};
//! # #[derive(Default)]
//! # struct Counter(u64);
//! # impl Environment for Counter {
//! #     type Action = ();
//! #     type Observation = u64;
//! #     type ResetObservation = u64;
//! #     type State = ();
//! #     const CONCURRENT: bool = true;
//! #     async fn reset(&mut self, _: ResetOptions) -> Result<Step<u64>> { Ok(Step::new(0)) }
//! #     async fn step(&mut self, (): (), _: StepOptions) -> Result<Step<u64>> { Ok(Step::new(1)) }
//! #     fn state(&self) {}
//! # }
//! fn main() -> ExitCode {
//!     openenv_serve::main("counter", Counter::default)
//! }
//! ```
//!
//! The program has the options of `openenv serve`, reads the same variables and says the same
//! once it listens; `--help` shows them. Two more make it complete in a container and beside an
//! agent: `--health-check` asks the server that runs whether it is well, for images without a
//! shell, and `--stdio` serves the tools to a client of the Model Context Protocol that started
//! the program itself.
//!
//! What the `openenv` command shares with such programs is public here too: the
//! [options](ServerArgs), what they [mean](ServerConfig), and [`run`], which serves whatever
//! [services](Service) it is given.

pub mod args;
mod banner;
pub mod config;
pub mod failure;
mod health;
mod listen;
pub mod log;
pub mod open_files;
mod program;
mod serve;
mod service;
pub mod ui;
pub mod value;
pub mod vars;

#[doc(inline)]
pub use args::{LogArgs, LogFormat, ServerArgs};
#[doc(inline)]
pub use config::{LogConfig, ServerConfig};
#[doc(inline)]
pub use failure::Failure;
pub use listen::Reserved;
pub use program::main;
pub use serve::run;
pub use service::{Example, Fact, Service};
