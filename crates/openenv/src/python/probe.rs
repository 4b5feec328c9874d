//! Asking an interpreter what it is.

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::str::FromStr;
use std::time::Duration;

use pep440_rs::{Version, VersionSpecifiers};
use serde::Deserialize;
use tokio::process::Command;
use tokio::time::timeout;

use crate::error::{Error, Result};

/// The oldest Python that workers run on, as the framework's own.
const OLDEST: [u64; 2] = [3, 10];

/// How long an interpreter may take to say what it is.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells of itself, and of the distributions that are named.
///
/// Written so that any Python understands it, to be told its version. What the
/// start of an interpreter prints comes before the last line.
const QUESTION: &str = r#"
import json, platform, sys
found = {}
try:
    from importlib import metadata
    for name in sys.argv[1:]:
        try:
            found[name] = str(metadata.version(name))
        except Exception:
            pass
except ImportError:
    pass
sys.stdout.write("\n" + json.dumps({
    "version": platform.python_version(),
    "executable": sys.executable or "",
    "base": getattr(sys, "_base_executable", None) or sys.executable or "",
    "installed": found,
}) + "\n")
"#;

/// What an interpreter says of itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Answer {
    pub(super) version: String,
    /// Itself, without the scripts that may stand before it
    pub(super) executable: PathBuf,
    /// Itself without the virtual environment that it may be of
    pub(super) base: PathBuf,
    /// Versions of the distributions that were asked for, those that it has
    pub(super) installed: BTreeMap<String, String>,
}

/// Asks an interpreter; the error says why it is not to be used.
pub(super) async fn ask(python: &Path, distributions: &[String]) -> Result<Answer, String> {
    let mut command = Command::new(python);
    command
        .arg("-c")
        .arg(QUESTION)
        .args(distributions)
        // Python looks for modules where it runs, and there is nothing here.
        .current_dir("/")
        .stdin(Stdio::null())
        .kill_on_drop(true);
    let output = match timeout(PATIENCE, command.output()).await {
        Err(_) => return Err(format!("it does not answer within {PATIENCE:?}")),
        Ok(Err(error)) => return Err(format!("it does not run: {error}")),
        Ok(Ok(output)) => output,
    };
    let told = String::from_utf8_lossy(&output.stdout);
    let last = told.trim_end().lines().next_back().unwrap_or_default();
    let answer = serde_json::from_str::<Answer>(last);
    let mut answer = match answer {
        Ok(answer) if output.status.success() => answer,
        _ => {
            let complaint = String::from_utf8_lossy(&output.stderr);
            let complaint = complaint.trim_end().lines().next_back().unwrap_or_default();
            let status = output.status;
            return Err(if complaint.is_empty() {
                format!("it is no Python, or a broken one ({status})")
            } else {
                format!("it is no Python, or a broken one ({status}: {complaint})")
            });
        }
    };
    if answer.executable.as_os_str().is_empty() {
        python.clone_into(&mut answer.executable);
    }
    let release = version_of(&answer.version)?;
    if release.release() < &OLDEST[..] {
        let [major, minor] = OLDEST;
        let version = &answer.version;
        return Err(format!(
            "it is Python {version}, and {major}.{minor} is the oldest that will do"
        ));
    }
    Ok(answer)
}

impl Answer {
    /// The version of a distribution, if it has it.
    pub(super) fn has(&self, distribution: &str) -> Option<&str> {
        self.installed.get(distribution).map(String::as_str)
    }

    /// The version of the framework, under either of its names.
    pub(super) fn openenv(&self) -> Option<&str> {
        self.has("openenv").or_else(|| self.has("openenv-core"))
    }

    /// Whether it is one of these versions.
    pub(super) fn is_among(&self, versions: &VersionSpecifiers) -> bool {
        version_of(&self.version).is_ok_and(|version| versions.contains(&version))
    }
}

/// The versions of Python that a package is for.
pub(super) fn versions(requires_python: Option<&str>) -> Result<VersionSpecifiers> {
    let Some(text) = requires_python else {
        return Ok(VersionSpecifiers::empty());
    };
    VersionSpecifiers::from_str(text).map_err(|_| {
        Error::configuration(format!(
            "`requires-python` in `pyproject.toml` is `{text}`; write it as `>=3.11`"
        ))
    })
}

fn version_of(text: &str) -> Result<Version, String> {
    // One that was built between releases ends with this.
    let text = text.trim_end_matches('+');
    Version::from_str(text).map_err(|_| format!("its version is `{text}`"))
}

/// The program of a name, where the shell would find it.
pub(super) fn on_path(name: &OsStr, search_path: &OsStr) -> Option<PathBuf> {
    env::split_paths(search_path)
        .filter(|directory| directory.is_absolute())
        .map(|directory| directory.join(name))
        .find(|file| is_executable(file))
}

fn is_executable(file: &Path) -> bool {
    fs::metadata(file).is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o111 != 0)
}
