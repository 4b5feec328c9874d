//! A server and a client for tests.

mod server;
mod socket;

pub(crate) use server::{TestServer, eventually};
pub(crate) use socket::{Incoming, Socket};
