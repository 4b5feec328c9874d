//! Where things are in the directory of a package.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::manifest::{self, Manifest};
use super::project::{Candidate, PackageDir, SaidBy, is_identifier};
use super::pyproject::{self, Pyproject};
use super::requirements::Requirements;
use crate::error::{Error, Result};

/// Modules in the directory itself that may hold the application.
const PLAIN_MODULES: [&str; 2] = ["app", "main"];

/// How many directories of packages to name where a directory has none itself.
const NAMED: usize = 5;

/// The directory of a package, and what its files say.
#[derive(Debug)]
pub(super) struct Layout {
    pub(super) root: PathBuf,
    pub(super) manifest: Option<Manifest>,
    pub(super) paths: Vec<PathBuf>,
    pub(super) package: Option<PackageDir>,
    app: Option<Candidate>,
    pyproject: Option<Pyproject>,
}

impl Layout {
    /// Reads the files of a directory; it may have none.
    pub(super) fn read(root: &Path) -> Result<Self> {
        let mut layout = Self {
            root: root.to_owned(),
            manifest: None,
            paths: Vec::new(),
            package: None,
            app: None,
            pyproject: None,
        };
        let file = root.join(manifest::FILE);
        if let Some(text) = read(&file)? {
            let (manifest, app) = Manifest::parse(&file, &text)?;
            layout.manifest = Some(manifest);
            layout.app = app;
        }
        let file = root.join(pyproject::FILE);
        if let Some(text) = read(&file)? {
            layout.pyproject = Some(Pyproject::parse(&file, &text)?);
        }
        layout.paths = layout.import_paths();
        layout.package = layout.package_dir();
        Ok(layout)
    }

    /// The layout around a Python file.
    pub(super) fn of_file(file: &Path) -> Result<Self> {
        Self::read(&root_of(file))
    }

    /// What to serve it as; may not fit into a path yet.
    pub(super) fn name(&self) -> String {
        let of_distribution = || {
            let name = self.pyproject.as_ref()?.name.as_deref()?;
            let bare = name.strip_prefix("openenv-");
            Some(
                bare.or_else(|| name.strip_prefix("openenv_"))
                    .unwrap_or(name),
            )
        };
        let of_directory = || self.root.file_name()?.to_str();
        let name = self.manifest_name().or_else(of_distribution);
        name.or_else(of_directory).unwrap_or_default().to_owned()
    }

    pub(super) fn manifest_name(&self) -> Option<&str> {
        self.manifest.as_ref()?.name.as_deref()
    }

    pub(super) fn requirements(&self) -> Requirements {
        Requirements::of(&self.root, self.pyproject.as_ref())
    }

