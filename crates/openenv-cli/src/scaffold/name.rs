//! What a new environment may be called.

use std::fmt;
use std::str::FromStr;

use super::reserved;

/// Longest name of a crate on crates.io.
const LONGEST: usize = 64;

/// The name of an environment: a module in Python, a crate in Rust, and an image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProjectName(String);

/// Why a name cannot be one, and which could.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct BadName {
    reason: String,
    suggestion: String,
}

impl ProjectName {
    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }

    /// What the names of its types begin with: `tic_tac_env` has a `TicTacAction`.
    pub(crate) fn class(&self) -> String {
        let stem = self.0.strip_suffix("_env").unwrap_or(&self.0);
        words(stem).collect()
    }

    /// The name as people write it.
    pub(crate) fn title(&self) -> String {
        words(&self.0).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for ProjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl FromStr for ProjectName {
    type Err = BadName;

    fn from_str(text: &str) -> Result<Self, BadName> {
        match objection(text) {
            None => Ok(Self(text.to_owned())),
            Some(reason) => Err(BadName {
                reason,
                suggestion: suggestion(text),
            }),
        }
    }
}

impl fmt::Display for BadName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; try `{}`", self.reason, self.suggestion)
    }
}

impl std::error::Error for BadName {}

/// What is wrong with a name, if anything is.
fn objection(name: &str) -> Option<String> {
    let allowed = |it: char| it.is_ascii_lowercase() || it.is_ascii_digit() || it == '_';
    if !name.chars().all(allowed) {
        return Some("a name has lower-case letters, digits and `_` only".to_owned());
    }
    if !name.starts_with(|it: char| it.is_ascii_lowercase()) {
        return Some("a name begins with a letter".to_owned());
    }
    if name.ends_with('_') {
        return Some("a name ends with a letter or a digit".to_owned());
    }
    if name.len() > LONGEST {
        return Some(format!("a name has {LONGEST} characters at most"));
    }
    reserved::owner(name).map(|owner| format!("`{name}` is {owner}"))
}

/// A name that is allowed, as close to the text as can be.
fn suggestion(text: &str) -> String {
    let mut name = String::new();
    let mut after_lower = false;
    for it in text.chars() {
        if it.is_ascii_uppercase() && after_lower {
            name.push('_');
        }
        after_lower = it.is_ascii_lowercase() || it.is_ascii_digit();
        let it = it.to_ascii_lowercase();
        if it.is_ascii_alphanumeric() {
            name.push(it);
        } else if !name.ends_with('_') {
            name.push('_');
        }
    }
    let name = name.trim_matches('_');
    let mut name: String = name.chars().take(LONGEST - "env__env".len()).collect();
    if name.is_empty() {
        return "my_env".to_owned();
    }
    if name.starts_with(|it: char| it.is_ascii_digit()) {
        name.insert_str(0, "env_");
    }
    if objection(&name).is_some() {
        name = format!("{}_env", name.trim_end_matches('_'));
    }
    name
}

/// The words of a name, each with a capital letter.
fn words(name: &str) -> impl Iterator<Item = String> {
    let words = name.split('_').filter(|word| !word.is_empty());
    words.map(|word| {
        let (first, rest) = word.split_at(1);
        first.to_ascii_uppercase() + rest
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_named_as_the_reference_names_them() {
        for (name, class, title) in [
            ("my_env", "My", "My Env"),
            ("tic_tac_env", "TicTac", "Tic Tac Env"),
            ("maze", "Maze", "Maze"),
            ("env", "Env", "Env"),
            ("world_2d", "World2d", "World 2d"),
            ("a__b_env", "AB", "A B Env"),
        ] {
            let name: ProjectName = name.parse().unwrap();
            assert_eq!((&*name.class(), &*name.title()), (class, title));
        }
    }

    #[test]
    fn every_suggestion_is_allowed() {
        let long = "x".repeat(100);
        for (text, expected) in [
            ("my-env", "my_env"),
            ("MyEnv", "my_env"),
            ("My Great Env!", "my_great_env"),
            ("2048", "env_2048"),
            ("test", "test_env"),
            ("class", "class_env"),
            ("self", "self_env"),
            ("_maze", "maze"),
            ("maze_", "maze"),
            ("Json", "json_env"),
            ("ümlaut", "mlaut"),
            ("迷路", "my_env"),
            ("", "my_env"),
            (&long, &long[..56]),
        ] {
            let refused = ProjectName::from_str(text).unwrap_err();
            assert_eq!(refused.suggestion, expected, "{text}");
            assert_eq!(objection(expected), None, "{expected}");
        }
    }
}
