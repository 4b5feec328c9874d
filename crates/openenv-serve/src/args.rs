//! What can be typed.

use std::ffi::OsString;

use clap::builder::Resettable;
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, FromArgMatches};

mod log;
mod server;

pub use log::{LogArgs, LogFormat};
pub use server::{ServerArgs, modes};

/// Reads the command line and the variables; a usage error ends the process.
pub fn read<A: FromArgMatches>(command: clap::Command) -> A {
    let command = without_empty_variables(command);
    let read = command
        .clone()
        .try_get_matches()
        .and_then(|mut matches| A::from_arg_matches_mut(&mut matches));
    read.unwrap_or_else(|error| name_variable(error, &command).exit())
}

/// An empty variable, as files for Compose tend to leave them, counts as none.
fn without_empty_variables(command: clap::Command) -> clap::Command {
    command
        .mut_args(|arg| match variable(&arg) {
            Some((_, value)) if value.is_empty() => arg.env(Resettable::Reset),
            _ => arg,
        })
        .mut_subcommands(without_empty_variables)
}

/// Says where a bad value came from if it was not typed: clap names the option alone.
fn name_variable(mut error: clap::Error, command: &clap::Command) -> clap::Error {
    let typed = |long: &str| std::env::args().any(|typed| typed.starts_with(long));
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return error;
    };
    let option = option
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned();
    let tip = command
        .get_subcommands()
        .flat_map(clap::Command::get_arguments)
        .chain(command.get_arguments())
        .filter(|arg| {
            arg.get_long()
                .is_some_and(|long| option == format!("--{long}"))
        })
        .filter(|_| !typed(&option))
        .find_map(variable)
        .map(|(name, _)| format!("the value comes from the environment variable `{name}`"));
    if let Some(tip) = tip {
        let tips = ContextValue::StyledStrs(vec![tip.into()]);
        error.insert(ContextKind::Suggested, tips);
    }
    error
}

/// The variable that stands in for an option, if it is set.
fn variable(arg: &Arg) -> Option<(String, OsString)> {
    let name = arg.get_env()?;
    Some((name.to_string_lossy().into_owned(), std::env::var_os(name)?))
}
