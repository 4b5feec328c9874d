//! Who owns the episodes.

use std::fmt;
use std::str::FromStr;

use crate::error::Error;

/// Who owns the episodes of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Mode {
    /// A trainer does: reset, step and state are served over HTTP as well.
    #[default]
    Simulation,
    /// Nobody does: agents call tools, and there are no HTTP control routes.
    Production,
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Simulation => "simulation",
            Self::Production => "production",
        })
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text.to_ascii_lowercase().as_str() {
            "simulation" => Ok(Self::Simulation),
            "production" => Ok(Self::Production),
            _ => Err(Error::configuration(format!(
                "Invalid mode: '{text}'. Must be one of: ['simulation', 'production']"
            ))),
        }
    }
}
