//! The file that an image is written to.

use std::fs::{self, File, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use openenv_build::Compression;
use tempfile::NamedTempFile;

/// A file that has its name once it is complete. Before that it is beside its place, and
/// it is removed if it is not completed.
#[derive(Debug)]
pub(super) struct Output {
    /// As it was given
    path: PathBuf,
    writing: Writing,
}

#[derive(Debug)]
enum Writing {
    Beside {
        file: NamedTempFile,
        target: PathBuf,
    },
    /// A pipe or a device, which cannot be replaced
    Direct(File),
}

impl Output {
    /// Begins a file: where none can be written, it is known before anything is built.
    pub(super) fn create(path: &Path) -> Result<Self> {
        let writing = Writing::begin(path).with_context(|| unwritten(path))?;
        Ok(Self {
            path: path.to_owned(),
            writing,
        })
    }

    /// What the name asks for.
    pub(super) fn compression(&self) -> Compression {
        let extension = self.path.extension().unwrap_or_default();
        if extension == "gz" || extension == "tgz" {
            Compression::Gzip
        } else {
            Compression::None
        }
    }

    /// Files that are no part of what is built.
    pub(super) fn files(&self) -> Vec<PathBuf> {
        let mut files = vec![self.path.clone()];
        if let Writing::Beside { file, target } = &self.writing {
            files.extend([file.path().to_owned(), target.clone()]);
        }
        files
    }

    /// The file, to write to.
    pub(super) fn file(&self) -> Result<File> {
        let file = match &self.writing {
            Writing::Beside { file, .. } => file.as_file(),
            Writing::Direct(file) => file,
        };
        file.try_clone().with_context(|| unwritten(&self.path))
    }

    /// What to say if it cannot be written.
    pub(super) fn unwritten(&self) -> String {
        unwritten(&self.path)
    }

    /// Gives the file its name.
    pub(super) fn complete(self) -> Result<()> {
        if let Writing::Beside { file, target } = self.writing {
            let named = file.persist(target).map_err(|error| error.error);
            named.with_context(|| unwritten(&self.path))?;
        }
        Ok(())
    }
}

impl Writing {
    fn begin(path: &Path) -> io::Result<Self> {
        // A link stays one.
        let target = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        match fs::metadata(&target) {
            Ok(it) if it.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
            Ok(it) if !it.is_file() => {
                return File::options().write(true).open(target).map(Self::Direct);
            }
            _ => {}
        }
        let directory = match target.parent() {
            Some(directory) if !directory.as_os_str().is_empty() => directory,
            _ => Path::new("."),
        };
        let file = tempfile::Builder::new()
            .prefix(".openenv-build-")
            // As other files are, and not for its owner alone.
            .permissions(Permissions::from_mode(0o666))
            .tempfile_in(directory)?;
        Ok(Self::Beside { file, target })
    }
}

fn unwritten(path: &Path) -> String {
    format!("could not write `{}`", path.display())
}
