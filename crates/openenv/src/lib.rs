//! Build, serve and drive reinforcement-learning environments.

mod contract;
mod env;
mod error;
mod json;

#[doc(inline)]
pub use contract::{Location, Violation};
#[doc(inline)]
pub use env::{
    Ending, Environment, Execution, Metadata, ResetOptions, Reward, Seed, Split, SplitKind, Step,
    StepOptions, Tasks,
};
#[doc(inline)]
pub use error::{Error, Result};
