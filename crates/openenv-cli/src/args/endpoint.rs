//! What can be typed about the server that a command talks to.

use openenv_serve::value::SecondsOrNever;

use super::PythonArgs;
use crate::target::Target;
use crate::value::Header;

#[derive(Debug, clap::Args)]
pub(crate) struct EndpointArgs {
    /// Server to connect to, as `http://host:8000` or `host:8000`, or an environment to start for it:
    /// a bundled one, as `echo`, a crate or a package in Python by its directory, as `./my_env`, or a
    /// class in Python as `module:Class`
    #[arg(value_name = "URL|ENV")]
    pub(crate) target: Target,

    /// Header of every request, as `authorization: Bearer …`; may be repeated
    #[arg(long = "header", value_name = "NAME: VALUE")]
    pub(crate) headers: Vec<Header>,

    /// How long a reply may take, or `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "60",
        allow_negative_numbers = true
    )]
    pub(crate) message_timeout: SecondsOrNever,

    #[command(flatten)]
    pub(crate) python: PythonArgs,
}
