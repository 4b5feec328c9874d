//! `openenv.yaml`: what an author says of a package.

use std::collections::BTreeMap;
use std::path::Path;

use serde::{Deserialize, Serialize};
use serde_saphyr::{DuplicateKeyPolicy, Spanned};

use super::project::{Candidate, SaidBy, is_dotted};
use crate::error::{Error, Result};

/// The file's name in the directory of the package.
pub(super) const FILE: &str = "openenv.yaml";

/// What `openenv.yaml` says, as far as it matters to a server.
///
/// Keys that are not here are for other tools and not looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Manifest {
    /// Name of the environment
    pub name: Option<String>,
    /// Version of the environment, not of the file
    pub version: Option<String>,
    /// What it is, in a sentence
    pub description: Option<String>,
    /// The application as `module:attribute`
    pub app: Option<String>,
    /// The port that its image listens on
    pub port: Option<u16>,
    /// Environment variables that it runs with where it is deployed.
    ///
    /// They are published with it, so none is secret.
    pub variables: BTreeMap<String, String>,
}

/// The file as it is written. What is `null` is as good as not there.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Written {
    name: Option<String>,
    version: Option<String>,
    description: Option<String>,
    app: Option<Spanned<String>>,
    port: Option<u16>,
    variables: Option<BTreeMap<String, String>>,
}

impl Manifest {
    /// Reads the manifest and, apart, where it says the application is.
    pub(super) fn parse(file: &Path, text: &str) -> Result<(Self, Option<Candidate>)> {
        let options = serde_saphyr::options! {
            // The reference's parser takes the last one, so files like that are in use.
            duplicate_keys: DuplicateKeyPolicy::LastWins,
            with_snippet: false,
        };
        let written: Option<Written> = serde_saphyr::from_str_with_options(text, options)
            .map_err(|error| not_understood(file, &error))?;
        let written = written.unwrap_or_default();
        let app = match &written.app {
            Some(app) => Some(application(file, app)?),
            None => None,
        };
        let manifest = Self {
            name: written.name.filter(|name| !name.trim().is_empty()),
            version: written.version,
            description: written.description,
            app: written.app.map(|app| app.value),
            port: written.port,
            variables: written.variables.unwrap_or_default(),
        };
        Ok((manifest, app))
    }
}

fn application(file: &Path, app: &Spanned<String>) -> Result<Candidate> {
    match app.value.trim().split_once(':') {
        Some((module, attribute)) if is_dotted(module) && is_dotted(attribute) => Ok(Candidate {
            module: module.to_owned(),
            attribute: Some(attribute.to_owned()),
            said_by: SaidBy::Manifest,
        }),
        _ => Err(Error::configuration(format!(
            "`{}`, line {}: `app` is `{}`; write it as `module:attribute`, such as `server.app:app`",
            file.display(),
            app.defined.line(),
            app.value,
        ))),
    }
}

fn not_understood(file: &Path, error: &serde_saphyr::Error) -> Error {
    let text = error.to_string();
    let mut text = text.trim_end();
    let mut place = String::new();
    if let Some(location) = error.location() {
        place = format!("line {}, column {}", location.line(), location.column());
        // The parser says it as well, at the end.
        let without = text.strip_suffix(&place);
        text = without.map_or(text, |text| text.trim_end_matches(" at "));
        place.insert_str(0, ", ");
    }
    Error::configuration(format!("`{}`{place}: {text}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<(Manifest, Option<Candidate>)> {
        Manifest::parse(Path::new("my_env/openenv.yaml"), text)
    }

    #[test]
    fn what_a_server_needs_is_read_and_the_rest_is_left_alone() {
        let (manifest, app) = parse(
            "spec_version: 1\nname: maze_env\ntype: space\nruntime: fastapi\napp: server.app:app\n\
             port: 8000\nversion: 1.10\nvariables: {SIZE: 5, FAST: true}\n\
             action: {class: Move}\nvalidation: {reward: {floor_margin: 0.5}}\n",
        )
        .unwrap();
        assert_eq!(manifest.name.as_deref(), Some("maze_env"));
        assert_eq!(manifest.version.as_deref(), Some("1.10"));
        assert_eq!(manifest.port, Some(8000));
        assert_eq!(manifest.variables["SIZE"], "5");
        assert_eq!(manifest.variables["FAST"], "true");
        let app = app.unwrap();
        assert_eq!(app.module, "server.app");
        assert_eq!(app.attribute.as_deref(), Some("app"));
    }

    #[test]
    fn an_empty_file_says_nothing() {
        for text in ["", "\n# later\n", "null\n", "name:\napp: ~\nvariables:\n"] {
            let (manifest, app) = parse(text).unwrap();
            assert_eq!(manifest, Manifest::default(), "{text:?}");
            assert_eq!(app, None);
        }
    }

    #[test]
    fn the_last_of_two_counts() {
        let (manifest, _) = parse("name: one\nname: two\n").unwrap();
        assert_eq!(manifest.name.as_deref(), Some("two"));
    }

    #[test]
    fn what_is_no_yaml_is_told_with_its_place() {
        let error = |text| parse(text).unwrap_err().to_string();
        assert_eq!(
            error("name: a\napp: [\n"),
            "`my_env/openenv.yaml`, line 2, column 6: unclosed bracket '['"
        );
        assert_eq!(
            error("- a\n- b\n"),
            "`my_env/openenv.yaml`, line 1, column 1: expected mapping start"
        );
        assert_eq!(
            error("name: a\nport: many\n"),
            "`my_env/openenv.yaml`, line 2, column 7: invalid u16"
        );
    }

    #[test]
    fn an_application_is_a_module_and_an_attribute() {
        for app in [
            "server.app",
            "server/app.py:app",
            "server.app:",
            ":app",
            "a.:b",
            "''",
        ] {
            let error = parse(&format!("name: a\napp: \"{app}\"\n")).unwrap_err();
            let expected = format!(
                "`my_env/openenv.yaml`, line 2: `app` is `{app}`; \
                 write it as `module:attribute`, such as `server.app:app`"
            );
            assert_eq!(error.to_string(), expected);
        }
    }
}
