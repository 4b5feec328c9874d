//! The files in Python that come with the server, where an interpreter finds them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest, Sha256};

use super::wanted::shortened;

/// Each file by its path, with its text: the compiler notices when one changes.
macro_rules! files {
    ($($path:literal,)*) => { &[$(($path, include_str!($path)),)*] };
}

static FILES: &[(&str, &str)] = files![
    "standin/openenv/__init__.py",
    "standin/openenv/_left_out.py",
    "standin/openenv/core/__init__.py",
    "standin/openenv/core/_refusing.py",
    "standin/openenv/core/client_types.py",
    "standin/openenv/core/containers/__init__.py",
    "standin/openenv/core/containers/runtime/__init__.py",
    "standin/openenv/core/containers/runtime/providers.py",
    "standin/openenv/core/containers/runtime/uv_provider.py",
    "standin/openenv/core/env_client.py",
    "standin/openenv/core/env_server/__init__.py",
    "standin/openenv/core/env_server/_utils.py",
    "standin/openenv/core/env_server/application.py",
    "standin/openenv/core/env_server/base_transforms.py",
    "standin/openenv/core/env_server/exceptions.py",
    "standin/openenv/core/env_server/http_server.py",
    "standin/openenv/core/env_server/interfaces.py",
    "standin/openenv/core/env_server/mcp_environment.py",
    "standin/openenv/core/env_server/mcp_types.py",
    "standin/openenv/core/env_server/route_config.py",
    "standin/openenv/core/env_server/serialization.py",
    "standin/openenv/core/env_server/types.py",
    "standin/openenv/core/env_server/web_interface.py",
    "standin/openenv/core/generic_client.py",
    "standin/openenv/core/mcp_client.py",
    "standin/openenv/core/rubrics/__init__.py",
    "standin/openenv/core/rubrics/base.py",
    "standin/openenv/core/rubrics/containers.py",
    "standin/openenv/core/rubrics/trajectory.py",
    "standin/openenv/core/sync_client.py",
    "standin/openenv/core/utils.py",
    "standin/openenv_core/__init__.py",
    "worker/__main__.py",
    "worker/openenv_worker/__init__.py",
    "worker/openenv_worker/allowance.py",
    "worker/openenv_worker/answer.py",
    "worker/openenv_worker/application.py",
    "worker/openenv_worker/blame.py",
    "worker/openenv_worker/inert.py",
    "worker/openenv_worker/isolation.py",
    "worker/openenv_worker/keeper.py",
    "worker/openenv_worker/link.py",
    "worker/openenv_worker/load.py",
    "worker/openenv_worker/nursery.py",
    "worker/openenv_worker/output.py",
    "worker/openenv_worker/protocol.py",
    "worker/openenv_worker/recorder.py",
    "worker/openenv_worker/session.py",
    "worker/openenv_worker/system.py",
    "worker/openenv_worker/template.py",
    "worker/openenv_worker/tools.py",
    "worker/openenv_worker/worker.py",
];

/// Where the files are.
#[derive(Debug, Clone)]
pub(super) struct Scripts {
    /// What an interpreter is started with.
    pub(super) worker: PathBuf,
    /// Takes the place of `openenv` where it is not installed.
    pub(super) standin: PathBuf,
}

impl Scripts {
    /// Puts the files into a directory below `cache`, where compiled forms of them
    /// are kept as well, or into `otherwise` if that cannot be written.
    pub(super) fn install(cache: Option<&Path>, otherwise: &Path) -> io::Result<Self> {
        let lasting = cache.and_then(|cache| {
            let home = cache.join(format!("scripts-{}", digest()));
            write_once(&home).ok()?;
            Some(home)
        });
        let home = if let Some(home) = lasting {
            home
        } else {
            let home = otherwise.join("scripts");
            write(&home)?;
            home
        };
        Ok(Self {
            worker: home.join("worker"),
            standin: home.join("standin"),
        })
    }
}

/// Writes the files beside their place and moves them there: who finds the place
/// finds all of them.
fn write_once(home: &Path) -> io::Result<()> {
    if home.is_dir() {
        return Ok(());
    }
    let beside = home.with_extension(format!("{}.new", std::process::id()));
    write(&beside)?;
    match fs::rename(&beside, home) {
        // Somebody else was quicker.
        Err(_) if home.is_dir() => fs::remove_dir_all(&beside),
        moved => moved,
    }
}

fn write(home: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        let place = home.join(path);
        if let Some(directory) = place.parent() {
            fs::create_dir_all(directory)?;
        }
        fs::write(place, text)?;
    }
    Ok(())
}

/// Changes whenever one of the files does.
fn digest() -> String {
    let mut hash = Sha256::new();
    for (path, text) in FILES {
        hash.update(path);
        hash.update(text);
    }
    shortened(hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_file_is_forgotten() {
        fn walk(directory: &Path, found: &mut Vec<PathBuf>) {
            for entry in fs::read_dir(directory).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    walk(&path, found);
                } else if path.extension().is_some_and(|extension| extension == "py") {
                    found.push(path);
                }
            }
        }
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/python");
        let mut found = Vec::new();
        for part in ["worker", "standin"] {
            walk(&root.join(part), &mut found);
        }
        found.sort();
        let mut listed: Vec<_> = FILES.iter().map(|(path, _)| root.join(path)).collect();
        listed.sort();
        assert_eq!(listed, found);
    }
}
