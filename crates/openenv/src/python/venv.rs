//! Virtual environments that are made for packages, and kept.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::time::sleep;

use super::probe::{self, Answer};
use super::requirements::name_of;
use super::tool::{self, Failure};
use super::wanted::Wanted;
use crate::error::{Error, Result};

/// How often to look whether another process is done with an environment.
const LOOK: Duration = Duration::from_millis(100);

/// The file that is written last: with it, an environment is complete.
const COMPLETE: &str = "openenv-complete";

/// What pip says that is worth telling: what it does rather than how.
const TOLD_OF_PIP: [&str; 4] = [
    "Collecting ",
    "Building wheel",
    "Installing ",
    "Successfully ",
];

/// A virtual environment with what a package asks for.
///
/// It is made where it will be, not moved there: the scripts in it begin with its
/// path, and packages run them. So that nobody uses half of one, it is made under a
/// lock and has a file that is written last. The kernel gives the lock back
/// whatever ends its holders; who gets it next and finds no such file begins anew.
#[derive(Debug)]
pub(super) struct Venv<'a> {
    pub(super) directory: PathBuf,
    /// The name of the package, for messages
    pub(super) name: &'a str,
    /// The directory of the package
    pub(super) root: &'a Path,
    pub(super) wanted: &'a Wanted,
    pub(super) base: &'a Base,
    pub(super) search_path: &'a OsStr,
    pub(super) offline: bool,
}

/// The Python that virtual environments are made from.
#[derive(Debug)]
pub(super) enum Base {
    /// One that is installed
    Installed { version: String, path: PathBuf },
    /// One that uv is to get: the versions that will do
    Fetched(String),
}

impl Base {
    /// What tells it from others.
    pub(super) fn identity(&self) -> String {
        match self {
            Self::Installed { version, path } => format!("{version} {}", path.display()),
            Self::Fetched(versions) => format!("uv {versions}"),
        }
    }

    fn argument(&self) -> OsString {
        match self {
            Self::Installed { path, .. } => path.into(),
            Self::Fetched(versions) => versions.into(),
        }
    }
}

