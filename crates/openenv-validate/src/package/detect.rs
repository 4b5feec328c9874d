//! What makes a directory a package.

use std::fs;
use std::path::Path;

use crate::manifest;

/// Files that make a directory a package of some kind; only the first kind can be read.
const WELL_KNOWN: [&str; 3] = [manifest::FILE, "task.md", "task.toml"];

/// # Errors
/// If it is not exactly one kind of package, and one that can be read.
pub(super) fn detect(root: &Path) -> Result<(), String> {
    let shown = root.display();
    if !root.is_dir() {
        return Err(format!("`{shown}` is not a directory"));
    }
    let found: Vec<&str> = WELL_KNOWN
        .into_iter()
        .filter(|name| is_there(root, name))
        .collect();
    match found.as_slice() {
        [manifest::FILE] => Ok(()),
        [] | [_] => Err(format!(
            "`{shown}` is not a package: it has no `{}`",
            manifest::FILE
        )),
        several => Err(format!(
            "`{shown}` could be several kinds of package: it has {}; keep one of them",
            several.join(", ")
        )),
    }
}

fn is_there(root: &Path, name: &str) -> bool {
    let path = root.join(name);
    if !path.is_file() {
        return false;
    }
    // Any project may have a `task.md`; that of a package begins with a block of YAML.
    name != "task.md"
        || fs::read_to_string(&path).is_ok_and(|text| text.trim_start().starts_with("---"))
}
