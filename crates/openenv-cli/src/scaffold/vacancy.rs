//! A place for a new directory, which is filled at once or not at all.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context, Result};

use openenv_serve::Failure;

/// A path where nothing is yet, or an empty directory.
#[derive(Debug)]
pub(crate) struct Vacancy {
    parent: PathBuf,
    path: PathBuf,
}

impl Vacancy {
    /// The place for a directory inside of another one.
    ///
    /// # Errors
    /// If something is there already. Nothing was touched.
    pub(crate) fn find(parent: &Path, name: &str) -> Result<Self, Failure> {
        if parent.exists() && !parent.is_dir() {
            return Err(Failure::new(
                format!("`{}` is not a directory", parent.display()),
                "name the directory to write to with `--output-dir`",
            ));
        }
        // A path as people write it: without `./`.
        let path: PathBuf = parent
            .join(name)
            .components()
            .filter(|it| *it != Component::CurDir)
            .collect();
        let problem = match fs::read_dir(&path).map(|mut entries| entries.next()) {
            Ok(Some(_)) => Some("is there already, and not empty"),
            // Also a link that leads nowhere.
            Err(_) if path.symlink_metadata().is_ok() => Some("is there already"),
            Ok(None) | Err(_) => None,
        };
        if let Some(problem) = problem {
            let message = format!("`{}` {problem}", path.display());
            let hint = "choose another name, or another place with `--output-dir`";
            return Err(Failure::new(message, hint));
        }
        Ok(Self {
            parent: parent.to_owned(),
            path,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes files by their path, in a directory beside the place that becomes it at the end.
    pub(crate) fn fill(&self, files: &BTreeMap<String, String>) -> Result<()> {
        self.write(files)
            .with_context(|| format!("could not write `{}`", self.path.display()))
    }

    fn write(&self, files: &BTreeMap<String, String>) -> Result<()> {
        fs::create_dir_all(&self.parent)?;
        let mut builder = tempfile::Builder::new();
        builder.prefix(".openenv-init-");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new directory: the umask takes off what it takes off.
            builder.permissions(fs::Permissions::from_mode(0o777));
        }
        let draft = builder.tempdir_in(&self.parent)?;
        for (path, text) in files {
            let path = draft.path().join(path);
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent)?;
            }
            fs::write(path, text)?;
        }
        // An empty directory gives way, also where a link leads to it.
        let place = fs::canonicalize(&self.path).unwrap_or_else(|_| self.path.clone());
        if cfg!(windows) && place.is_dir() {
            fs::remove_dir(&place)?;
        }
        fs::rename(draft.path(), place)?;
        // What was there is elsewhere now: nothing is left to remove.
        let _ = draft.keep();
        Ok(())
    }
}
