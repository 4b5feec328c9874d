//! Build, serve and drive reinforcement-learning environments.

mod contract;
mod env;
mod error;
#[cfg(feature = "server")]
mod json;
#[cfg(feature = "server")]
mod server;
#[cfg(feature = "server")]
mod wire;

#[doc(inline)]
pub use contract::{Location, Violation};
#[doc(inline)]
pub use env::{
    Ending, Environment, Execution, Metadata, ResetOptions, Reward, Seed, Split, SplitKind, Step,
    StepOptions, Tasks,
};
#[doc(inline)]
pub use error::{Error, Result};
#[cfg(feature = "server")]
#[doc(inline)]
pub use server::{
    Capacity, Mode, Origin, Server, ServerBuilder, SessionId, SessionInfo, shutdown_signal,
};
