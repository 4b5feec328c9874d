//! A server and a client for tests.

mod http;
mod server;
mod socket;
mod tools;

pub(crate) use http::{fetch, http};
pub(crate) use server::{TestServer, eventually};
pub(crate) use socket::{Incoming, Socket};
pub(crate) use tools::nothing_but_tools;
