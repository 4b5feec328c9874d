//! What there is to load: a package, or a single class.

use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::layout::{self, Layout};
use super::manifest::{self, Manifest};
use super::pyproject;
use super::requirements::Requirements;
use crate::error::{Error, Result};

/// An environment in Python, as its author keeps it.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Project {
    /// Directory of the package, absolute
    pub root: PathBuf,
    /// The name to serve it under if nobody says otherwise; fits into a path.
    ///
    /// That of the manifest, else that of `pyproject.toml` without `openenv-`,
    /// else the directory's.
    pub name: String,
    /// Modules that may hold the application, the best first; empty if there is an [`object`](Self::object)
    pub modules: Vec<Candidate>,
    /// A class or function to be served without an application
    pub object: Option<ObjectPath>,
    /// A package that is not importable by path: an import has to be told where it is
    pub package: Option<PackageDir>,
    /// Directories for the import path, the first first: the root, and where its packages are
    pub paths: Vec<PathBuf>,
    /// What `openenv.yaml` says
    pub manifest: Option<Manifest>,
    /// What it asks to have installed
    pub requirements: Requirements,
}

/// A module that may hold the application.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Candidate {
    /// Dotted name, as it is imported
    pub module: String,
    /// The application in it, where that was said
    pub attribute: Option<String>,
    /// Where that was said
    pub said_by: SaidBy,
}

/// Where the module of an application was said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum SaidBy {
    /// The path that was asked for is its file.
    Path,
    /// The script `server` in `pyproject.toml` starts it.
    Script,
    /// `app` in `openenv.yaml` names it.
    Manifest,
    /// It is where such a module usually is.
    Layout,
}

/// A class, or a function that makes an environment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct ObjectPath {
    /// Dotted name of the module, as it is imported
    pub module: String,
    /// Its name in the module, dotted if it is inside of another
    pub attribute: String,
}

/// A package by the name it is imported as, in a directory that may have another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct PackageDir {
    /// The name it is imported as
    pub name: String,
    /// Where it is
    pub directory: PathBuf,
}

impl Project {
    /// The package in a directory.
    ///
    /// The directory has an `openenv.yaml`, a `pyproject.toml` or a
    /// `server/app.py`; the path of one of these, or of another file with an
    /// application, will do as well.
    ///
    /// Nothing of it is run: what is asked for is read and looked at.
    pub fn find(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let missing = |error: std::io::Error| {
            let path = path.display();
            if error.kind() == std::io::ErrorKind::NotFound {
                return Error::configuration(format!("there is no directory `{path}`"));
            }
            Error::configuration(format!("could not read `{path}`: {error}"))
        };
        if fs::metadata(path).map_err(missing)?.is_dir() {
            return Self::of_directory(&fs::canonicalize(path).map_err(missing)?);
        }
        let file = layout::absolute(path).map_err(missing)?;
        let directory = file.parent().unwrap_or(&file);
        match file.file_name().and_then(|name| name.to_str()) {
            Some(manifest::FILE | pyproject::FILE) => Self::of_directory(directory),
            _ if file.extension().is_some_and(|it| it == "py") => Self::of_file(&file),
            _ => Err(Error::configuration(format!(
                "`{}` is no environment: give its directory, its `{}` or a Python file with its application",
                path.display(),
                manifest::FILE,
            ))),
        }
    }

    /// A class or a function that makes an environment, as `module:Class`.
    ///
    /// The module is looked for from `directory`; `path/to/file.py:Class` is looked
    /// for there as well. No package is needed; if there is one around it,
    /// what it requires is required.
    pub fn of_object(spec: &str, directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref();
        let spec = spec.trim();
        let Some((place, attribute)) = spec.rsplit_once(':') else {
            return Err(Error::configuration(format!(
                "`{spec}` names no class: write it as `module:Class` or `path/to/file.py:Class`"
            )));
        };
        if !is_dotted(attribute) {
            return Err(Error::configuration(format!(
                "`{attribute}` in `{spec}` is no name of a class: write it as `module:Class`"
            )));
        }
        let (layout, module) = if is_file_path(place) {
            let file = directory.join(place);
            let file = layout::absolute(&file).map_err(|error| {
                Error::configuration(format!("could not read `{}`: {error}", file.display()))
            })?;
            let layout = Layout::of_file(&file)?;
            let module = layout.module_names(&file)?.swap_remove(0);
            (layout, module)
        } else if is_dotted(place) {
            let directory = fs::canonicalize(directory).map_err(|error| {
                Error::configuration(format!("could not read `{}`: {error}", directory.display()))
            })?;
            (Layout::read(&directory)?, place.to_owned())
        } else {
            return Err(Error::configuration(format!(
                "`{place}` in `{spec}` is neither a module nor a Python file: write it as `module:Class` or `path/to/file.py:Class`"
            )));
        };
        let name = match layout.manifest_name() {
            Some(name) => name.to_owned(),
            None => module.rsplit('.').next().unwrap_or(&module).to_owned(),
        };
        let object = ObjectPath {
            module,
            attribute: attribute.to_owned(),
        };
        Ok(Self::of_layout(layout, &name, Vec::new(), Some(object)))
    }

    fn of_directory(root: &Path) -> Result<Self> {
        let layout = Layout::read(root)?;
        let modules = layout.candidates()?;
        let name = layout.name();
        Ok(Self::of_layout(layout, &name, modules, None))
    }

    fn of_file(file: &Path) -> Result<Self> {
        let layout = Layout::of_file(file)?;
        let named = layout.module_names(file)?.into_iter();
        let modules = named.map(|module| Candidate {
            module,
            attribute: None,
            said_by: SaidBy::Path,
        });
        let (modules, name) = (modules.collect(), layout.name());
        Ok(Self::of_layout(layout, &name, modules, None))
    }

    fn of_layout(
        layout: Layout,
        name: &str,
        modules: Vec<Candidate>,
        object: Option<ObjectPath>,
    ) -> Self {
        Self {
            name: fit_for_path(name),
            modules,
            object,
            requirements: layout.requirements(),
            root: layout.root,
            package: layout.package,
            paths: layout.paths,
            manifest: layout.manifest,
        }
    }
}

impl fmt::Display for SaidBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Path => "the path that was given",
            Self::Script => "the script `server` in `pyproject.toml`",
            Self::Manifest => "`app` in `openenv.yaml`",
            Self::Layout => "the file's name",
        })
    }
}

impl fmt::Display for ObjectPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.module, self.attribute)
    }
}

/// Whether Python could import this: names with dots between them.
pub(super) fn is_dotted(text: &str) -> bool {
    text.split('.').all(is_identifier)
}

pub(super) fn is_identifier(text: &str) -> bool {
    let letter = |it: char| it.is_alphabetic() || it == '_';
    text.starts_with(letter) && text.chars().all(|it| letter(it) || it.is_numeric())
}

fn is_file_path(place: &str) -> bool {
    place.contains('/') || Path::new(place).extension().is_some_and(|it| it == "py")
}

/// What a server accepts as the name of an environment.
pub(super) fn fit_for_path(name: &str) -> String {
    let fits = |it: char| it.is_ascii_alphanumeric() || matches!(it, '-' | '_' | '.');
    let fitting: String = name
        .trim()
        .chars()
        .map(|it| if fits(it) { it } else { '-' })
        .collect();
    match fitting.trim_matches(['-', '.']) {
        "" => "environment".to_owned(),
        name => name.to_owned(),
    }
}
