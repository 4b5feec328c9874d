//! What was named: an environment that is bundled, a crate, or one that is written in Python.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue};

use crate::registry::{self, Bundled};

/// An environment, as it was typed.
#[derive(Debug, Clone)]
pub(crate) enum Subject {
    /// One that comes with the command.
    Bundled(&'static Bundled),
    /// A crate, by its directory.
    Crate(PathBuf),
    /// A package or a class in Python.
    Python(Place),
}

/// Where something in Python is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Place {
    /// A directory, or a file in one.
    Path(PathBuf),
    /// A class or function, as `module:Class` or `file.py:Class`.
    Object(String),
}

impl Subject {
    /// What can be nothing else: the name of a bundled environment, a class, or a
    /// path that exists or is written as paths are.
    pub(crate) fn recognize(text: &str) -> Option<Self> {
        if let Some(environment) = registry::find(text) {
            return Some(Self::Bundled(environment));
        }
        if is_object(text) {
            return Some(Self::Python(Place::Object(text.to_owned())));
        }
        let is_path = matches!(text, "." | "..")
            || text.starts_with(['/', '~'])
            || text.starts_with("./")
            || text.starts_with("../")
            || is_source(text)
            || is_there(text);
        is_path.then(|| Self::at(text))
    }

    /// The project in the current directory, or else the environment to begin with.
    pub(crate) fn here() -> Self {
        let is_package = ["openenv.yaml", "server/app.py"]
            .iter()
            .any(|file| Path::new(file).is_file());
        if is_package {
            return Self::at(".");
        }
        Self::Bundled(&registry::ENVIRONMENTS[0])
    }

    /// The project in a directory.
    pub(crate) fn at(path: impl Into<PathBuf>) -> Self {
        let path = path.into();
        let is_crate = path.join("Cargo.toml").is_file()
            && !["pyproject.toml", "server/app.py"]
                .iter()
                .any(|file| path.join(file).exists());
        if is_crate {
            return Self::Crate(path);
        }
        Self::Python(Place::Path(path))
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Bundled(this), Self::Bundled(other)) => this.name == other.name,
            (Self::Crate(this), Self::Crate(other)) => this == other,
            (Self::Python(this), Self::Python(other)) => this == other,
            _ => false,
        }
    }

    /// How to name it on the command line from any directory.
    pub(crate) fn argument(&self) -> String {
        match self {
            Self::Bundled(environment) => environment.name.to_owned(),
            Self::Python(Place::Object(spec)) => spec.clone(),
            Self::Crate(path) | Self::Python(Place::Path(path)) => std::path::absolute(path)
                .unwrap_or_else(|_| path.clone())
                .display()
                .to_string(),
        }
    }
}

/// Reads a subject where it cannot be anything else, such as a server.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SubjectParser;

impl TypedValueParser for SubjectParser {
    type Value = Subject;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Subject, clap::Error> {
        if let Some(text) = value.to_str() {
            if let Some(subject) = Subject::recognize(text) {
                return Ok(subject);
            }
            if text.contains(['/', '.']) {
                return Ok(Subject::at(text));
            }
        }
        // Refuses it, and tells which names there are.
        let refused = bundled_names().parse_ref(command, arg, value);
        let Err(mut error) = refused else {
            return Err(clap::Error::new(clap::error::ErrorKind::InvalidValue).with_cmd(command));
        };
        let mut tips = match error.remove(ContextKind::Suggested) {
            Some(ContextValue::StyledStrs(tips)) => tips,
            _ => Vec::new(),
        };
        tips.push("a project of yours is named by its directory, as `./my_env`".into());
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(tips));
        Err(error)
    }
}

/// Reads what has to be in Python.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PlaceParser;

impl TypedValueParser for PlaceParser {
    type Value = Place;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &std::ffi::OsStr,
    ) -> Result<Place, clap::Error> {
        let text = clap::builder::StringValueParser::new().parse_ref(command, arg, value)?;
        Ok(if is_object(&text) {
            Place::Object(text)
        } else {
            Place::Path(text.into())
        })
    }
}

fn bundled_names() -> PossibleValuesParser {
    let names = registry::ENVIRONMENTS
        .iter()
        .map(|environment| PossibleValue::new(environment.name));
    PossibleValuesParser::new(names)
}

/// Whether it is `module:Class` or `file.py:Class`: no port is a name.
fn is_object(text: &str) -> bool {
    let Some((place, attribute)) = text.rsplit_once(':') else {
        return false;
    };
    let is_place = is_dotted(place) || (is_source(place) && !place.contains("://"));
    is_place && is_dotted(attribute)
}

/// Whether it is the name of a file with Python in it.
fn is_source(text: &str) -> bool {
    Path::new(text).extension().is_some_and(|it| it == "py")
}

fn is_dotted(text: &str) -> bool {
    let letter = |it: char| it.is_alphabetic() || it == '_';
    text.split('.').all(|name| {
        name.starts_with(letter) && name.chars().all(|it| letter(it) || it.is_numeric())
    })
}

fn is_there(text: &str) -> bool {
    let path = Path::new(text);
    // A bare word is the name of a directory, or nothing.
    path.is_dir() || (text.contains(['/', '.']) && path.exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_bundled_environments() {
        for name in ["echo", "Echo", "echo_env"] {
            assert!(
                matches!(Subject::recognize(name), Some(Subject::Bundled(found)) if found.name == "echo"),
                "{name}"
            );
        }
    }

    #[test]
    fn what_is_written_as_a_path_is_one() {
        // Tests run in the directory of their crate.
        assert!(matches!(Subject::recognize("."), Some(Subject::Crate(_))));
        for path in [
            "..",
            "./gone",
            "../gone",
            "/gone",
            "~/gone",
            "gone/app.py",
            "src",
            "src/main.rs",
        ] {
            assert!(
                matches!(
                    Subject::recognize(path),
                    Some(Subject::Python(Place::Path(_)))
                ),
                "{path}"
            );
        }
    }

    #[test]
    fn classes_are_named_with_their_module() {
        for spec in [
            "world:World",
            "my_env.server.world:World.Inner",
            "world.py:World",
            "../a b/world.py:World",
        ] {
            assert!(
                matches!(
                    Subject::recognize(spec),
                    Some(Subject::Python(Place::Object(_)))
                ),
                "{spec}"
            );
        }
    }

    #[test]
    fn servers_and_unknown_words_are_no_subjects() {
        for text in [
            "ecko",
            "localhost:8000",
            "host:8000",
            "[::1]:8000",
            "fe80::abcd",
            "me-maze.hf.space",
            "host/envs/echo",
            "https://host/envs/echo",
            "http://world.py:80",
        ] {
            assert!(Subject::recognize(text).is_none(), "{text}");
        }
    }
}
