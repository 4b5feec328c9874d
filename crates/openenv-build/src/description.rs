//! What an environment says about itself, for the labels of its image.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use tokio::process::Command;

use crate::error::{Error, Result};
use crate::image::timestamp;
use crate::output;

/// The file in which an author says what an environment is.
pub(crate) const MANIFEST: &str = "openenv.yaml";

/// What is known of an environment before it is built.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Description {
    /// Its name
    pub name: String,
    /// Its version
    pub version: Option<String>,
    /// What it is, in a sentence
    pub description: Option<String>,
    /// The licence, as an SPDX expression
    pub license: Option<String>,
    /// Where its source is published
    pub source: Option<String>,
    /// The commit that it is built from
    pub revision: Option<String>,
    /// The version of the format of `openenv.yaml`
    pub spec_version: Option<String>,
    /// Environment variables that it runs with
    pub variables: BTreeMap<String, String>,
}

/// `openenv.yaml`, as far as it matters to an image.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Manifest {
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    spec_version: Option<String>,
    variables: Option<BTreeMap<String, Option<String>>>,
}

impl Manifest {
    /// The variables, if a shell and a Dockerfile can have them too.
    fn variables(&mut self, file: &Path) -> Result<BTreeMap<String, String>> {
        let file = file.display();
        let variables = self.variables.take().unwrap_or_default().into_iter();
        let checked = variables.map(|(name, value)| {
            let begins_well = name.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_');
            let is_part = |it: char| it.is_ascii_alphanumeric() || it == '_';
            if !begins_well || !name.chars().all(is_part) {
                let message = format!("`{file}`: `{name}` in `variables` is no name of a variable");
                return Err(Error::new(message).with_hint(
                    "names have letters, digits and `_`, and do not begin with a digit",
                ));
            }
            let Some(value) = value else {
                let message = format!("`{file}`: the variable `{name}` has no value");
                return Err(Error::new(message).with_hint(format!(
                    "`{name}: \"\"` makes it empty; without the line it is not set"
                )));
            };
            Ok((name, value))
        });
        checked.collect()
    }
}

impl Description {
    /// What `openenv.yaml` and git say of a directory; what they do not say is left out.
    pub(crate) async fn read(directory: &Path) -> Result<Self> {
        let file = directory.join(MANIFEST);
        let manifest = match fs::read_to_string(&file) {
            Ok(text) => serde_saphyr::from_str::<Option<Manifest>>(&text)
                .map_err(|error| Error::new(format!("`{}`: {error}", file.display())))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => {
                let file = file.display();
                return Err(Error::new(format!("could not read `{file}`: {error}")));
            }
        };
        let mut manifest = manifest.unwrap_or_default();
        let variables = manifest.variables(&file)?;
        Ok(Self {
            name: manifest.name.unwrap_or_default().trim().to_owned(),
            version: manifest.version,
            description: manifest.description,
            spec_version: manifest.spec_version,
            variables,
            revision: revision(directory).await,
            ..Self::default()
        })
    }

    /// The labels of an image, with what is known.
    pub(crate) fn labels(&self, base: &str, created: Option<u64>) -> BTreeMap<String, String> {
        let oci = |name: &str| format!("org.opencontainers.image.{name}");
        let known = [
            (oci("title"), Some(self.name.clone())),
            (oci("version"), self.version.clone()),
            (oci("description"), self.description.clone()),
            (oci("licenses"), self.license.clone()),
            (oci("source"), self.source.clone()),
            (oci("revision"), self.revision.clone()),
            (oci("created"), created.map(timestamp)),
            (oci("base.name"), Some(base.to_owned())),
            ("org.openenv.name".to_owned(), Some(self.name.clone())),
            (
                "org.openenv.spec_version".to_owned(),
                self.spec_version.clone(),
            ),
        ];
        let known = known.into_iter();
        known
            .filter_map(|(name, value)| Some((name, value?)))
            .collect()
    }
}

/// The commit of a directory; with a mark if files differ from it. None without git, or
/// if it is only in a directory that git knows.
async fn revision(directory: &Path) -> Option<String> {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.args(arguments).current_dir(directory);
        async move {
            let answer = output::read(command).await.ok()?;
            Some(String::from_utf8_lossy(&answer).trim().to_owned())
        }
    };
    if git(&["ls-files", "--", "."]).await?.is_empty() {
        return None;
    }
    let commit = git(&["rev-parse", "HEAD"]).await?;
    let changes = git(&["status", "--porcelain", "--", "."]).await?;
    let mark = if changes.is_empty() { "" } else { "-dirty" };
    Some(commit + mark)
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn read(manifest: &str) -> Result<Description> {
        let directory = tempfile::tempdir().unwrap();
        fs::write(directory.path().join(MANIFEST), manifest).unwrap();
        Description::read(directory.path()).await
    }

    #[tokio::test]
    async fn variables_have_names_and_values() {
        let read_well = read("variables:\n  A_1: 2\n  _b: \"\"\n").await.unwrap();
        let expected = [("A_1", "2"), ("_b", "")];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(read_well.variables, expected.into());
        for (line, expected) in [
            ("1A: x", "`1A` in `variables` is no name of a variable"),
            ("\"A B\": x", "`A B` in `variables` is no name"),
            ("\"\": x", "`` in `variables` is no name"),
            ("A:", "the variable `A` has no value"),
            ("A: null", "the variable `A` has no value"),
        ] {
            let error = read(&format!("variables:\n  {line}\n")).await.unwrap_err();
            let said = error.to_string();
            assert!(said.contains(MANIFEST) && said.contains(expected), "{said}");
        }
    }

    #[tokio::test]
    async fn a_project_that_git_does_not_know_has_no_revision() {
        let directory = tempfile::tempdir().unwrap();
        let git = |arguments: &str| {
            let mut command = std::process::Command::new("git");
            command.args(["-c", "user.name=a", "-c", "user.email=a@example.org"]);
            command.args(arguments.split(' ')).current_dir(&directory);
            assert!(command.output().unwrap().status.success(), "{arguments}");
        };
        let project = directory.path().join("maze");
        fs::create_dir(&project).unwrap();
        fs::write(project.join(MANIFEST), "name: maze\n").unwrap();
        git("init");
        git("commit --allow-empty --message a");
        assert_eq!(revision(&project).await, None);
        git("add .");
        assert!(revision(&project).await.unwrap().ends_with("-dirty"));
        git("commit --message b");
        assert_eq!(revision(&project).await.unwrap().len(), 40);
    }
}
