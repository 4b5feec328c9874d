//! Python virtual environments inside the repository, one for each generation of a package.

use std::{fmt::Write as _, fs, path::PathBuf, process::Command};

use anyhow::{Context as _, Result};
use sha2::{Digest as _, Sha256};

use crate::system::{self, output, succeeds};
use crate::workspace;

/// One published generation of a Python package.
#[derive(Debug)]
pub(crate) struct Generation {
    /// `package-version`, the name of the environment and of its requirements file.
    name: &'static str,
    /// Where its tests and requirements are.
    tests: &'static str,
}

/// The reference release whose behaviour the server follows.
pub(crate) const REFERENCE: Generation = Generation::of_openenv("openenv-0.10.0");

/// Every generation that the server has to satisfy, newest first.
pub(crate) const GENERATIONS: [Generation; 4] = [
    REFERENCE,
    Generation::of_openenv("openenv-0.4.1"),
    Generation::of_openenv("openenv-core-0.3.0"),
    Generation::of_openenv("openenv-core-0.2.1"),
];

/// Both majors of the SDK of the Model Context Protocol; fastmcp comes with the first.
pub(crate) const MCP_SDKS: [Generation; 2] = [
    Generation::of_mcp_sdk("mcp-1.30.0"),
    Generation::of_mcp_sdk("mcp-2.3.0"),
];

/// What environments in Python need where `openenv` is not installed, in the versions of the reference.
pub(crate) const STANDIN: Generation = Generation {
    name: "standin",
    tests: "tests/standin",
};

/// What drives a browser, and judges what it shows.
pub(crate) const WEB: Generation = Generation {
    name: "web",
    tests: "tests/web",
};

/// Whether an environment can be used.
#[derive(Debug)]
pub(crate) enum Setup {
    Ready(Venv),
    /// Why this machine cannot have it.
    Unavailable(String),
}

/// A virtual environment with everything in it.
#[derive(Debug)]
pub(crate) struct Venv {
    directory: PathBuf,
}

impl Generation {
    const fn of_openenv(name: &'static str) -> Self {
        Self {
            name,
            tests: "tests/python",
        }
    }

    const fn of_mcp_sdk(name: &'static str) -> Self {
        Self {
            name,
            tests: "tests/mcp",
        }
    }

    /// The directory of the tests that are for it.
    pub(crate) fn tests(&self) -> PathBuf {
        workspace::root().join(self.tests)
    }

    pub(crate) fn name(&self) -> &'static str {
        self.name
    }

    /// Creates the environment, or finds that it is already as the requirements say.
    pub(crate) fn set_up(&self) -> Result<Setup> {
        let requirements = self
            .tests()
            .join("requirements")
            .join(format!("{}.txt", self.name));
        let content = fs::read(&requirements)
            .with_context(|| format!("could not read `{}`", requirements.display()))?;
        let Some(python) = output("python3", &["--version"]) else {
            return Ok(Setup::Unavailable("`python3` is not installed".into()));
        };

        let directory = directory().join(self.name);
        let stamp = directory.join("requirements.sha256");
        let wanted = digest(&[&content, python.as_bytes()]);
        if fs::read_to_string(&stamp).is_ok_and(|present| present == wanted) {
            return Ok(Setup::Ready(Venv { directory }));
        }

        if let Some(reason) = ensure_venv_module() {
            return Ok(Setup::Unavailable(reason));
        }
        println!("setting up `{}`", directory.display());
        let venv = Venv { directory };
        let mut create = Command::new("python3");
        create.args(["-m", "venv", "--clear"]).arg(&venv.directory);
        if !succeeds(&mut create) {
            return Ok(Setup::Unavailable("`python3 -m venv` failed".into()));
        }
        let mut install = Command::new(venv.program("python"));
        install
            // The requirements are complete, and most of what they bring is never imported: neither resolving nor compiling pays.
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--no-compile",
            ])
            .arg("--requirement")
            .arg(&requirements)
            .env("PIP_DISABLE_PIP_VERSION_CHECK", "1");
        if !succeeds(&mut install) {
            return Ok(Setup::Unavailable(format!(
                "could not install `{}`",
                requirements.display()
            )));
        }
        fs::write(&stamp, wanted)
            .with_context(|| format!("could not write `{}`", stamp.display()))?;
        Ok(Setup::Ready(venv))
    }
}

impl Venv {
    /// The path of a program installed here.
    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.bin().join(name)
    }

    /// The search path with this environment's programs first, as activating it would set it.
    pub(crate) fn search_path(&self) -> Result<std::ffi::OsString> {
        let inherited = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(self.bin()).chain(std::env::split_paths(&inherited));
        std::env::join_paths(paths).context("could not extend `PATH`")
    }

    fn bin(&self) -> PathBuf {
        self.directory.join("bin")
    }
}

/// Where all of them are.
pub(crate) fn directory() -> PathBuf {
    workspace::root().join(".venvs")
}

/// Makes sure `python3 -m venv` can give an environment its pip. Returns the reason when it cannot.
///
/// Debian and its relatives split that part of Python off into a package of its own.
fn ensure_venv_module() -> Option<String> {
    if output("python3", &["-c", "import ensurepip, venv"]).is_some() {
        return None;
    }
    system::install(&["python3-venv"])
        .err()
        .map(|reason| format!("Python's `ensurepip` is missing: {reason}"))
}

fn digest(parts: &[&[u8]]) -> String {
    let mut hasher = Sha256::new();
    for part in parts {
        hasher.update(part);
    }
    let mut text = String::new();
    for byte in hasher.finalize() {
        write!(text, "{byte:02x}").expect("a string takes all that is written");
    }
    text
}
