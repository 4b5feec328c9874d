//! What is done about containers.

use openenv::provider::docker::Prune;

use crate::args::{ContainersAction, ContainersArgs};

/// What `openenv containers` does.
#[derive(Debug, Clone, Copy)]
pub(crate) enum ContainersConfig {
    List {
        /// Whether to print JSON instead of a table. Default: no.
        json: bool,
    },
    Prune {
        /// Default: those whose program has ended.
        which: Prune,
        /// Whether to remove nothing. Default: no.
        dry_run: bool,
    },
}

impl From<ContainersArgs> for ContainersConfig {
    fn from(args: ContainersArgs) -> Self {
        match args.action {
            ContainersAction::List { json } => Self::List { json },
            ContainersAction::Prune { all, dry_run } => {
                let which = if all { Prune::All } else { Prune::Abandoned };
                Self::Prune { which, dry_run }
            }
        }
    }
}
