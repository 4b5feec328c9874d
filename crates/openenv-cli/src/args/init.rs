//! What can be typed after `openenv init`.

use std::path::PathBuf;

use crate::scaffold::{Language, ProjectName, Source, Template};

#[derive(Debug, clap::Args)]
pub(crate) struct InitArgs {
    /// Name of the environment, such as `my_env`: lower-case letters, digits and `_`
    pub(crate) name: ProjectName,

    /// Language that it is written in
    #[arg(long, value_enum, default_value_t = Language::Python)]
    pub(crate) lang: Language,

    /// What to begin with
    #[arg(long, value_enum, default_value_t = Template::Typed)]
    pub(crate) template: Template,

    /// Directory in which the directory NAME is made
    #[arg(short, long, value_name = "DIR", default_value = ".")]
    pub(crate) output_dir: PathBuf,

    /// Where a project in Rust gets the crates of openenv from: a version, a directory with their
    /// source, or `git+URL`
    ///
    /// Default: the source that this command was built from, if that is still there; else the
    /// version of this command.
    #[arg(long, value_name = "SOURCE")]
    pub(crate) openenv: Option<Source>,
}
