//! What can be typed after `openenv mcp`.

use openenv::Mode;
use openenv_serve::args::modes;

use super::PythonArgs;
use crate::subject::{Subject, SubjectParser};

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Environment whose tools to serve: a bundled one by name (`openenv list` shows them), a crate or
    /// a package in Python by its directory, as `./my_env`, or a class in Python as `module:Class`
    #[arg(value_name = "ENV", value_parser = SubjectParser)]
    pub(crate) environment: Subject,

    /// Which tools to serve: those for `production` or those for `simulation`
    #[arg(
        long,
        default_value = "production",
        env = openenv_serve::vars::MODE,
        hide_env_values = true,
        ignore_case = true,
        value_parser = modes()
    )]
    pub(crate) mode: Mode,

    #[command(flatten)]
    pub(crate) python: PythonArgs,
}
