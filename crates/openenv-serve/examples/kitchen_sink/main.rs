//! An environment that uses all there is: every kind of field in its action, pictures, tools, tasks, logs,
//! failures on demand.
//!
//! `cargo run -p openenv-serve --example kitchen_sink`, then open `http://127.0.0.1:8000/web/`.

mod action;
mod kitchen;
mod menu;
mod picture;
mod tools;

use std::process::ExitCode;

fn main() -> ExitCode {
    openenv_serve::main("kitchen_sink", kitchen::Kitchen::default)
}
