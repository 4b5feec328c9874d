//! The page in one piece.
//!
//! Its sources are modules, one for each thing. A browser would fetch them one by
//! one; here they become one script: each after those that it imports, without the
//! lines that import and the word that exports. So their names must not clash, and
//! they import and export in the plainest way, which a test sees to.

use std::borrow::Cow;
use std::fmt::Write;

use super::files::FILES;

/// A file of the page.
type Source = Cow<'static, str>;

/// The file of this name.
///
/// While the page is worked on, it comes from where it is worked on.
pub(super) fn file(name: &str) -> Option<Source> {
    #[cfg(debug_assertions)]
    {
        let directory = concat!(env!("CARGO_MANIFEST_DIR"), "/src/server/web/page/");
        if let Ok(text) = std::fs::read_to_string(format!("{directory}{name}")) {
            return Some(Cow::Owned(text));
        }
    }
    let (_, text) = FILES.iter().find(|(known, _)| *known == name)?;
    Some(Cow::Borrowed(text))
}

/// All styles, one after the other.
pub(super) fn styles() -> String {
    let mut styles = String::new();
    let names = FILES.iter().map(|(name, _)| *name);
    for name in names.filter(|name| name.ends_with(".css")) {
        styles.push_str(&file(name).unwrap_or_default());
        styles.push('\n');
    }
    styles
}

/// `app.js` with all that it needs, as one module.
pub(super) fn script() -> String {
    let mut script = String::new();
    add("app.js", &mut Vec::new(), &mut script);
    script
}

fn add(name: &str, added: &mut Vec<String>, script: &mut String) {
    if added.iter().any(|known| known == name) {
        return;
    }
    added.push(name.to_owned());
    let source = file(name).unwrap_or_else(|| {
        let missing = format!("the page has no {name}");
        Cow::Owned(format!("throw new Error({missing:?});"))
    });
    let mut own = String::new();
    let mut rest = &*source;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
        rest = after;
        if line.starts_with("import ") {
            let mut statement = line.to_owned();
            while !statement.contains(';') && !rest.is_empty() {
                let (line, after) =
                    rest.split_at(rest.find('\n').map_or(rest.len(), |end| end + 1));
                statement.push_str(line);
                rest = after;
            }
            if let Some((_, module)) = statement.split_once("from './") {
                add(module.split('\'').next().unwrap_or(module), added, script);
            }
        } else {
            own.push_str(line.strip_prefix("export ").unwrap_or(line));
        }
    }
    let _ = write!(script, "// {name}\n{own}\n");
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};
    use std::path::Path;

    use super::*;

    fn files_in(directory: &Path, prefix: &str, found: &mut BTreeSet<String>) {
        for entry in std::fs::read_dir(directory).unwrap().flatten() {
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            let path = entry.path();
            if path.is_dir() {
                files_in(&path, &format!("{name}/"), found);
            } else if path
                .extension()
                .is_some_and(|kind| kind == "js" || kind == "css" || kind == "html")
            {
                found.insert(name);
            }
        }
    }

    #[test]
    fn every_file_is_carried_and_used() {
        let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/web/page");
        let mut there = BTreeSet::new();
        files_in(&directory, "", &mut there);
        let listed: BTreeSet<String> = FILES.iter().map(|(name, _)| (*name).to_owned()).collect();
        assert_eq!(listed, there, "files.rs lists other files than there are");
        let script = script();
        for name in listed.iter().filter(|name| name.ends_with(".js")) {
            assert!(
                script.contains(&format!("// {name}\n")),
                "nobody imports {name}"
            );
        }
        assert!(!script.contains("the page has no"), "a module is missing");
    }

    #[test]
    fn the_script_can_stand_in_the_document() {
        let script = script();
        assert!(!script.contains("</script") && !script.contains("<!--"));
        for line in script.lines() {
            assert!(!line.starts_with("export "), "{line}");
            assert!(!line.starts_with("import "), "{line}");
        }
    }

    #[test]
    fn no_two_modules_use_the_same_name() {
        let mut owners: BTreeMap<String, &str> = BTreeMap::new();
        for (name, source) in FILES.iter().filter(|(name, _)| name.ends_with(".js")) {
            for line in source.lines() {
                let line = line.strip_prefix("export ").unwrap_or(line);
                let line = line.strip_prefix("async ").unwrap_or(line);
                let declared = ["function ", "class ", "const ", "let ", "function* "]
                    .iter()
                    .find_map(|word| line.strip_prefix(word));
                let Some(declared) = declared else {
                    continue;
                };
                let names = match declared.strip_prefix(['{', '[']) {
                    Some(list) => list.split(['}', ']']).next().unwrap_or(list),
                    None => declared
                        .split(|letter: char| {
                            !letter.is_alphanumeric() && letter != '_' && letter != '$'
                        })
                        .next()
                        .unwrap_or(declared),
                };
                for declared in names
                    .split(',')
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                {
                    if let Some(other) = owners.insert(declared.to_owned(), name) {
                        assert_eq!(other, *name, "`{declared}` is in {other} and in {name}");
                    }
                }
            }
        }
    }
}
