//! Which Python runs the workers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::probe::{self, Answer};
use super::project::Project;
use super::venv::{Base, Venv};
use super::wanted::{Wanted, required_names};
use crate::error::{Error, Result};

/// The names under which a Python may be installed, in the order they are tried.
const NAMES: [&str; 7] = [
    "python3",
    "python3.13",
    "python3.12",
    "python3.11",
    "python3.10",
    "python3.14",
    "python",
];

/// The framework under both of its names, and what is needed without it.
const ASKED_FOR: [&str; 3] = ["openenv", "openenv-core", "pydantic"];

/// A Python that runs an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Interpreter {
    /// The program, absolute
    pub path: PathBuf,
    /// Its version, as `3.12.4`
    pub version: String,
    /// Where it came from
    pub origin: InterpreterOrigin,
    /// The version of the framework that it has; without one a light stand-in is used
    pub openenv: Option<String>,
    /// Distributions that the package requires on every platform, and it does not have
    pub missing: Vec<String>,
}

/// Where an interpreter came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum InterpreterOrigin {
    /// It was asked for.
    Explicit,
    /// The package has it, in `.venv`.
    Package,
    /// A virtual environment is active.
    Active,
    /// It was made for the package before, or is used by another one that requires the same.
    Cached,
    /// It was made for the package now.
    Made,
}

/// Which Python to use, and how to make one.
#[derive(Debug, Clone, Default)]
pub struct InterpreterOptions {
    /// A path, or a name to look up in `PATH`; or the directory of a virtual environment.
    ///
    /// Without one: the package's own `.venv`, else the virtual environment that is
    /// active, else one that is made for the package and kept.
    pub explicit: Option<PathBuf>,
    /// Whether to do without a network; `false` by default
    pub offline: bool,
    /// Where to keep what is made; `openenv` in `$XDG_CACHE_HOME` or `~/.cache` by default
    pub cache: Option<PathBuf>,
    /// Whether to have the framework itself with all that it requires; `false` by default.
    ///
    /// What is not asked for takes a second to import in each worker, and most of its memory.
    pub full: bool,
}

/// Chooses the Python that runs a package, and makes one if there is none.
///
/// One that is found is used as it is, and never changed. One that is made
/// is for this package alone, and kept for as long as what it requires stays the same.
///
/// `progress` is told what happens, a line each.
pub async fn choose(
    project: &Project,
    options: &InterpreterOptions,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Interpreter> {
    let surroundings = Surroundings::read();
    let choice = Choice::new(project, options, &surroundings, progress)?;
    choice.made().await
}

/// What is said outside of the package.
#[derive(Debug, Default)]
struct Surroundings {
    search_path: OsString,
    virtual_env: Option<PathBuf>,
    cache: Option<PathBuf>,
}

impl Surroundings {
    fn read() -> Self {
        let directory = |name: &str| {
            let value = env::var_os(name).map(PathBuf::from);
            // Relative ones are to be ignored, says the specification.
            value.filter(|path| path.is_absolute())
        };
        let home = || Some(directory("HOME")?.join(".cache"));
        Self {
            search_path: env::var_os("PATH").unwrap_or_default(),
            virtual_env: directory("VIRTUAL_ENV"),
            cache: directory("XDG_CACHE_HOME")
                .or_else(home)
                .map(|cache| cache.join("openenv")),
        }
    }

    fn program(&self, name: &str) -> Option<PathBuf> {
        probe::on_path(OsStr::new(name), &self.search_path)
    }
}

/// A choice that is being made.
struct Choice<'a> {
    project: &'a Project,
    options: &'a InterpreterOptions,
    surroundings: &'a Surroundings,
    tell: &'a (dyn Fn(&str) + Sync),
    versions: pep440_rs::VersionSpecifiers,
    /// What the package requires on every platform
    required: Vec<String>,
    /// What an interpreter is asked for
    distributions: Vec<String>,
}

