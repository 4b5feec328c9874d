//! The reference's own validator against a running server, in both modes.

use std::process::Command;

use anyhow::Result;

use super::{
    cargo::check,
    suite::{Context, Outcome},
};
use crate::{
    server::Server,
    venv::{REFERENCE, Setup},
};

pub(super) fn run(context: &Context) -> Result<Outcome> {
    let venv = match REFERENCE.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => return Ok(Outcome::Skipped(reason)),
    };
    for mode in ["simulation", "production"] {
        let mut serve = Command::new(context.binary()?);
        serve.args(["serve", "echo", "--mode", mode]);
        if context.against_reference() {
            serve.env("PATH", venv.search_path()?);
        }
        let server = Server::start(serve, &format!("validate-{mode}"))?;
        println!("{mode} mode");
        let mut validate = Command::new(venv.program("openenv"));
        validate.args(["validate", "--url", &server.url()]);
        if let Outcome::Failed(reason) = check(&mut validate)? {
            return Ok(Outcome::Failed(format!("{mode} mode: {reason}")));
        }
    }
    Ok(Outcome::Passed)
}
