//! What can be typed about the log, with any command.

use clap::{ArgAction, ValueEnum};
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::vars;

/// The options of the log.
#[derive(Debug, Clone, clap::Args)]
#[command(next_help_heading = "Logging")]
pub struct LogArgs {
    /// Level of the log (`error`, `warn`, `info`, `debug`, `trace`, `off`), or a filter such as
    /// `info,openenv=debug`; `RUST_LOG` works as well [default: info for `serve`, else warn]
    #[arg(
        long,
        global = true,
        value_name = "FILTER",
        env = vars::LOG,
        hide_env_values = true,
        value_parser = log_filter
    )]
    pub log_level: Option<String>,

    /// Form of the log
    #[arg(
        long,
        global = true,
        value_enum,
        default_value = "text",
        env = vars::LOG_FORMAT,
        hide_env_values = true
    )]
    pub log_format: LogFormat,

    /// Log more; twice for everything
    #[arg(short, long, global = true, action = ArgAction::Count, conflicts_with = "quiet")]
    pub verbose: u8,

    /// Log warnings and errors only; twice for errors only
    #[arg(short, long, global = true, action = ArgAction::Count)]
    pub quiet: u8,
}

/// In which form the log is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people
    Text,
    /// For machines: one object per line
    Json,
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