impl<'a> Choice<'a> {
    fn new(
        project: &'a Project,
        options: &'a InterpreterOptions,
        surroundings: &'a Surroundings,
        tell: &'a (dyn Fn(&str) + Sync),
    ) -> Result<Self> {
        let required = required_names(project)?;
        let framework = ASKED_FOR.map(str::to_owned).into_iter();
        Ok(Self {
            project,
            options,
            surroundings,
            tell,
            versions: probe::versions(project.requirements.python.as_deref())?,
            distributions: framework.chain(required.iter().cloned()).collect(),
            required,
        })
    }

    async fn made(&self) -> Result<Interpreter> {
        if let Some(python) = &self.options.explicit {
            return self.explicit(python).await;
        }
        let own = self.project.root.join(".venv");
        if let Some(answer) = self.found(&own, |answer| self.lacks(answer)).await {
            self.tell_what_is_missing(&answer);
            return Ok(self.interpreter(answer, InterpreterOrigin::Package));
        }
        if let Some(active) = &self.surroundings.virtual_env {
            // It may be there for something else, so it has to have everything.
            let unfit = |answer: &Answer| self.lacks(answer).or_else(|| self.misses(answer));
            if let Some(answer) = self.found(active, unfit).await {
                return Ok(self.interpreter(answer, InterpreterOrigin::Active));
            }
        }
        self.kept().await
    }

    async fn explicit(&self, python: &Path) -> Result<Interpreter> {
        let shown = python.display();
        let unusable = |why: &str| Error::configuration(format!("`{shown}` cannot be used: {why}"));
        let is_name = python.components().count() == 1 && !python.is_absolute();
        let path = if python.is_dir() {
            python.join("bin").join("python")
        } else if python.exists() {
            python.to_owned()
        } else if is_name {
            probe::on_path(python.as_os_str(), &self.surroundings.search_path)
                .ok_or_else(|| unusable("there is no such file, and no such program in `PATH`"))?
        } else {
            return Err(unusable("there is no such file"));
        };
        // It is run from elsewhere.
        let path = std::path::absolute(path)?;
        let answer = probe::ask(&path, &self.distributions).await;
        let answer = answer.map_err(|why| unusable(&why))?;
        if let Some(lack) = self.lacks(&answer) {
            let what = if self.options.full {
                "openenv"
            } else {
                "'pydantic>=2'"
            };
            let path = answer.executable.display();
            return Err(unusable(&format!(
                "{lack}; install it with `{path} -m pip install {what}`, or name no Python"
            )));
        }
        self.tell_what_is_missing(&answer);
        Ok(self.interpreter(answer, InterpreterOrigin::Explicit))
    }

    /// The interpreter of a virtual environment that is there, if it is fit.
    async fn found(
        &self,
        directory: &Path,
        unfit: impl Fn(&Answer) -> Option<String>,
    ) -> Option<Answer> {
        if !directory.is_dir() {
            return None;
        }
        let python = directory.join("bin").join("python");
        let answer = probe::ask(&python, &self.distributions).await;
        let why = match answer {
            Ok(answer) => match unfit(&answer) {
                None => return Some(answer),
                Some(why) => why,
            },
            Err(why) => why,
        };
        (self.tell)(&format!("passing over `{}`: {why}", directory.display()));
        None
    }

    /// What an interpreter lacks that no environment runs without.
    fn lacks(&self, answer: &Answer) -> Option<String> {
        if self.options.full {
            let lack = "it does not have openenv, and all of it was asked for";
            return answer.openenv().is_none().then(|| lack.to_owned());
        }
        match answer.has("pydantic") {
            None => Some("it does not have pydantic".to_owned()),
            Some(old) if old.starts_with("1.") => Some(format!("it has pydantic {old}, not 2")),
            Some(_) => None,
        }
    }

    /// What an interpreter does not have of what the package asks for.
    fn misses(&self, answer: &Answer) -> Option<String> {
        if !answer.is_among(&self.versions) {
            let (name, versions) = (&self.project.name, &self.versions);
            let version = &answer.version;
            return Some(format!(
                "it is Python {version}, and {name} requires {versions}"
            ));
        }
        let missing = self.missing(answer);
        (!missing.is_empty()).then(|| {
            let name = &self.project.name;
            format!(
                "it does not have {}, which {name} requires",
                missing.join(", ")
            )
        })
    }

