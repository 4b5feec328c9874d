//! The files of a project, watched for changes.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::timeout;

/// Editors write a file in several moves, tools several files.
const QUIET: Duration = Duration::from_millis(80);

/// How often a project that is gone is looked for.
const LOOK: Duration = Duration::from_millis(200);

/// Files that programs write, not authors.
const WRITTEN: [&str; 6] = ["db", "log", "pid", "pyc", "sqlite", "tmp"];

/// Directories that change by themselves when a project is built, run or committed.
const DERIVED: [&str; 6] = [
    "target",
    "node_modules",
    "__pycache__",
    "outputs",
    "build",
    "dist",
];

/// Tells when a file of a project has changed.
#[derive(Debug)]
pub(super) struct Watch {
    watcher: RecommendedWatcher,
    changed: UnboundedReceiver<PathBuf>,
    roots: Vec<PathBuf>,
}

impl Watch {
    pub(super) fn over(roots: Vec<PathBuf>) -> Result<Self> {
        let (tell, changed) = unbounded_channel();
        let watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
            let Ok(event) = event else { return };
            // To be read is no change, or a build would be the reason for the next.
            if matches!(event.kind, EventKind::Access(_)) {
                return;
            }
            for path in event.paths {
                if matters(&path) {
                    // Nobody listens any more when the server stops.
                    let _ = tell.send(path);
                }
            }
        });
        let watcher = watcher.context("could not watch files")?;
        let mut watch = Self {
            watcher,
            changed,
            roots,
        };
        watch.rescan()?;
        Ok(watch)
    }

    /// Waits for a change, and until nothing more changes; gives the first file.
    pub(super) async fn change(&mut self) -> Result<PathBuf> {
        let mut path = self.first_change().await?;
        while let Ok(Some(next)) = timeout(QUIET, self.changed.recv()).await {
            // Editors write to a file of another name, and rename it.
            if !path.exists() {
                path = next;
            }
        }
        // New directories have to be watched as well.
        self.rescan()?;
        Ok(path)
    }

    async fn first_change(&mut self) -> Result<PathBuf> {
        loop {
            let gone = self.roots.iter().find(|root| !root.exists()).cloned();
            let changed = match &gone {
                None => self.changed.recv().await,
                // Nobody tells when it is there again.
                Some(root) => match timeout(LOOK, self.changed.recv()).await {
                    Ok(changed) => changed,
                    Err(_) if root.exists() => return Ok(root.clone()),
                    Err(_) => continue,
                },
            };
            return changed.context("files are watched no more");
        }
    }

    /// Watches every directory that has files of the project in it. One by one: what is
    /// built into the same tree would cost a watch for each of its directories.
    fn rescan(&mut self) -> Result<()> {
        let mut pending = self.roots.clone();
        while let Some(directory) = pending.pop() {
            let watched = self.watcher.watch(&directory, RecursiveMode::NonRecursive);
            if let Err(error) = watched {
                // It is on its way, as when another branch is checked out.
                if !directory.exists() {
                    continue;
                }
                let failed = format!("could not watch `{}`", directory.display());
                return Err(anyhow::Error::new(error).context(failed));
            }
            let Ok(entries) = directory.read_dir() else {
                continue;
            };
            let entries = entries.filter_map(Result::ok);
            let directories = entries.filter(|it| it.file_type().is_ok_and(|kind| kind.is_dir()));
            pending.extend(directories.map(|it| it.path()).filter(|it| matters(it)));
        }
        Ok(())
    }
}

/// Whether a change of the file can change what is served.
fn matters(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let extension = path.extension().and_then(|it| it.to_str());
    !name.starts_with('.')
        && !name.ends_with('~')
        && !extension.is_some_and(|it| WRITTEN.contains(&it) || it.starts_with("sqlite"))
        && !DERIVED.contains(&name)
        && !name.ends_with(".egg-info")
        // Cargo may write it while it builds, and then every build would follow another.
        && name != "Cargo.lock"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_derived_does_not_matter() {
        for path in ["src/lib.rs", "models.py", "openenv.yaml", "data/words.txt"] {
            assert!(matters(Path::new(path)), "{path}");
        }
        for path in [
            "target",
            ".git",
            ".lib.rs.swp",
            "x/__pycache__",
            "a.pyc",
            "lib.rs~",
            "Cargo.lock",
        ] {
            assert!(!matters(Path::new(path)), "{path}");
        }
    }

    #[tokio::test]
    async fn changes_are_told_also_in_new_directories() {
        let root = tempfile::tempdir().unwrap();
        let mut watch = Watch::over(vec![root.path().to_owned()]).unwrap();
        std::fs::create_dir(root.path().join("src")).unwrap();
        assert_eq!(watch.change().await.unwrap(), root.path().join("src"));
        let file = root.path().join("src/lib.rs");
        std::fs::write(&file, "1").unwrap();
        assert_eq!(watch.change().await.unwrap(), file);
        // What is derived is silent: the next that is told is the file.
        std::fs::create_dir(root.path().join("target")).unwrap();
        std::fs::write(root.path().join("target/x"), "").unwrap();
        std::fs::write(&file, "2").unwrap();
        assert_eq!(watch.change().await.unwrap(), file);
    }
}
