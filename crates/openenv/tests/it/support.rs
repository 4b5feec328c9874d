//! A server and a client for tests.

mod http;
mod server;
mod socket;

pub(crate) use http::{fetch, http};
pub(crate) use server::{TestServer, eventually};
pub(crate) use socket::{Incoming, Socket};
