//! The program of a crate: built, then run in its own process.

use std::io::{IsTerminal, stderr};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};
use openenv_build::{CargoOptions, CargoProject, Profile, Progress};
use openenv_serve::{Failure, LogConfig, ui};

/// A program that serves an environment.
#[derive(Debug)]
pub(crate) struct Program {
    pub(crate) path: PathBuf,
    /// The crate that it was built from.
    pub(crate) project: CargoProject,
}

impl Program {
    /// Builds the crate in a directory; what the compiler says goes to standard error.
    pub(crate) async fn build(directory: &Path, profile: Profile) -> Result<Self> {
        let Some(project) = CargoProject::find(directory).await? else {
            return Err(Failure::new(
                format!("there is no crate in `{}`", directory.display()),
                "`openenv init NAME --lang rust` makes one",
            )
            .into());
        };
        let options = CargoOptions {
            profile,
            colour: stderr().is_terminal(),
            ..CargoOptions::default()
        };
        let tell = |progress: Progress<'_>| {
            if let Progress::Step(line) | Progress::Line(line) = progress {
                ui::note(line);
            }
        };
        let path = project.build(&options, &tell).await?;
        Ok(Self { path, project })
    }

    /// A command that runs it where its crate is, and logs as this one does.
    pub(crate) fn command(&self, log: &LogConfig) -> Command {
        let mut command = Command::new(&self.path);
        command
            .envs(log.variables())
            .current_dir(&self.project.root);
        command
    }

    /// Becomes it: comes back only if that fails.
    pub(crate) fn exec(&self, mut command: Command) -> Result<()> {
        let error = command.exec();
        Err(error).with_context(|| format!("could not run `{}`", self.path.display()))
    }
}
