//! Node.js, which runs what is written in JavaScript and TypeScript.

use crate::system::{self, output};

/// What some of it asks for is newer than what Debian has; this one runs all of it.
const OLDEST: u32 = 20;

/// Makes sure that Node.js and npm are there, or says why they cannot be.
pub(crate) fn ensure() -> Result<(), String> {
    if output("node", &["--version"]).is_none() || output("npm", &["--version"]).is_none() {
        system::install(&["nodejs", "npm"])
            .map_err(|reason| format!("Node.js is missing: {reason}"))?;
    }
    let version = output("node", &["--version"]).unwrap_or_default();
    let major = version.trim().trim_start_matches('v').split('.').next();
    match major.and_then(|major| major.parse::<u32>().ok()) {
        Some(major) if major >= OLDEST => Ok(()),
        _ => Err(format!(
            "Node.js {OLDEST} or newer is needed, this is `{}`",
            version.trim()
        )),
    }
}
