//! One number for all files of a package.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// Directories that are no part of a package.
const LEFT_OUT: [&str; 5] = [".git", ".venv", ".worktrees", "__pycache__", "outputs"];

/// The files of a package, as they are at a time.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Source {
    /// The SHA-256 of the paths and contents of all files, in the order of their paths.
    ///
    /// The value is that of the reference. Beyond its list, what cargo builds is left out: it changes
    /// when the package is run, and is published by nobody.
    pub(super) digest: String,
    /// The SHA-256 of each file, by its path
    files: BTreeMap<String, [u8; 32]>,
}

impl Source {
    /// # Errors
    /// If there is something else than files and directories, or a file cannot be read.
    pub(super) fn read(root: &Path) -> io::Result<Self> {
        let mut names = Vec::new();
        collect(root, "", &mut names)?;
        names.sort();
        let mut digest = Sha256::new();
        let mut files = BTreeMap::new();
        let mut buffer = vec![0; 64 * 1024];
        for name in names {
            digest.update(name.as_bytes());
            digest.update(b"\0");
            let mut content = Sha256::new();
            let mut file = File::open(root.join(&name))?;
            loop {
                let count = file.read(&mut buffer)?;
                if count == 0 {
                    break;
                }
                digest.update(&buffer[..count]);
                content.update(&buffer[..count]);
            }
            digest.update(b"\0");
            files.insert(name, content.finalize().into());
        }
        Ok(Self {
            digest: hex::encode(digest.finalize()),
            files,
        })
    }

    /// The first file that is not the same later, in words; `None` if all are.
    pub(super) fn first_change(&self, later: &Self) -> Option<String> {
        let names: BTreeSet<&String> = self.files.keys().chain(later.files.keys()).collect();
        names.into_iter().find_map(|name| {
            let what = match (self.files.get(name), later.files.get(name)) {
                (Some(before), Some(after)) if before == after => return None,
                (Some(_), Some(_)) => "has changed",
                (None, _) => "is new",
                (_, None) => "is gone",
            };
            Some(format!("`{name}` {what}"))
        })
    }
}

fn collect(directory: &Path, prefix: &str, files: &mut Vec<String>) -> io::Result<()> {
    let refused = |what: &str| Err(io::Error::other(what.to_owned()));
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else {
            return refused("a file has a name that is not text");
        };
        if LEFT_OUT.contains(&name.as_str()) {
            continue;
        }
        let kind = entry.file_type()?;
        let path = format!("{prefix}{name}");
        if kind.is_symlink() {
            return refused("a package has no symbolic links");
        } else if kind.is_file() {
            files.push(path);
        } else if kind.is_dir() {
            if !is_built_by_cargo(directory, &name) {
                collect(&entry.path(), &format!("{path}/"), files)?;
            }
        } else {
            return refused("a package has files and directories only");
        }
    }
    Ok(())
}

fn is_built_by_cargo(directory: &Path, name: &str) -> bool {
    name == "target"
        && directory.join("Cargo.toml").is_file()
        && directory.join("target/CACHEDIR.TAG").is_file()
}
