//! Environments written in Python, as their authors keep them.
//!
//! [`Project`] is what there is to load: a package with `openenv.yaml` or
//! `pyproject.toml`, or a single class. [`Interpreter`] is the Python that runs it:
//! one that is there, or a virtual environment that is made for it and kept.

mod layout;
pub(crate) mod manifest;
pub(crate) mod project;
pub(crate) mod pyproject;
pub(crate) mod requirements;

pub use manifest::Manifest;
pub use project::{Candidate, ObjectPath, PackageDir, Project, SaidBy};
pub use requirements::Requirements;
