//! Errors that tell the user what to do about them.

use std::error::Error;
use std::{fmt, io};

/// What failed, why, and what can be done about it.
#[derive(Debug)]
pub struct Failure {
    message: String,
    hint: String,
    source: Option<Box<dyn Error + Send + Sync>>,
}

impl Failure {
    /// What failed, and what can be done about it.
    pub fn new(message: impl Into<String>, hint: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: hint.into(),
            source: None,
        }
    }

    /// Why it failed.
    #[must_use]
    pub fn because(mut self, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// What can be done about it.
    pub fn hint(&self) -> &str {
        &self.hint
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Error for Failure {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Whether the reader of the output went away.
pub fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