    /// Modules that may hold the application, the best first.
    pub(super) fn candidates(&self) -> Result<Vec<Candidate>> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut add = |found: Candidate| {
            match candidates.iter_mut().find(|it| it.module == found.module) {
                // Who said it second may have said more.
                Some(known) => known.attribute = known.attribute.take().or(found.attribute),
                None => candidates.push(found),
            }
        };
        let of = |module: String, said_by| Candidate {
            module,
            attribute: None,
            said_by,
        };
        if let Some(module) = self.pyproject.as_ref().and_then(|it| it.server.clone()) {
            add(of(module, SaidBy::Script));
        }
        if let Some(app) = self.app.clone() {
            add(app);
        }
        // As a part of its package first: only there can it import from what is above it.
        if let Some(PackageDir { name, directory }) = &self.package
            && is_application(directory)
        {
            add(of(format!("{name}.server.app"), SaidBy::Layout));
        }
        if is_application(&self.root) {
            add(of("server.app".to_owned(), SaidBy::Layout));
        }
        for path in &self.paths {
            for name in packages_in(path) {
                if is_application(&path.join(&name)) {
                    add(of(format!("{name}.server.app"), SaidBy::Layout));
                }
            }
        }
        for module in PLAIN_MODULES {
            if self.root.join(module).with_extension("py").is_file() {
                add(of(module.to_owned(), SaidBy::Layout));
            }
        }
        if candidates.is_empty() || self.is_shelf(&candidates) {
            return Err(self.nothing_to_load());
        }
        Ok(candidates)
    }

    /// What a file is imported as: with its package if it can be, then by its path.
    pub(super) fn module_names(&self, file: &Path) -> Result<Vec<String>> {
        let mut names = Vec::new();
        if let Some(PackageDir { name, directory }) = &self.package
            && let Some(rest) = dotted(directory, file)
        {
            names.push(if rest.is_empty() {
                name.clone()
            } else {
                format!("{name}.{rest}")
            });
        }
        // The longest path is the closest to the file.
        let mut paths: Vec<&PathBuf> = self.paths.iter().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(path.components().count()));
        let plain = paths.into_iter().find_map(|path| dotted(path, file));
        names.extend(plain.filter(|name| !name.is_empty()));
        if names.is_empty() {
            return Err(Error::configuration(format!(
                "`{}` cannot be imported: Python has no names such as these for modules; use letters, digits and `_`",
                file.display()
            )));
        }
        Ok(names)
    }

    fn import_paths(&self) -> Vec<PathBuf> {
        let mut paths = vec![self.root.clone()];
        let said = self.pyproject.iter().flat_map(|it| &it.roots);
        let said = said
            .map(|place| self.root.join(place))
            .filter(|it| it.is_dir());
        let usual = Some(self.root.join("src")).filter(|src| {
            // With this file it is a package of that name.
            src.is_dir() && !src.join("__init__.py").exists()
        });
        for path in said.chain(usual) {
            let path = fs::canonicalize(&path).unwrap_or(path);
            if !paths.contains(&path) {
                paths.push(path);
            }
        }
        paths
    }

    /// The package that the root is, or that is elsewhere than its name says.
    fn package_dir(&self) -> Option<PackageDir> {
        let script = self.pyproject.as_ref().and_then(|it| it.server.as_deref());
        let script_top = script.and_then(|it| it.split('.').next());
        let told = self.told_package(script_top);
        let by_script = || {
            let (top, rest) = script?.split_once('.')?;
            has_module(&self.root, rest).then(|| (top.to_owned(), self.root.clone()))
        };
        let by_itself = || {
            let name = self
                .root
                .join("__init__.py")
                .is_file()
                .then(|| self.own_name())??;
            Some((name, self.root.clone()))
        };
        let (name, directory) = told.or_else(by_script).or_else(by_itself)?;
        let by_path = self.paths.iter().any(|path| has_module(path, &name));
        (!by_path).then_some(PackageDir { name, directory })
    }

    /// The package whose directory setuptools is told, that of the script if there are several.
    fn told_package(&self, script_top: Option<&str>) -> Option<(String, PathBuf)> {
        let told = &self.pyproject.as_ref()?.package_dirs;
        let (name, place) = script_top
            .and_then(|top| told.get_key_value(top))
            .or_else(|| told.iter().find(|(name, _)| is_identifier(name)))?;
        let directory = fs::canonicalize(self.root.join(place)).ok()?;
        Some((name.clone(), directory))
    }

    /// The name that the root would be imported as.
    ///
    /// The directory may have any name, in a container for example.
    fn own_name(&self) -> Option<String> {
        let directory = self.root.file_name().and_then(|name| name.to_str());
        [self.manifest_name(), directory]
            .into_iter()
            .flatten()
            .map(str::to_owned)
            .chain([self.name().replace('-', "_")])
            .find(|name| is_identifier(name))
    }

    /// Whether it is the directory of several packages rather than of one.
    fn is_shelf(&self, candidates: &[Candidate]) -> bool {
        let says_nothing = self.manifest.is_none() && self.pyproject.is_none();
        let below = |it: &Candidate| it.module.ends_with(".server.app");
        says_nothing && candidates.len() > 1 && candidates.iter().all(below)
    }

    fn nothing_to_load(&self) -> Error {
        let root = self.root.display();
        let (yaml, toml) = (manifest::FILE, pyproject::FILE);
        if self.pyproject.is_none() && self.root.join("Cargo.toml").is_file() {
            return Error::configuration(format!(
                "`{root}` is a Rust crate, not an environment in Python: `openenv serve` serves it"
            ));
        }
        if self.manifest.is_none() && self.pyproject.is_none() {
            let mut message = format!(
                "`{root}` has no environment in Python: there is no `{yaml}`, `{toml}`, `server/app.py`, `app.py` or `main.py`"
            );
            let below = packages_below(&self.root);
            if !below.is_empty() {
                message.push_str("; there are environments in ");
                message.push_str(&below.join(", "));
            }
            return Error::configuration(message);
        }
        let unsaid = [
            self.pyproject
                .as_ref()
                .map(|_| format!("`{toml}` has no script `server`")),
            self.manifest
                .as_ref()
                .map(|_| format!("`{yaml}` has no `app`")),
        ];
        let unsaid: Vec<String> = unsaid.into_iter().flatten().collect();
        Error::configuration(format!(
            "`{root}` does not say where its application is: {}, and there is no `server/app.py`, `app.py` or `main.py`; \
             add `app: module:attribute` to `{yaml}`",
            unsaid.join(", ")
        ))
    }
}

