//! What can be typed after `openenv inspect`.

use super::InterpreterArgs;
use crate::subject::{Place, PlaceParser};

#[derive(Debug, clap::Args)]
pub(crate) struct InspectArgs {
    /// Package in Python, by its directory or a file of it, or a class as `module:Class`
    #[arg(value_name = "ENV", default_value = ".", value_parser = PlaceParser)]
    pub(crate) place: Place,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) python: InterpreterArgs,
}
