//! What `openenv init` writes.

use std::path::PathBuf;

use crate::args::InitArgs;
use crate::scaffold::{Language, ProjectName, Source, Template};

/// What `openenv init` writes, and where.
#[derive(Debug)]
pub(crate) struct InitConfig {
    pub(crate) name: ProjectName,
    /// Default: Python.
    pub(crate) language: Language,
    /// Default: typed.
    pub(crate) template: Template,
    /// Default: the current directory.
    pub(crate) output_directory: PathBuf,
    /// Default: what [`Source::default`] finds.
    pub(crate) source: Option<Source>,
    /// Whether to say what was written. Default: yes.
    pub(crate) report: bool,
}

impl InitConfig {
    pub(super) fn new(args: InitArgs, report: bool) -> Self {
        Self {
            name: args.name,
            language: args.lang,
            template: args.template,
            output_directory: args.output_dir,
            source: args.openenv,
            report,
        }
    }
}
