//! Files that are not sent to an engine.

use std::fs;
use std::path::Path;

use super::pattern::Pattern;
use crate::error::{Error, Result};

/// The file with the rules of a directory.
pub(crate) const FILE: &str = ".dockerignore";

/// What has no place in an image, or is secret.
const NEVER: [&str; 26] = [
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
    "**/.npmrc",
    "**/.pypirc",
    "**/.git-credentials",
    "**/.aws",
    "**/.ssh",
    "**/*.pem",
    "**/*.key",
    "**/id_rsa*",
    "**/id_dsa*",
    "**/id_ecdsa*",
    "**/id_ed25519*",
    "target",
];

/// The rules of a `.dockerignore`: the last that fits a path, or a directory above it,
/// decides. Unlike those for git they are all about paths from the top.
///
/// What is never sent is judged by itself: an exception for `server` is none for
/// `server/.env`.
#[derive(Debug, Clone, Default)]
pub struct Ignored {
    never: Vec<Pattern>,
    rules: Vec<Rule>,
}

#[derive(Debug, Clone)]
struct Rule {
    pattern: Pattern,
    /// Whether it says what is not ignored
    except: bool,
}

impl Ignored {
    /// Nothing is ignored.
    pub fn nothing() -> Self {
        Self::default()
    }

    /// What has no place in an image, or is secret, unless an exception names it: version
    /// control, virtual environments, caches, keys.
    pub(crate) fn usual() -> Self {
        let never = NEVER.iter();
        let never = never.filter_map(|it| Pattern::new(it).expect("the patterns are in order"));
        Self {
            never: never.collect(),
            rules: Vec::new(),
        }
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
            self.add(line).map_err(|_| {
                let line = line.trim();
                Error::new(format!(
                    "`{shown}`, line {}: `{line}` is no pattern",
                    index + 1
                ))
                .with_hint("`[` begins a range, as `[a-z]`; `\\[` is the character")
            })?;
        }
        Ok(self)
    }

    fn add(&mut self, line: &str) -> Result<(), regex::Error> {
        let line = line.trim();
        let (pattern, except) = match line.strip_prefix('!') {
            Some(pattern) => (pattern.trim(), true),
            None => (line, false),
        };
        if let Some(pattern) = Pattern::new(pattern)? {
            self.rules.push(Rule { pattern, except });
        }
        Ok(())
    }

    fn exceptions(&self) -> impl Iterator<Item = &Pattern> {
        let exceptions = self.rules.iter().filter(|rule| rule.except);
        exceptions.map(|rule| &rule.pattern)
    }

    /// Whether something below a directory may be wanted although the directory is not.
    pub(crate) fn may_except_in(&self, directory: &Path) -> bool {
        if !self.is_forbidden(directory) {
            return self.exceptions().next().is_some();
        }
        let mut paths = self.exceptions().filter_map(Pattern::path);
        paths.any(|path| path.starts_with(directory))
    }

    /// Whether a path, relative to the directory, is ignored.
    pub(crate) fn matches(&self, path: &Path) -> bool {
        let fits = |rule: &&Rule| with_above(path).any(|above| rule.pattern.fits(above));
        let last = self.rules.iter().rev().find(fits);
        last.is_some_and(|rule| !rule.except) || self.is_forbidden(path)
    }

    /// Whether a path is never sent, and no exception names it.
    fn is_forbidden(&self, path: &Path) -> bool {
        self.never.iter().any(|never| {
            let fits = |above: &&Path| never.fits(above) && !is_public(above);
            let Some(top) = with_above(path).filter(fits).last() else {
                return false;
            };
            !self.exceptions().any(|exception| {
                let names_top = exception.says_names() && exception.fits(top);
                // Below it only a path is clear: `!**/*.py` is not about `.venv`.
                let inside = exception.path().filter(|it| it.starts_with(top));
                names_top || inside.is_some_and(|it| path.starts_with(it))
            })
        })
    }
}

/// The public half of a key, which is no secret.
fn is_public(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.strip_suffix(".pub")
        .is_some_and(|key| key.starts_with("id_"))
}

/// A path and the directories above it, the nearest first.
fn with_above(path: &Path) -> impl Iterator<Item = &Path> {
    let above = path.ancestors();
    above.filter(|above| !above.as_os_str().is_empty())
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
    fn the_last_rule_decides() {
        for (rules, path, expected) in [
            ("data", "data/a.txt", true),
            ("/data/", "data/a.txt", true),
            ("*.md !README.md", "README.md", false),
            ("!README.md *.md", "README.md", true),
            ("* !server", "server/app.py", false),
            ("* !server", "other.py", true),
            ("data !data/small data/small/secret", "data/small/a", false),
            (
                "data !data/small data/small/secret",
                "data/small/secret",
                true,
            ),
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
            "id_rsa",
            "keys/id_ed25519",
            "id_ecdsa_sk",
            "tls/server.key",
            ".ssh/config",
            ".aws/credentials",
            ".npmrc",
            ".pypirc",
            ".git-credentials",
            ".env.pub",
        ] {
            assert!(usual.matches(Path::new(path)), "{path}");
        }
        for path in [
            "server/app.py",
            "environment.py",
            "data/target/a",
            "id_rsa.pub",
            "id_editor.py",
        ] {
            assert!(!usual.matches(Path::new(path)), "{path}");
        }
    }

    #[test]
    fn an_exception_has_to_name_what_is_never_sent() {
        for (rules, path, expected) in [
            ("* !server", "server/app.py", false),
            ("* !server", "server/.env", true),
            ("* !server", "server/.git/config", true),
            ("* !server", "server/tls/a.key", true),
            ("* !server/** !server/*", "server/.env", true),
            ("!**/*.py", ".venv/lib/a.py", true),
            ("!.env", ".env", false),
            ("!.env", "server/.env", true),
            ("!**/.env", "server/.env", false),
            ("!.env .env", ".env", true),
            ("!.env.example", ".env.example", false),
            ("!certificates/*.pem", "certificates/ca.pem", false),
            ("!.venv", ".venv/lib/a.py", false),
            ("!.venv", ".venv/.env", true),
            ("!.venv/lib", ".venv/lib/a.py", false),
            ("!.venv/lib", ".venv/bin/a", true),
        ] {
            let mut ignored = Ignored::usual();
            for rule in rules.split(' ') {
                ignored.add(rule).unwrap();
            }
            assert_eq!(
                ignored.matches(Path::new(path)),
                expected,
                "{rules}: {path}"
            );
        }
    }

    #[test]
    fn directories_are_entered_only_if_something_in_them_may_be_wanted() {
        let mut ignored = Ignored::usual();
        ignored.add("data").unwrap();
        assert!(!ignored.may_except_in(Path::new("data")));
        ignored.add("!.venv/lib/a.py").unwrap();
        for (directory, expected) in [("data", true), (".venv/lib", true), (".git", false)] {
            assert_eq!(ignored.may_except_in(Path::new(directory)), expected);
        }
    }
}
