//! What there is to build in a directory.

use std::path::{Path, PathBuf};

use openenv::python::Project;

use crate::cargo::CargoProject;
use crate::description::{Description, MANIFEST};
use crate::error::{Error, Result};

/// An environment as its author keeps it, and what it says about itself.
#[derive(Debug)]
pub struct Source {
    /// What it is written in
    pub language: Language,
    /// What it says about itself
    pub description: Description,
}

/// What an environment is written in.
#[derive(Debug)]
#[non_exhaustive]
pub enum Language {
    /// A package of cargo with a program
    Rust(CargoProject),
    /// A package in Python
    Python(Box<Project>),
}

impl Source {
    /// The environment in a directory.
    ///
    /// # Errors
    ///
    /// If there is none, or its files are not in order.
    pub async fn find(directory: impl AsRef<Path>) -> Result<Self> {
        let directory = directory.as_ref();
        let shown = directory.display();
        if !directory.is_dir() {
            return Err(Error::new(format!("there is no directory `{shown}`")));
        }
        if let Some(project) = CargoProject::find(directory).await? {
            let mut description = Description::read(&project.root).await?;
            if description.name.is_empty() {
                description.name.clone_from(&project.name);
            }
            description.version = Some(project.version.clone());
            description.description = project
                .description
                .clone()
                .or(description.description.take());
            description.license.clone_from(&project.license);
            description.source.clone_from(&project.repository);
            return Ok(Self {
                language: Language::Rust(project),
                description,
            });
        }
        let signs = [
            MANIFEST,
            "pyproject.toml",
            "server/app.py",
            "requirements.txt",
        ];
        if !signs.iter().any(|sign| directory.join(sign).is_file()) {
            return Err(Error::new(format!("there is no environment in `{shown}`")).with_hint(
                "a package in Rust has a `Cargo.toml`, one in Python an `openenv.yaml` or a `pyproject.toml`; `openenv build DIR` names another directory",
            ));
        }
        let project = Project::find(directory)?;
        let mut description = Description::read(&project.root).await?;
        description.name.clone_from(&project.name);
        Ok(Self {
            language: Language::Python(Box::new(project)),
            description,
        })
    }

    /// Its directory.
    pub fn root(&self) -> &PathBuf {
        match &self.language {
            Language::Rust(project) => &project.root,
            Language::Python(project) => &project.root,
        }
    }
}
