//! What can be typed about what is served.

use openenv_serve::ServerArgs;

use super::PythonArgs;
use crate::subject::{Subject, SubjectParser};
use crate::vars;

#[derive(Debug, clap::Args)]
pub(crate) struct ServeArgs {
    /// Environments to serve: bundled ones by name (`openenv list` shows them), crates and packages in
    /// Python by their directory, as `./my_env`, or a class in Python as `module:Class` [default: the
    /// project in the current directory if it has an `openenv.yaml`, else echo]
    #[arg(
        value_name = "ENV",
        env = vars::ENVIRONMENTS,
        hide_env_values = true,
        value_delimiter = ',',
        value_parser = SubjectParser
    )]
    pub(crate) environments: Vec<Subject>,

    #[command(flatten)]
    pub(crate) server: ServerArgs,

    /// Restart the server when a file of the project changes; the port stays open
    #[arg(long, conflicts_with = "health_check")]
    pub(crate) reload: bool,

    /// Build a crate optimized
    #[arg(long)]
    pub(crate) release: bool,

    #[command(flatten)]
    pub(crate) python: PythonArgs,
}
