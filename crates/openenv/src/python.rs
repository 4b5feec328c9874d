//! Environments written in Python, as their authors keep them.
//!
//! [`Project`] is what there is to load: a package with `openenv.yaml` or
//! `pyproject.toml`, or a single class. [`Interpreter`] is the Python that runs it:
//! one that is there, or a virtual environment that is made for it and kept.
//!
//! ```no_run
//! # async fn example() -> openenv::Result<()> {
//! use openenv::python::{InterpreterOptions, Project, choose};
//!
//! let project = Project::find("envs/maze_env")?;
//! let options = InterpreterOptions::default();
//! let python = choose(&project, &options, &|line| eprintln!("{line}")).await?;
//! println!("{} runs on Python {}", project.name, python.version);
//! # Ok(())
//! # }
//! ```

mod imports;
pub(crate) mod interpreter;
mod layout;
pub(crate) mod manifest;
mod probe;
pub(crate) mod project;
mod pyproject;
pub(crate) mod requirements;
mod tool;
mod venv;
mod wanted;

pub use interpreter::{Interpreter, InterpreterOptions, InterpreterOrigin, choose};
pub use manifest::Manifest;
pub use project::{Candidate, ObjectPath, PackageDir, Project, SaidBy};
pub use requirements::Requirements;
