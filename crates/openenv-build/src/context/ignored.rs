//! Files that are not sent to an engine.

use std::fs;
use std::path::Path;

use globset::{GlobBuilder, GlobMatcher};

use crate::error::{Error, Result};

/// The file with the rules of a directory.
pub(crate) const FILE: &str = ".dockerignore";

/// What has no place in an image, or is secret.
const NEVER: [&str; 17] = [
    "**/.git",
    "**/.hg",
    "**/.svn",
    "**/.venv",
    "**/venv",
    "**/__pycache__",
    "**/*.pyc",
    "**/.pytest_cache",
    "**/.mypy_cache",
    "**/.ruff_cache",
    "**/node_modules",
    "**/.env",
    "**/.env.*",
    "**/.netrc",
    "**/*.pem",
    "**/id_rsa*",
    "target",
];

/// The rules of a `.dockerignore`: the last that fits a path, or a directory above it,
/// decides. Unlike those for git they are all about paths from the top.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    glob: GlobMatcher,
    /// Whether it says what is not ignored
    except: bool,
}

impl Ignored {
    /// Nothing is ignored.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// What has no place in an image, or is secret, if nobody says otherwise: version
    /// control, virtual environments, caches, keys.
    pub(crate) fn usual() -> Self {
        let mut ignored = Self::default();
        for pattern in NEVER {
            ignored.add(pattern).expect("the patterns are in order");
        }
        ignored
    }

    /// Adds the rules of the `.dockerignore` in a directory, if there is one.
    pub(crate) fn and_of(self, directory: &Path) -> Result<Self> {
        let file = directory.join(FILE);
        if file.is_file() {
            self.and_in(&file)
        } else {
            Ok(self)
        }
    }

    /// Adds the rules of a file.
    pub(crate) fn and_in(mut self, file: &Path) -> Result<Self> {
        let shown = file.display();
        let text = fs::read_to_string(file)
            .map_err(|error| Error::new(format!("could not read `{shown}`: {error}")))?;
        for (index, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
            if line.starts_with('#') {
                continue;
            }
            self.add(line).map_err(|error| {
                Error::new(format!("`{shown}`, line {}: {}", index + 1, error.kind()))
            })?;
        }
        Ok(self)
    }

    fn add(&mut self, pattern: &str) -> Result<(), globset::Error> {
        let pattern = pattern.trim();
        let (pattern, except) = match pattern.strip_prefix('!') {
            Some(pattern) => (pattern.trim(), true),
            None => (pattern, false),
        };
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let pattern = pattern.trim_matches('/');
        if pattern.is_empty() || pattern == "." {
            return Ok(());
        }
        let glob = GlobBuilder::new(pattern)
            .literal_separator(true)
            .backslash_escape(true)
            .build()?;
        self.rules.push(Rule {
            glob: glob.compile_matcher(),
            except,
        });
        Ok(())
    }

    /// Whether something below a directory may be wanted although the directory is not.
    pub(crate) fn has_exceptions(&self) -> bool {
        self.rules.iter().any(|rule| rule.except)
    }

    /// Whether a path, relative to the directory, is ignored.
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let fits = |rule: &&Rule| {
            path.ancestors()
                .filter(|above| !above.as_os_str().is_empty())
                .any(|above| rule.glob.is_match(above))
        };
        let last = self.rules.iter().rev().find(fits);
        last.is_some_and(|rule| !rule.except)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ignored(rules: &str, path: &str) -> bool {
        let mut ignored = Ignored::nothing();
        for rule in rules.split(' ') {
            ignored.add(rule).unwrap();
        }
        ignored.matches(Path::new(path))
    }

    #[test]
    fn rules_are_those_of_docker() {
        for (rules, path, expected) in [
            ("data", "data", true),
            ("data", "data/a.txt", true),
            ("/data/", "data/a.txt", true),
            // From the top, unlike git.
            ("data", "server/data", false),
            ("**/data", "server/data", true),
            ("**/data", "data", true),
            ("*.md", "README.md", true),
            ("*.md", "docs/README.md", false),
            ("*.md !README.md", "README.md", false),
            ("* !server", "server/app.py", false),
            ("* !server", "other.py", true),
            ("data !data/small data/small/secret", "data/small/a", false),
            (
                "data !data/small data/small/secret",
                "data/small/secret",
                true,
            ),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
        ] {
            assert_eq!(ignored(rules, path), expected, "{rules}: {path}");
        }
    }

    #[test]
    fn secrets_and_caches_stay_here() {
        let usual = Ignored::usual();
        for path in [
            ".env",
            "server/.env.local",
            ".git/config",
            "a/__pycache__/b.pyc",
            "target/x",
        ] {
            assert!(usual.matches(Path::new(path)), "{path}");
        }
        for path in ["server/app.py", "environment.py", "data/target/a"] {
            assert!(!usual.matches(Path::new(path)), "{path}");
        }
    }
}
