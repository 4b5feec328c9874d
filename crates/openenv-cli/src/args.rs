//! What can be typed. `config.rs` turns it into what is meant.

use std::ffi::OsString;

use clap::builder::{
    PossibleValue, PossibleValuesParser, RangedU64ValueParser, Resettable, TypedValueParser,
};
use clap::error::{ContextKind, ContextValue};
use clap::{Arg, ArgAction, CommandFactory, FromArgMatches, Parser, Subcommand, ValueEnum};
use openenv::Mode;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::registry::{self, Bundled};
use crate::value::{ByteSize, PositiveSeconds, Seconds, SecondsOrNever};
use crate::vars;

/// Serve reinforcement-learning environments over HTTP and WebSocket
#[derive(Debug, Parser)]
#[command(
    name = "openenv",
    version,
    max_term_width = 100,
    propagate_version = true
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    #[command(flatten)]
    pub(crate) log: LogArgs,
}

impl Args {
    /// Reads the command line and the variables; a usage error ends the process.
    pub(crate) fn read() -> Self {
        let command = without_empty_variables(Self::command());
        let read = command
            .clone()
            .try_get_matches()
            .and_then(|mut matches| Self::from_arg_matches_mut(&mut matches));
        read.unwrap_or_else(|error| name_variable(error, &command).exit())
    }
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

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Serve one or more environments
    ///
    /// The first environment answers at `/`, and each of them under `/envs/<name>/`.
    /// Where things are is printed to standard error; when standard output is not a
    /// terminal, the base URL alone is printed there, for scripts.
    ///
    /// SIGTERM and Ctrl-C stop the server once the calls that run have ended, or
    /// after the drain timeout; a second one stops it at once.
    Serve(ServeArgs),
    /// List the environments that can be served
    List(ListArgs),
}

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Environments to serve
    #[arg(
        value_name = "ENV",
        default_value = "echo",
        env = vars::ENVIRONMENTS,
        hide_env_values = true,
        value_delimiter = ',',
        ignore_case = true,
        value_parser = environment_names()
    )]
    pub(crate) environments: Vec<&'static Bundled>,

    /// Host name or address to listen on; `0.0.0.0` listens on every interface
    #[arg(long, default_value = "127.0.0.1", env = vars::HOST, hide_env_values = true)]
    pub(crate) host: String,

    /// Port to listen on; 0 picks a free one
    #[arg(short, long, default_value_t = 8000, env = vars::PORT, hide_env_values = true)]
    pub(crate) port: u16,

    /// Who the server is for: `simulation` to train, `production` without the HTTP
    /// routes that control the episode
    #[arg(
        long,
        default_value = "simulation",
        env = vars::MODE,
        hide_env_values = true,
        ignore_case = true,
        value_parser = modes()
    )]
    pub(crate) mode: Mode,

    /// Most sessions of each environment at the same time [default: 65536, or 1 for an
    /// environment that is not concurrent]
    #[arg(
        long,
        value_name = "N",
        env = vars::MAX_SESSIONS,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub(crate) max_sessions: Option<usize>,

    /// Idle time after which a session without a socket ends, or `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "900",
        env = vars::SESSION_TIMEOUT,
        hide_env_values = true
    )]
    pub(crate) session_timeout: SecondsOrNever,

    /// How long a new session waits for a free place when the server is full
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        env = vars::QUEUE_TIMEOUT,
        hide_env_values = true
    )]
    pub(crate) queue_timeout: Seconds,

    /// How long running calls have to end when the server stops
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "30",
        env = vars::DRAIN_TIMEOUT,
        hide_env_values = true
    )]
    pub(crate) drain_timeout: Seconds,

    /// Time between two pings of a WebSocket, or `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        env = vars::KEEPALIVE_INTERVAL,
        hide_env_values = true
    )]
    pub(crate) keepalive_interval: SecondsOrNever,

    /// How long the answer to a ping may take before the session counts as lost
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        env = vars::KEEPALIVE_TIMEOUT,
        hide_env_values = true
    )]
    pub(crate) keepalive_timeout: PositiveSeconds,

    /// Largest message that is accepted, as `1000000`, `64MiB` or `1GB`
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "100MiB",
        env = vars::MAX_MESSAGE_SIZE,
        hide_env_values = true
    )]
    pub(crate) max_message_size: ByteSize,

    /// Threads that serve connections [default: one for each processor]
    #[arg(
        long,
        value_name = "N",
        env = vars::WORKERS,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub(crate) workers: Option<usize>,
}

#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[command(next_help_heading = "Logging")]
pub(crate) struct LogArgs {
    /// Level of the log (`error`, `warn`, `info`, `debug`, `trace`, `off`), or a filter such as
    /// `info,openenv=debug`; `RUST_LOG` works as well [default: info]
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = vars::LOG,
        hide_env_values = true,
        value_parser = log_filter
    )]
    pub(crate) log_level: Option<String>,

    /// Form of the log
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "text",
        env = vars::LOG_FORMAT,
        hide_env_values = true
    )]
    pub(crate) log_format: LogFormat,

    /// Log more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub(crate) verbose: u8,

    /// Log warnings and errors only; twice for errors only
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub(crate) quiet: u8,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// For people
    Text,
    /// For machines: one object per line
    Json,
}

fn environment_names() -> impl TypedValueParser<Value = &'static Bundled> {
    let names = registry::ENVIRONMENTS.iter().map(|environment| {
        PossibleValue::new(environment.name)
            .aliases(environment.aliases)
            .help((environment.metadata)().description)
    });
    PossibleValuesParser::new(names)
        .try_map(|name| registry::find(&name).ok_or("no such environment is bundled"))
}

fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["simulation", "production"]).try_map(|mode| mode.parse::<Mode>())
}

/// Checks the filter where the option can still be named in the message.
fn log_filter(text: &str) -> Result<String, String> {
    let expected = "expected `error`, `warn`, `info`, `debug`, `trace`, `off`, or a filter such as \
                    `info,openenv=debug`";
    // A lone word that is no level would be taken for a target, and log nothing.
    let lone_word = text.chars().all(char::is_alphanumeric);
    if lone_word && text.parse::<LevelFilter>().is_err() {
        return Err(format!("unknown level; {expected}"));
    }
    EnvFilter::try_new(text).map_err(|error| format!("{error}; {expected}"))?;
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_sound() {
        Args::command().debug_assert();
    }
}
