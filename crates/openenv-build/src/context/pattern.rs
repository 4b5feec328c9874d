//! Patterns of paths, as Docker reads them.

use std::path::{Component, Path, PathBuf};

use regex::Regex;

/// A line of a `.dockerignore`, without the mark of an exception.
#[derive(Debug, Clone)]
pub(super) struct Pattern {
    /// In its shortest form, from the top
    text: String,
    regex: Regex,
}

impl Pattern {
    /// Reads one; nothing if it can fit no path.
    pub(super) fn new(text: &str) -> Result<Option<Self>, regex::Error> {
        let text = cleaned(text);
        if text.is_empty() {
            return Ok(None);
        }
        let regex = Regex::new(&expression(&text))?;
        Ok(Some(Self { text, regex }))
    }

    pub(super) fn fits(&self, path: &Path) -> bool {
        self.regex.is_match(&path.to_string_lossy())
    }

    /// Whether it says the name of what it fits, or a part of it: `**` and `*` do not.
    pub(super) fn says_names(&self) -> bool {
        let last = self.text.rsplit('/').next().unwrap_or_default();
        !last.chars().all(|it| matches!(it, '*' | '?'))
    }

    /// The path, if it is the only one that fits.
    pub(super) fn path(&self) -> Option<&Path> {
        let is_path = !self.text.contains(['*', '?', '[', '\\']);
        is_path.then(|| Path::new(&self.text))
    }
}

/// The same path, from the top and without detours.
fn cleaned(text: &str) -> String {
    let mut path = PathBuf::new();
    for component in Path::new(text).components() {
        match component {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.file_name().is_some() => {
                path.pop();
            }
            // It leads out of the directory, if it does not begin at the top.
            Component::ParentDir if !text.starts_with('/') => path.push(".."),
            _ => {}
        }
    }
    path.to_string_lossy().into_owned()
}

/// The pattern as an expression for a whole path.
///
/// `**` stands for any directories, or for anything if it is alone at the beginning or
/// the end; `*` and `?` stay within a name; braces have no meaning.
fn expression(pattern: &str) -> String {
    let mut expression = String::from("(?s)^");
    let mut rest = pattern;
    // At the beginning, with nothing but plain text behind it, it is about how a path ends.
    if let Some(end) = pattern.strip_prefix("**")
        && !end.starts_with('/')
        && !end.contains(['*', '?', '[', ']', '\\'])
    {
        expression.push_str(".*");
        rest = end;
    }
    let mut characters = rest.chars().peekable();
    let mut in_class = false;
    while let Some(it) = characters.next() {
        match it {
            // What has a meaning in a class here and none there.
            '[' | '&' | '~' if in_class => expression.extend(['\\', it]),
            '^' | '-' if in_class => expression.push(it),
            ']' if in_class => {
                in_class = false;
                expression.push(it);
            }
            '[' => {
                in_class = true;
                expression.push(it);
            }
            '*' if !in_class && characters.next_if_eq(&'*').is_some() => {
                characters.next_if_eq(&'/');
                let is_last = characters.peek().is_none();
                expression.push_str(if is_last { ".*" } else { "(.*/)?" });
            }
            '*' if !in_class => expression.push_str("[^/]*"),
            '?' if !in_class => expression.push_str("[^/]"),
            '\\' => {
                let escaped = characters.next().unwrap_or('\\');
                expression.push_str(&regex::escape(escaped.encode_utf8(&mut [0; 4])));
            }
            _ => expression.push_str(&regex::escape(it.encode_utf8(&mut [0; 4]))),
        }
    }
    expression.push('$');
    expression
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_mean_what_they_mean_to_docker() {
        for (pattern, path, expected) in [
            ("data", "data", true),
            ("/data/", "data", true),
            ("./data", "data", true),
            // From the top, unlike git.
            ("data", "server/data", false),
            ("**/data", "server/data", true),
            ("**/data", "a/b/data", true),
            ("**/data", "data", true),
            ("**/data", "mydata", false),
            ("**.key", "a.key", true),
            ("**.key", "a/b.key", true),
            ("**.k?y", "a/.key", true),
            ("**", "a/b", true),
            ("data/**", "data/a/b", true),
            ("data/**", "data", false),
            ("a/**/b", "a/b", true),
            ("a/**/b", "a/x/y/b", true),
            ("*.md", "README.md", true),
            ("*.md", "docs/README.md", false),
            ("a?c", "abc", true),
            ("a?c", "a/c", false),
            ("{b,c}", "b", false),
            ("{b,c}", "{b,c}", true),
            ("foo/../a", "a", true),
            ("/../a", "a", true),
            ("../a", "a", false),
            ("a.b", "axb", false),
            ("a(b)+|$", "a(b)+|$", true),
            ("[a-c]1", "b1", true),
            ("[^a-c]1", "b1", false),
            ("[a&&b]", "&", true),
            ("\\*.md", "*.md", true),
            ("\\*.md", "a.md", false),
        ] {
            let it = Pattern::new(pattern).unwrap().unwrap();
            assert_eq!(it.fits(Path::new(path)), expected, "{pattern}: {path}");
        }
        for nothing in ["", ".", "/", "a/.."] {
            assert!(Pattern::new(nothing).unwrap().is_none(), "{nothing}");
        }
        assert!(Pattern::new("[a").is_err());
    }
}
