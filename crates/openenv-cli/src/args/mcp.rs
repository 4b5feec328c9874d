//! What can be typed after `openenv mcp`.

use openenv::Mode;

use super::serve::{environment_names, modes};
use crate::registry::Bundled;
use crate::vars;

#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Environment whose tools to serve
    #[arg(value_name = "ENV", ignore_case = true, value_parser = environment_names())]
    pub(crate) environment: &'static Bundled,

    /// Which tools to serve: those for `production` or those for `simulation`
    #[arg(
        long,
        default_value = "production",
        env = vars::MODE,
        hide_env_values = true,
        ignore_case = true,
        value_parser = modes()
    )]
    pub(crate) mode: Mode,
}
