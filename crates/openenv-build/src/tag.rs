//! Names of images.

use std::fmt;
use std::str::FromStr;

use serde::Serialize;

use crate::error::Error;

/// The name of an image, as `maze:latest` or `registry.example/team/maze:1.2`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Tag(String);

impl Tag {
    /// The names that an environment's image has unless somebody says otherwise.
    ///
    /// The reference gives the first; its clients look for the second.
    pub fn of_environment(name: &str) -> Vec<Self> {
        let name = name.to_lowercase();
        let short = name
            .strip_suffix("_env")
            .or_else(|| name.strip_suffix("-env"))
            .filter(|short| !short.is_empty())
            .unwrap_or(&name);
        let names = [
            format!("openenv-{short}:latest"),
            format!("{}:latest", name.replace('_', "-")),
        ];
        names.iter().filter_map(|name| name.parse().ok()).collect()
    }

    /// All of it.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The tag alone, as `latest`.
    pub fn version(&self) -> &str {
        self.0.rsplit(':').next().unwrap_or_default()
    }

    /// The name alone, without its tag.
    pub fn repository(&self) -> &str {
        let end = self.0.len() - self.version().len() - 1;
        &self.0[..end]
    }

    /// The name with all that is usually left out.
    pub(crate) fn qualified(&self) -> String {
        match self.0.split_once('/') {
            None => format!("docker.io/library/{self}"),
            Some((first, _)) if first.contains(['.', ':']) || first == "localhost" => {
                self.0.clone()
            }
            Some(_) => format!("docker.io/{self}"),
        }
    }
}

impl FromStr for Tag {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let (repository, version) = match text.rsplit_once(':') {
            // A port, not a tag.
            Some((_, version)) if version.contains('/') => (text, "latest"),
            Some((repository, version)) => (repository, version),
            None => (text, "latest"),
        };
        let (host, path) = match repository.split_once('/') {
            Some((host, path)) if host.contains(['.', ':']) || host == "localhost" => {
                (Some(host), path)
            }
            _ => (None, repository),
        };
        let is_part = |part: &str| {
            let alphanumeric = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit();
            let separator = |between: &str| {
                matches!(between, "" | "." | "_" | "__") || between.bytes().all(|it| it == b'-')
            };
            part.starts_with(alphanumeric)
                && part.ends_with(alphanumeric)
                && part.split(alphanumeric).all(separator)
        };
        let is_host = |host: &str| {
            let fits = |it: char| it.is_ascii_alphanumeric() || ".-:[]".contains(it);
            !host.is_empty() && host.chars().all(fits)
        };
        let is_version = |version: &str| {
            let word = |it: char| it.is_ascii_alphanumeric() || it == '_';
            version.starts_with(word)
                && version.len() <= 128
                && version.chars().all(|it| word(it) || ".-".contains(it))
        };
        if path.split('/').all(is_part) && host.is_none_or(is_host) && is_version(version) {
            return Ok(Self(format!("{repository}:{version}")));
        }
        Err(
            Error::new(format!("`{text}` is no name of an image")).with_hint(
                "write it as `name`, `name:tag` or `registry.example/name:tag`, in lower case",
            ),
        )
    }
}

impl fmt::Display for Tag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_environment_has_the_names_that_others_look_for() {
        let names = |name| {
            let tags = Tag::of_environment(name);
            tags.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(
            names("grid_world_env"),
            ["openenv-grid_world:latest", "grid-world-env:latest"]
        );
        assert_eq!(names("Maze"), ["openenv-maze:latest", "maze:latest"]);
        assert_eq!(names("_env").len(), 0);
    }

    #[test]
    fn a_name_is_checked_and_completed() {
        for (text, full, qualified) in [
            ("maze", "maze:latest", "docker.io/library/maze:latest"),
            ("me/maze:1.2", "me/maze:1.2", "docker.io/me/maze:1.2"),
            (
                "localhost:5000/maze",
                "localhost:5000/maze:latest",
                "localhost:5000/maze:latest",
            ),
            ("ghcr.io/a/b:C", "ghcr.io/a/b:C", "ghcr.io/a/b:C"),
        ] {
            let tag: Tag = text.parse().unwrap();
            assert_eq!(tag.to_string(), full);
            assert_eq!(tag.qualified(), qualified);
            assert_eq!(format!("{}:{}", tag.repository(), tag.version()), full);
        }
        for text in [
            "",
            "Maze",
            "maze:",
            "a//b",
            "-a",
            "a:b c",
            "maze:-1",
            "a-_b",
            "a..b",
            "a@sha256:00",
        ] {
            assert!(text.parse::<Tag>().is_err(), "{text}");
        }
    }
}
