//! From source to programs and images, through the public API.
#![expect(clippy::unwrap_used, reason = "a test can only fail")]

mod cargo;
mod docker;
mod image;
mod package;
