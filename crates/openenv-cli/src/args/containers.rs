//! What can be typed after `openenv containers`.

use clap::Subcommand;

#[derive(Debug, clap::Args)]
pub(crate) struct ContainersArgs {
    #[command(subcommand)]
    pub(crate) action: ContainersAction,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ContainersAction {
    /// List the containers that `openenv` and programs with its library started
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Remove the containers whose program has ended
    ///
    /// A program that ends removes its containers; one that is killed cannot. Prints the names of
    /// those that are removed. Others than those of `openenv containers list` are never touched.
    Prune {
        /// Remove those of programs that run as well, and those of which that is not known
        #[arg(long)]
        all: bool,

        /// Print what would be removed, and remove nothing
        #[arg(long)]
        dry_run: bool,
    },
}
