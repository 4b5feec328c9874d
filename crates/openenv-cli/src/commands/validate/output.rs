//! The files that a report is written to.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

/// The file of a report, and the directory beside it for what a package's rests on.
#[derive(Debug)]
pub(super) struct Output<'a> {
    file: &'a Path,
    beside: PathBuf,
}

impl<'a> Output<'a> {
    /// # Errors
    /// If it cannot be written: what takes time should not be done in vain.
    pub(super) fn new(file: &'a Path) -> Result<Self, String> {
        let beside = file.with_extension("artifacts");
        let beside = if beside == file {
            let mut name = OsString::from(file);
            name.push(".artifacts");
            name.into()
        } else {
            beside
        };
        let is_new = !file.exists();
        let tried = OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(false)
            .open(file);
        tried.map_err(|error| unwritable(file, &error))?;
        if is_new {
            // Until there is a report. That there was none matters to nobody else.
            let _ = fs::remove_file(file);
        }
        if beside.exists() && !beside.is_dir() {
            let shown = beside.display();
            return Err(format!(
                "could not write into `{shown}`: it is there and no directory"
            ));
        }
        Ok(Self { file, beside })
    }

    /// Where what a report rests on goes to.
    pub(super) fn beside(&self) -> &Path {
        &self.beside
    }

    /// # Errors
    /// With what could not be written, and why.
    pub(super) fn write(&self, json: &str) -> Result<(), String> {
        let written = fs::write(self.file, format!("{json}\n"));
        written.map_err(|error| unwritable(self.file, &error))
    }
}

pub(super) fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("could not write `{}`: {error}", path.display())
}
