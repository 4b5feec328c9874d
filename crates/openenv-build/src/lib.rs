//! From the source of an environment to what runs: a program, a container image.
//!
//! [`Source`] is what there is in a directory. [`CargoProject`] is an environment in
//! Rust, and builds its program. [`Image`] is all that makes an image; that of a program
//! is made here, and written to a file or given to an [`Engine`]. The engine builds what
//! has a base: a [`Request`] is made by [`python_image`], from a base and a program
//! ([`Image::on_base`]), or by [`own_image`] from a
//! [`Dockerfile`] of the author.

mod cargo;
mod context;
mod description;
mod dockerfile;
mod engine;
mod error;
mod image;
mod native;
mod output;
mod own;
mod progress;
mod python;
mod source;
mod tag;

pub use cargo::{CargoOptions, CargoProject, Profile};
pub use context::{Context, Ignored, Times};
pub use description::Description;
pub use dockerfile::Dockerfile;
pub use engine::{Built, Engine, Request};
pub use error::{Error, Result};
pub use image::{Archive, Compression, HealthCheck, Image, Layer, Settings};
pub use own::own_image;
pub use progress::{Progress, Tell};
pub use python::{PYTHON_BASE, PythonOptions, python_image};
pub use source::{Language, Source};
pub use tag::Tag;
