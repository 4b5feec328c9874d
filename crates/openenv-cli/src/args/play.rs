//! What can be typed after `openenv play`.

use clap::builder::RangedU64ValueParser;

use super::EndpointArgs;
use crate::value::ResetArgument;

#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,

    /// Seed of the first reset and of random actions
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Name of the first episode
    #[arg(long, value_name = "ID")]
    pub(crate) episode_id: Option<String>,

    /// Argument of every reset, as `level=3` or `map="maze"`; may be repeated
    #[arg(long = "reset-arg", value_name = "NAME=JSON")]
    pub(crate) reset_arguments: Vec<ResetArgument>,

    /// Take this many steps with random actions instead of asking for them
    #[arg(
        long,
        value_name = "STEPS",
        value_parser = RangedU64ValueParser::<u64>::new().range(1..)
    )]
    pub(crate) random: Option<u64>,

    /// Print each random step as one line of JSON
    #[arg(long, requires = "random")]
    pub(crate) json: bool,
}
