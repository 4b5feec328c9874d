//! What can be typed after `openenv play`.

use super::EndpointArgs;
use crate::value::{self, ResetArgument};

#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) endpoint: EndpointArgs,

    /// Seed of the first reset and of random actions
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = value::seed)]
    pub(crate) seed: Option<i128>,

    /// Name of the first episode
    #[arg(long, value_name = "ID")]
    pub(crate) episode_id: Option<String>,

    /// Argument of every reset, as `level=3`, `map=maze` or `'sizes=[1, 2]'`: what is not JSON is
    /// text; may be repeated
    #[arg(long = "reset-arg", value_name = "NAME=VALUE")]
    pub(crate) reset_arguments: Vec<ResetArgument>,

    /// Take this many steps with random actions instead of asking for them
    #[arg(long, value_name = "STEPS", allow_negative_numbers = true, value_parser = value::steps)]
    pub(crate) random: Option<u64>,

    /// Print each random step as one line of JSON
    #[arg(long, requires = "random")]
    pub(crate) json: bool,
}