/// The path from the root of the file system; what is linked to keeps the name of the link.
pub(super) fn absolute(file: &Path) -> io::Result<PathBuf> {
    fs::metadata(file)?;
    let parent = match file.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let directory = fs::canonicalize(parent)?;
    Ok(file
        .file_name()
        .map_or(directory.clone(), |name| directory.join(name)))
}

/// The directory of the package that a Python file belongs to.
fn root_of(file: &Path) -> PathBuf {
    let directory = file.parent().unwrap_or(file);
    for ancestor in directory.ancestors() {
        let has = |name| ancestor.join(name).is_file();
        let importable = || dotted(ancestor, file).is_some();
        if (has(manifest::FILE) || has(pyproject::FILE)) && importable() {
            return ancestor.to_owned();
        }
        // What is outside of the repository is not about it.
        if ancestor.join(".git").exists() {
            break;
        }
    }
    if let Some(above) = directory.parent()
        && directory.ends_with("server")
    {
        return above.to_owned();
    }
    let mut ancestors = directory.ancestors();
    let above = ancestors.find(|it| !it.join("__init__.py").is_file());
    above.unwrap_or(directory).to_owned()
}

/// The module that a file is below a directory; `None` if it has no such name.
fn dotted(directory: &Path, file: &Path) -> Option<String> {
    let relative = file.strip_prefix(directory).ok()?.with_extension("");
    let mut names = Vec::new();
    for name in &relative {
        names.push(name.to_str().filter(|name| is_identifier(name))?);
    }
    if names.last() == Some(&"__init__") {
        names.pop();
    }
    Some(names.join("."))
}

/// Whether a dotted name is a module or a package below a directory.
fn has_module(directory: &Path, dotted: &str) -> bool {
    let mut place = directory.to_owned();
    place.extend(dotted.split('.'));
    place.is_dir() || place.with_extension("py").is_file()
}

fn is_application(directory: &Path) -> bool {
    directory.join("server/app.py").is_file()
}

/// The names of the directories in one, those that can be imported, in order.
fn packages_in(directory: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(directory) else {
        return Vec::new();
    };
    let mut names: Vec<String> = entries
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| is_identifier(name))
        .collect();
    names.sort();
    names
}

/// Packages one level below, for a message.
fn packages_below(root: &Path) -> Vec<String> {
    let is_package = |name: &String| {
        let directory = root.join(name);
        directory.join(manifest::FILE).is_file() || is_application(&directory)
    };
    let names = packages_in(root).into_iter().filter(is_package);
    names.take(NAMED).map(|name| format!("`{name}`")).collect()
}

/// The text of a file, if it exists.
pub(super) fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::configuration(format!(
            "could not read `{}`: {error}",
            file.display()
        ))),
    }
}
