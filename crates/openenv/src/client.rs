//! Driving an environment from outside.

mod base_url;
mod endpoint;

pub use endpoint::Endpoint;