    fn missing(&self, answer: &Answer) -> Vec<String> {
        let required = self.required.iter();
        let missing = required.filter(|name| answer.has(name).is_none());
        missing.cloned().collect()
    }

    fn interpreter(&self, answer: Answer, origin: InterpreterOrigin) -> Interpreter {
        Interpreter {
            openenv: answer.openenv().map(str::to_owned),
            missing: self.missing(&answer),
            path: answer.executable,
            version: answer.version,
            origin,
        }
    }

    /// Says it, for whoever chose this interpreter knows better.
    fn tell_what_is_missing(&self, answer: &Answer) {
        if let Some(missing) = self.misses(answer) {
            let path = answer.executable.display();
            (self.tell)(&format!("using `{path}` although {missing}"));
        }
    }

    /// A virtual environment of the package's own, made if need be.
    async fn kept(&self) -> Result<Interpreter> {
        let cache = self
            .options
            .cache
            .as_ref()
            .or(self.surroundings.cache.as_ref());
        let cache = cache.ok_or_else(|| {
            Error::configuration(
                "there is no directory to keep a Python environment in: set `XDG_CACHE_HOME` or `HOME`",
            )
        })?;
        let wanted = Wanted::of(self.project, self.options.full)?;
        let base = self.base().await?;
        let digest = wanted.digest(&base.identity());
        let name = &self.project.name;
        let venvs = std::path::absolute(cache)?.join("venvs");
        let venv = Venv {
            directory: venvs.join(format!("{name}-{digest}")),
            name,
            root: &self.project.root,
            wanted: &wanted,
            base: &base,
            search_path: &self.surroundings.search_path,
            offline: self.options.offline,
        };
        let (answer, made) = venv.ready(&self.distributions, self.tell).await?;
        if let Some(lack) = self.lacks(&answer) {
            let directory = venv.directory.display();
            return Err(Error::configuration(format!(
                "`{directory}` was made as {name} requires, and cannot be used: {lack}"
            )));
        }
        let origin = if made {
            InterpreterOrigin::Made
        } else {
            InterpreterOrigin::Cached
        };
        Ok(self.interpreter(answer, origin))
    }

    /// The Python to make virtual environments from.
    async fn base(&self) -> Result<Base> {
        let mut passed_over = Vec::new();
        for name in NAMES {
            let Some(path) = self.surroundings.program(name) else {
                continue;
            };
            match probe::ask(&path, &[]).await {
                Ok(answer) if answer.is_among(&self.versions) => {
                    return Ok(Base::Installed {
                        version: answer.version,
                        path: answer.base,
                    });
                }
                Ok(answer) => passed_over.push(format!("`{name}` is {}", answer.version)),
                Err(why) => passed_over.push(format!("`{name}`: {why}")),
            }
        }
        let versions = self.project.requirements.python.as_deref();
        let versions = versions.unwrap_or(">=3.10");
        if self.surroundings.program("uv").is_some() {
            return Ok(Base::Fetched(versions.to_owned()));
        }
        let passed_over = if passed_over.is_empty() {
            "there is no `python3`".to_owned()
        } else {
            passed_over.join(", ")
        };
        Err(Error::configuration(format!(
            "{} requires Python {versions}, and there is none in `PATH` ({passed_over}): install it, or uv, which gets it, or name one",
            self.project.name
        )))
    }
}

impl fmt::Display for InterpreterOrigin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Explicit => "asked for",
            Self::Package => "the package's own",
            Self::Active => "the active virtual environment",
            Self::Cached => "made before",
            Self::Made => "made now",
        })
    }
}

/// Where things are kept from one start to the next.
pub(super) fn cache_directory(options: &InterpreterOptions) -> Option<PathBuf> {
    options.cache.clone().or_else(|| Surroundings::read().cache)
}

impl InterpreterOrigin {
    /// Whether it was made for the package, by this library.
    pub(super) fn is_ours(self) -> bool {
        matches!(self, Self::Cached | Self::Made)
    }
}

#[cfg(test)]
mod tests;
