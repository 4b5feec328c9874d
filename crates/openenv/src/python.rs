//! Environments written in Python, served as their authors keep them.
//!
//! [`Project`] is what there is to load: a package with `openenv.yaml` or
//! `pyproject.toml`, or a single class. [`Interpreter`] is the Python that runs it:
//! one that is there, or a virtual environment that is made for it and kept.
//! [`Workers`] are the processes in which its sessions live; a server is given them
//! with [`ServerBuilder::python`](crate::ServerBuilder::python).
//!
//! ```no_run
//! use openenv::Server;
//! use openenv::python::{Options, Project, Workers};
//!
//! # async fn serve() -> openenv::Result<()> {
//! let project = Project::find("./my_env")?;
//! let workers = Workers::start(&project, Options::default(), &|line| eprintln!("{line}")).await?;
//! let server = Server::builder().python(workers).build()?;
//! # let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
//! server.serve(listener, openenv::shutdown_signal()).await?;
//! # Ok(())
//! # }
//! ```
//!
//! A session lives in one process, on one thread. An environment that declares
//! itself concurrent shares a process with others; any other gets a process for each
//! session, so that it can be served to several all the same. A process that crashes,
//! hangs or takes too much memory is replaced: its own sessions are told why, those in
//! other processes go on.

mod blueprint;
mod frame;
mod imports;
mod interpreter;
mod layout;
mod link;
mod log;
pub(crate) mod manifest;
mod nursery;
mod options;
mod output;
mod payload;
mod pool;
mod probe;
mod process;
pub(crate) mod project;
pub(crate) mod pyproject;
mod question;
mod report;
pub(crate) mod requirements;
mod scripts;
mod session;
mod tool;
mod venv;
mod wanted;
mod worker;
mod workers;

pub use interpreter::{Interpreter, InterpreterOptions, InterpreterOrigin, choose};
pub use manifest::Manifest;
pub use options::Options;
pub use project::{Candidate, ObjectPath, PackageDir, Project, SaidBy};
pub use report::{Report, Schemas, Traits, TypeNames};
pub use requirements::Requirements;
pub use wanted::Wanted;
pub use workers::Workers;
