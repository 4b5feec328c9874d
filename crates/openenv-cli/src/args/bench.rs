//! What can be typed after `openenv bench`.

use clap::builder::RangedU64ValueParser;
use openenv_serve::value::{PositiveSeconds, Seconds};
use serde_json::value::RawValue;

use super::EndpointArgs;
use crate::value::{self, ErrorLimit};

#[derive(Debug, clap::Args)]
pub(crate) struct BenchArgs {
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,

    /// Sessions at the same time
    #[arg(
        short = 'n',
        long,
        value_name = "N",
        default_value = "16",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1_000_000)
    )]
    pub(crate) sessions: usize,

    /// How long to measure, once every session is open
    #[arg(
        short,
        long,
        value_name = "SECONDS",
        default_value = "10",
        allow_negative_numbers = true
    )]
    pub(crate) duration: PositiveSeconds,

    /// Time over which the opening of the sessions is spread; 0 opens them as fast as the server
    /// lets them in
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) ramp: Seconds,

    /// Action of every step, as `'{"message": "Hello"}'` [default: the simplest that the schema
    /// allows]
    #[arg(long, value_name = "JSON", value_parser = value::object)]
    pub(crate) action: Option<Box<RawValue>>,

    /// Keep the sessions idle instead of stepping; at the end, one step of each shows that it is
    /// alive
    #[arg(long)]
    pub(crate) hold: bool,

    /// Threads that drive the sessions
    #[arg(
        long,
        value_name = "N",
        default_value = "1",
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub(crate) threads: usize,

    /// Seed of the first reset; every other reset gets another one
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value::seed)]
    pub(crate) seed: Option<i128>,

    /// Errors that are allowed: a number, or a share such as `1%`, which is of the sessions for those
    /// that cannot be opened, and of the calls for all else
    #[arg(
        long,
        value_name = "N|P%",
        default_value = "0",
        allow_negative_numbers = true
    )]
    pub(crate) max_errors: ErrorLimit,

    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}