impl Venv<'_> {
    /// The environment as it is, or else made now; and whether it was made.
    ///
    /// `distributions` is what its interpreter is asked for.
    pub(super) async fn ready(
        &self,
        distributions: &[String],
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<(Answer, bool)> {
        if let Some(answer) = self.complete(distributions).await {
            return Ok((answer, false));
        }
        let lock = self.lock(tell).await?;
        // Who had the lock before may have made it.
        if let Some(answer) = self.complete(distributions).await {
            return Ok((answer, false));
        }
        let made = self.make(&lock, distributions, tell).await;
        if made.is_err() {
            // Nothing is lost if this fails: it is not complete.
            let _ = self.remove().await;
        }
        made.map(|answer| (answer, true))
    }

    fn python(&self) -> PathBuf {
        self.directory.join("bin").join("python")
    }

    /// What its interpreter says, if it is complete and still works.
    async fn complete(&self, distributions: &[String]) -> Option<Answer> {
        if !self.directory.join(COMPLETE).is_file() {
            return None;
        }
        // The Python that it was made from may be gone.
        probe::ask(&self.python(), distributions).await.ok()
    }

    async fn lock(&self, tell: &(dyn Fn(&str) + Sync)) -> Result<File> {
        let path = self.directory.with_added_extension("lock");
        let failed = |error: io::Error| {
            Error::configuration(format!(
                "could not make a Python environment in `{}`: {error}; \
                 choose another directory for the cache, with `XDG_CACHE_HOME` for example",
                self.directory.display()
            ))
        };
        if let Some(above) = path.parent() {
            fs::create_dir_all(above).map_err(failed)?;
        }
        // To be read as well: it becomes the standard input of tools.
        let mut options = File::options();
        options.read(true).write(true).create(true).truncate(false);
        let lock = options.open(&path).map_err(failed)?;
        let mut told = false;
        loop {
            // Asked again and again rather than waited for: that could not be given up.
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) => {
                    if !told {
                        let name = self.name;
                        tell(&format!(
                            "another process makes the Python environment for {name}, waiting"
                        ));
                        told = true;
                    }
                    sleep(LOOK).await;
                }
            }
        }
    }

    async fn make(
        &self,
        lock: &File,
        distributions: &[String],
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<Answer> {
        let (name, count) = (self.name, self.wanted.count());
        let packages = if count == 1 { "package" } else { "packages" };
        tell(&format!(
            "making a Python environment for {name}: {count} {packages}"
        ));
        self.remove().await?;
        if let Some(uv) = probe::on_path(OsStr::new("uv"), self.search_path) {
            self.make_with_uv(&uv, lock, tell).await?;
        } else {
            self.make_with_pip(lock, tell).await?;
        }
        let answer = probe::ask(&self.python(), distributions)
            .await
            .map_err(|why| {
                let python = self.python();
                Error::new(format!(
                    "`{}` was made and cannot be used: {why}",
                    python.display()
                ))
            })?;
        fs::write(self.directory.join(COMPLETE), self.wanted.lines.join("\n"))?;
        Ok(answer)
    }

    async fn make_with_uv(
        &self,
        uv: &Path,
        lock: &File,
        tell: &(dyn Fn(&str) + Sync),
    ) -> Result<()> {
        let base = self.base.argument();
        let command = || -> io::Result<_> {
            let mut command = tool::command(uv, self.search_path, self.root, lock)?;
            command.arg("--no-progress");
            if self.offline {
                command.arg("--offline");
            }
            Ok(command)
        };
        let mut create = command()?;
        create.args(["venv", "--quiet", "--no-project", "--python"]);
        create.arg(&base).arg(&self.directory);
        let created = tool::run(create, &|_| {}).await;
        created.map_err(|failure| self.not_created("uv venv", &failure))?;

        let mut install = command()?;
        // Otherwise each of the first workers would compile all of it.
        install.env("UV_COMPILE_BYTECODE", "1");
        if self.wanted.lock.is_some() {
            install.args(["sync", "--frozen", "--no-install-project", "--no-dev"]);
            install
                .arg("--python")
                .arg(&base)
                .arg("--project")
                .arg(self.root);
            install.env("UV_PROJECT_ENVIRONMENT", &self.directory);
        } else {
            install.args(["pip", "install", "--python"]);
            install.arg(self.python()).args(self.files()?);
        }
        let installed = tool::run(install, &|line| tell(line.trim())).await;
        installed.map_err(|failure| self.not_installed("uv", &failure))
    }

    async fn make_with_pip(&self, lock: &File, tell: &(dyn Fn(&str) + Sync)) -> Result<()> {
        let base = PathBuf::from(self.base.argument());
        let mut create = tool::command(&base, self.search_path, self.root, lock)?;
        create.args(["-m", "venv"]).arg(&self.directory);
        let created = tool::run(create, &|_| {}).await;
        created.map_err(|failure| self.not_created("python -m venv", &failure))?;

        let mut install = tool::command(&self.python(), self.search_path, self.root, lock)?;
        install.args([
            "-m",
            "pip",
            "install",
            "--no-input",
            "--progress-bar",
            "off",
        ]);
        install.arg("--disable-pip-version-check");
        if self.offline {
            install.arg("--no-index");
        }
        install.args(self.files()?);
        let tell = |line: &str| {
            let line = line.trim();
            if TOLD_OF_PIP
                .iter()
                .any(|beginning| line.starts_with(beginning))
            {
                tell(line);
            }
        };
        let installed = tool::run(install, &tell).await;
        installed.map_err(|failure| self.not_installed("pip", &failure))
    }

    /// The files that tell an installer what to install, inside of the environment.
    fn files(&self) -> Result<Vec<OsString>> {
        let mut arguments = Vec::new();
        for (option, name, lines) in [
            ("-r", "openenv-requirements.txt", &self.wanted.lines),
            ("-c", "openenv-constraints.txt", &self.wanted.constraints),
        ] {
            let file = self.directory.join(name);
            fs::write(&file, lines.join("\n") + "\n")?;
            arguments.extend([option.into(), file.into()]);
        }
        Ok(arguments)
    }

    async fn remove(&self) -> Result<()> {
        let directory = self.directory.clone();
        // Thousands of files, which takes a while.
        let removed = tokio::task::spawn_blocking(move || fs::remove_dir_all(directory)).await;
        match removed.map_err(io::Error::other).flatten() {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                let directory = self.directory.display();
                Err(Error::new(format!(
                    "could not remove `{directory}`: {error}"
                )))
            }
            _ => Ok(()),
        }
    }

    fn not_created(&self, tool: &str, failure: &Failure) -> Error {
        let name = self.name;
        if let Base::Installed { version, path } = self.base
            && ["ensurepip", "No module named venv"]
                .iter()
                .any(|text| failure.says(text))
        {
            let minor: Vec<&str> = version.split('.').take(2).collect();
            return Error::configuration(format!(
                "`{}` cannot make virtual environments, and {name} needs one: on Debian and Ubuntu that is `apt install python{}-venv`; \
                 or install uv, or name a Python that has what {name} requires",
                path.display(),
                minor.join(".")
            ));
        }
        Error::new(format!(
            "could not make a Python environment for {name}: `{tool}`: {}",
            failure.told()
        ))
    }

    fn not_installed(&self, tool: &str, failure: &Failure) -> Error {
        let name = self.name;
        let culprit = failure.culprit().map(|culprit| {
            // The words of the package say more than those of the tool.
            let asked = self
                .wanted
                .lines
                .iter()
                .find(|line| name_of(line).is_some() && name_of(line) == name_of(&culprit));
            asked.cloned().unwrap_or(culprit)
        });
        let what = culprit.map_or_else(
            || format!("what {name} requires"),
            |culprit| format!("`{culprit}`, which {name} requires"),
        );
        let offline = if self.offline {
            " without a network"
        } else {
            ""
        };
        Error::new(format!(
            "could not install {what}{offline}: `{tool}`: {}",
            failure.told()
        ))
    }
}
