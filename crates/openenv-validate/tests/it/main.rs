//! Checks real servers and packages: good ones, and others with one fault each.
#![expect(clippy::unwrap_used, reason = "a test can only fail")]

mod bundled;
mod faults;
mod faulty;
mod manifests;
mod packages;
mod python;
mod support;
