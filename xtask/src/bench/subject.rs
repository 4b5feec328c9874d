//! The servers that are measured.

use std::{
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::Result;

use super::bare::on_processor;
use crate::{server::Server, venv::Venv, workspace};

const OURS: &str = "ours";
const REFERENCE: &str = "reference";

/// A server program that answers to `serve ENV …`.
#[derive(Debug)]
pub(super) struct Subject {
    label: &'static str,
    program: PathBuf,
    /// What comes before `serve`: the script, when the program is an interpreter.
    script: Option<PathBuf>,
}

/// Both sides of the comparison, either of which may be left out.
#[derive(Debug)]
pub(super) struct Subjects {
    pub(super) ours: Option<Subject>,
    pub(super) reference: Option<Subject>,
}

/// One value for each side that was measured.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pair<T> {
    pub(super) ours: Option<T>,
    pub(super) reference: Option<T>,
}

impl Subject {
    pub(super) fn ours(program: PathBuf) -> Self {
        Self {
            label: OURS,
            program,
            script: None,
        }
    }

    pub(super) fn reference(venv: &Venv) -> Self {
        Self {
            label: REFERENCE,
            program: venv.program("python"),
            script: Some(workspace::reference_binary()),
        }
    }

    pub(super) fn label(&self) -> &'static str {
        self.label
    }

    pub(super) fn program(&self) -> &Path {
        &self.program
    }

    /// The command that authors use.
    pub(super) fn command_line(&self) -> PathBuf {
        if self.script.is_some() {
            self.program.with_file_name("openenv")
        } else {
            self.program.clone()
        }
    }

    /// The environment that has `echo_message`: ours has an action and tools in one, the reference one or the other.
    pub(super) fn echo_with_tools(&self) -> &'static str {
        if self.script.is_some() {
            "echo_tools"
        } else {
            "echo"
        }
    }

    /// Starts the server with room for `max_sessions`.
    pub(super) fn start(&self, environment: &str, max_sessions: usize) -> Result<Server> {
        self.start_by(Command::new(&self.program), environment, max_sessions)
    }

    /// Starts the server with its web page, which the reference has only if it is told to.
    pub(super) fn start_with_page(&self, environment: &str) -> Result<Server> {
        let mut command = Command::new(&self.program);
        command.env("ENABLE_WEB_INTERFACE", "true");
        self.start_by(command, environment, 512)
    }

    /// Starts the server on one processor.
    pub(super) fn start_on(
        &self,
        processor: usize,
        environment: &str,
        max_sessions: usize,
    ) -> Result<Server> {
        let command = on_processor(processor, &self.program);
        self.start_by(command, environment, max_sessions)
    }

    fn start_by(
        &self,
        mut command: Command,
        environment: &str,
        max_sessions: usize,
    ) -> Result<Server> {
        command
            .args(&self.script)
            .args(["serve", environment, "--max-sessions"])
            .arg(max_sessions.to_string());
        Server::start(command, &format!("bench-{}-{environment}", self.label))
    }
}

impl Subjects {
    /// Applies a measurement to each side that is present, ours first.
    pub(super) fn try_map<T>(
        &self,
        mut measure: impl FnMut(&Subject) -> Result<T>,
    ) -> Result<Pair<T>> {
        Ok(Pair {
            ours: self.ours.as_ref().map(&mut measure).transpose()?,
            reference: self.reference.as_ref().map(&mut measure).transpose()?,
        })
    }
}

impl<T> Pair<T> {
    pub(super) fn map<U>(&self, mut convert: impl FnMut(&T) -> U) -> Pair<U> {
        Pair {
            ours: self.ours.as_ref().map(&mut convert),
            reference: self.reference.as_ref().map(&mut convert),
        }
    }

    pub(super) fn try_map<'a, U>(
        &'a self,
        mut convert: impl FnMut(&'a T) -> Result<U>,
    ) -> Result<Pair<U>> {
        Ok(Pair {
            ours: self.ours.as_ref().map(&mut convert).transpose()?,
            reference: self.reference.as_ref().map(&mut convert).transpose()?,
        })
    }

    pub(super) fn as_ref(&self) -> Pair<&T> {
        Pair {
            ours: self.ours.as_ref(),
            reference: self.reference.as_ref(),
        }
    }

    /// Each side that is present under its label, ours first.
    pub(super) fn labelled(&self) -> impl Iterator<Item = (&'static str, &T)> {
        let ours = self.ours.iter().map(|value| (OURS, value));
        ours.chain(self.reference.iter().map(|value| (REFERENCE, value)))
    }

    pub(super) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.ours.iter_mut().chain(self.reference.iter_mut())
    }
}
