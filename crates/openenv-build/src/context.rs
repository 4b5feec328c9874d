//! The files that an engine builds from.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read, Seek};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use tar::{Builder, EntryType, Header};
use walkdir::WalkDir;

use crate::error::{Error, Result};
use crate::image::{Layer, NO_TIME};

mod ignored;
mod pattern;

pub(crate) use ignored::FILE as RULES;
pub use ignored::Ignored;

/// Files for an engine, as the archive that it is sent.
///
/// It is kept in a file that has no name, and is gone with it.
pub struct Context {
    archive: Builder<File>,
    /// How many files are in it
    files: usize,
    /// Files that are not taken from directories
    left_out: Vec<PathBuf>,
}

/// What is told of the files in a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// When they were changed
    Real,
    /// The same for all: then an image depends on what is in them alone
    Fixed,
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("files", &self.files)
            .finish_non_exhaustive()
    }
}

impl Context {
    /// A context without files.
    pub fn new() -> Result<Self> {
        Ok(Self {
            archive: Builder::new(tempfile::tempfile()?),
            files: 0,
            left_out: Vec::new(),
        })
    }

    /// Takes these files from no directory, if they are or come to be in one.
    pub(crate) fn leaving_out(mut self, files: &[PathBuf]) -> Self {
        self.left_out = files.iter().map(|file| absolute(file)).collect();
        self
    }

    /// Adds files that are in memory, below a directory if `prefix` is one.
    pub(crate) fn add_layer(&mut self, layer: &Layer, prefix: &str) -> Result<()> {
        layer.write(&mut self.archive, prefix, NO_TIME)?;
        Ok(())
    }

    /// Adds what is in a directory, unless it is to be ignored.
    ///
    /// The archive has all of it below `prefix`, in the order of the names.
    pub fn add_directory(
        &mut self,
        directory: &Path,
        prefix: &str,
        ignored: &Ignored,
        times: Times,
    ) -> Result<()> {
        let unreadable = |path: &Path, error: &dyn fmt::Display| {
            Error::new(format!("could not read `{}`: {error}", path.display()))
        };
        let top = directory
            .canonicalize()
            .map_err(|error| unreadable(directory, &error))?;
        let walk = WalkDir::new(directory).min_depth(1).sort_by_file_name();
        let mut walk = walk.into_iter();
        while let Some(entry) = walk.next() {
            let entry = entry.map_err(|error| unreadable(directory, &error))?;
            let path = entry.path();
            let inside = path.strip_prefix(directory).unwrap_or(path);
            if ignored.matches(inside) {
                if entry.file_type().is_dir() && !ignored.may_except_in(inside) {
                    walk.skip_current_dir();
                }
                continue;
            }
            if self.left_out.contains(&top.join(inside)) {
                continue;
            }
            let name = Path::new(prefix).join(inside);
            self.add(path, &name, times)
                .map_err(|error| unreadable(path, &error))?;
        }
        Ok(())
    }

    /// Adds a file, wherever links to it lead.
    pub(crate) fn add_file(&mut self, path: &Path, name: &Path) -> Result<()> {
        let added = path
            .canonicalize()
            .and_then(|path| self.add(&path, name, Times::Fixed));
        added.map_err(|error| Error::new(format!("could not read `{}`: {error}", path.display())))
    }

    fn add(&mut self, path: &Path, name: &Path, times: Times) -> io::Result<()> {
        let metadata = fs::symlink_metadata(path)?;
        let mut header = Header::new_gnu();
        // Who owns a file here means nothing there.
        header.set_uid(0);
        header.set_gid(0);
        header.set_mtime(match times {
            Times::Fixed => NO_TIME,
            Times::Real => metadata
                .modified()?
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        });
        let mode = metadata.permissions().mode();
        header.set_mode(match times {
            Times::Real => mode & 0o7777,
            // All may read, whatever the author's habits are: it will be somebody else.
            Times::Fixed if metadata.is_dir() || mode & 0o100 != 0 => 0o755,
            Times::Fixed => 0o644,
        });
        header.set_size(0);
        if metadata.is_dir() {
            header.set_entry_type(EntryType::Directory);
            return self.archive.append_data(&mut header, name, io::empty());
        }
        if metadata.is_symlink() {
            header.set_entry_type(EntryType::Symlink);
            let target = fs::read_link(path)?;
            return self.archive.append_link(&mut header, name, target);
        }
        if !metadata.is_file() {
            // Sockets and devices are for this machine.
            return Ok(());
        }
        self.files += 1;
        header.set_entry_type(EntryType::Regular);
        header.set_size(metadata.len());
        // Somebody may write to it: the archive has as much as it says.
        let mut content = File::open(path)?.take(metadata.len());
        self.archive.append_data(&mut header, name, &mut content)?;
        if content.limit() > 0 {
            return Err(io::Error::other("it became shorter while it was read"));
        }
        Ok(())
    }

    /// The archive, from its beginning.
    pub(crate) fn finish(self) -> Result<File> {
        let mut file = self.archive.into_inner()?;
        file.rewind()?;
        Ok(file)
    }
}

/// Where a file is that need not be there yet.
fn absolute(file: &Path) -> PathBuf {
    let name = file.file_name().unwrap_or_default();
    let directory = match file.parent() {
        Some(directory) if !directory.as_os_str().is_empty() => directory,
        _ => Path::new("."),
    };
    let directory = directory.canonicalize();
    directory.map_or_else(|_| file.to_owned(), |directory| directory.join(name))
}
