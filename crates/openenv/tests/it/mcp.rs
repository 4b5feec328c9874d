//! The Model Context Protocol, as its clients see it on the wire.
//!
//! Here it is spoken by hand, to see what a client's library would hide; real
//! libraries are in `client` and in the Python suites.

mod addresses;
mod agent;
mod bad_input;
mod sessions;
mod slow_reader;
mod stateless;
mod streams;
