//! What people see while something is built.

use std::path::Path;
use std::sync::{Mutex, PoisonError};

use indicatif::DecimalBytes;
use openenv_build::{Built, Progress};
use owo_colors::OwoColorize;

use crate::ui;

/// Tells of everything as it happens, or of what matters once something has failed.
#[derive(Debug)]
pub(super) struct Narrator {
    aloud: bool,
    /// The lines of the step that runs, if they were not shown
    untold: Mutex<Vec<String>>,
}

impl Narrator {
    /// `aloud` shows everything.
    pub(super) fn new(aloud: bool) -> Self {
        Self {
            aloud,
            untold: Mutex::default(),
        }
    }

    pub(super) fn tell(&self, progress: Progress<'_>) {
        let (line, begins) = match progress {
            Progress::Step(step) => (step.bold().to_string(), true),
            Progress::Line(line) => (line.to_owned(), false),
            _ => return,
        };
        if self.aloud {
            ui::note(&line);
            return;
        }
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        if begins {
            untold.clear();
        }
        untold.push(line);
    }

    /// Shows what was kept back: it says why something failed.
    pub(super) fn show_rest(&self) {
        let mut untold = self.untold.lock().unwrap_or_else(PoisonError::into_inner);
        for line in untold.drain(..) {
            ui::note(&line);
        }
    }

    pub(super) fn summarize(&self, built: &Built, output: Option<&Path>) {
        if !self.aloud {
            return;
        }
        let names: Vec<_> = built.tags.iter().map(ToString::to_string).collect();
        let where_to = output.map_or_else(String::new, |path| format!(" in {}", path.display()));
        ui::note(&format!(
            "{} {}, {}{where_to}",
            "built".bold().green(),
            names.join(" and "),
            DecimalBytes(built.size),
        ));
        if let (None, Some(tag)) = (output, built.tags.first()) {
            ui::hint(&format!("`openenv run {tag}` serves it"));
        }
    }
}
