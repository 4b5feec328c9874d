//! Options that do not fit what is built.

use anyhow::Result;
use openenv_build::Language;
use openenv_serve::Failure;

use crate::config::BuildConfig;

/// Refuses options that would do nothing: who gives one expects something of it.
pub(super) fn check(config: &BuildConfig, language: &Language) -> Result<()> {
    let in_rust = [
        ("--profile", config.profile.is_some()),
        ("--offline", config.offline),
        ("--locked", config.locked),
    ];
    let in_python = [
        ("--server", config.server.is_some()),
        ("--wheels", config.wheels.is_some()),
        ("--full", config.full),
        ("--no-check", !config.check),
    ];
    let with_commands = [
        ("--build-arg", !config.build_args.is_empty()),
        ("--network", config.network.is_some()),
        ("--no-cache", config.no_cache),
    ];
    match language {
        Language::Rust(_) => {
            let why = "is for packages in Python, and this one is in Rust";
            refuse(&in_python, why, "leave it out")?;
            if config.base.is_none() {
                let why = "is for an engine that builds, and this image is made without one";
                refuse(&with_commands, why, "leave it out, or name a `--base`")?;
            }
        }
        Language::Python(_) => {
            let why = "is for packages in Rust, and this one is in Python";
            refuse(&in_rust, why, "leave it out")?;
        }
        _ => {}
    }
    Ok(())
}

fn refuse(options: &[(&str, bool)], why: &str, hint: &str) -> Result<()> {
    match options.iter().find(|(_, is_given)| *is_given) {
        Some((option, _)) => Err(Failure::new(format!("`{option}` {why}"), hint).into()),
        None => Ok(()),
    }
}
