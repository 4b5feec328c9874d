//! What can be typed after `openenv validate`.

use std::path::PathBuf;

use openenv_serve::value::PositiveSeconds;

use super::InterpreterArgs;
use crate::value::Header;

#[derive(Debug, clap::Args)]
pub(crate) struct ValidateArgs {
    /// Package by its directory, server that runs as `http://host:8000`, or bundled environment
    /// [default: the current directory]
    #[arg(value_name = "DIR|URL")]
    pub(crate) target: Option<String>,

    /// Server that runs, if it is not the target
    #[arg(long, value_name = "URL")]
    pub(crate) url: Option<String>,

    /// How far a package is checked: static, runtime or semantic [default: semantic]
    #[arg(long, value_name = "LEVEL")]
    pub(crate) level: Option<String>,

    /// Build nothing and run no image, not even that of `--image`: what needs one is skipped
    #[arg(long)]
    pub(crate) skip_build: bool,

    /// Check a package, not a server: what is done anyway
    #[arg(long)]
    pub(crate) local: bool,

    /// Run the package in a container of this image, as `openenv build` makes one, within the limits
    /// that it declares [default: on this machine, without a container]
    #[arg(long, value_name = "IMAGE")]
    pub(crate) image: Option<String>,

    /// Policy of severities: v1 for static checks, v2 for all [default: as the level needs it]
    #[arg(long, value_name = "VERSION")]
    pub(crate) policy: Option<String>,

    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// File to write the report to, as JSON; what a package's rests on goes into a directory beside it
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// How long a server may take to answer; an environment may take six times as long for a step
    /// [default: 5]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pub(crate) timeout: Option<PositiveSeconds>,

    /// Header of every request to a server, as `authorization: Bearer …`; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,

    #[command(flatten)]
    pub(crate) python: InterpreterArgs,
}
