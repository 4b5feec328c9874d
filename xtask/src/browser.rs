//! The browser that the web page is tested and measured in.

use crate::system::{self, output};

/// What it is called, on Debian and elsewhere.
const NAMES: [&str; 3] = ["chromium", "chromium-browser", "google-chrome"];
/// Debian's package of it.
const PACKAGE: &str = "chromium";

/// The name of a Chromium on the search path, installed if there is none, or why there cannot be one.
pub(crate) fn ensure() -> Result<&'static str, String> {
    if let Some(name) = present() {
        return Ok(name);
    }
    system::install(&[PACKAGE]).map_err(|reason| format!("Chromium is missing: {reason}"))?;
    present().ok_or_else(|| "Chromium was installed and cannot be run".to_owned())
}

fn present() -> Option<&'static str> {
    NAMES
        .into_iter()
        .find(|name| output(name, &["--version"]).is_some())
}
