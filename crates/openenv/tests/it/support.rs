//! A server and a client for tests.

// Lands with `openenv::Server`.
#[cfg(any())]
mod server;
mod socket;

#[cfg(any())]
pub(crate) use server::TestServer;
pub(crate) use socket::{Incoming, Socket};
