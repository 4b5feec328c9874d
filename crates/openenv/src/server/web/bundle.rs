//! The page in one piece.
//!
//! Its sources are modules, one for each thing. A browser would fetch them one by
//! one; here they become one script: each module a function that runs after those
//! it imports from, and returns what it exports. They import and export in the
//! plainest way, by `import { a, b } from './x.js';` and `export` before what is
//! declared, each at the start of a line.

use std::borrow::Cow;
use std::fmt::Write;

use include_dir::{Dir, DirEntry, include_dir};

/// Every file of the page, for builds that carry it.
static PAGE: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/src/server/web/page");

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
    PAGE.get_file(name)?.contents_utf8().map(Cow::Borrowed)
}

/// All styles, one after the other: those of the whole page first.
pub(super) fn styles() -> String {
    let mut names = names("css");
    names.sort_by_key(|name| name.contains('/'));
    let files = names.iter().filter_map(|name| file(name));
    files.collect::<Vec<_>>().join("\n")
}

/// The files of a kind, by name.
fn names(kind: &str) -> Vec<&'static str> {
    fn add(directory: &'static Dir<'_>, kind: &str, names: &mut Vec<&'static str>) {
        for entry in directory.entries() {
            match entry {
                DirEntry::Dir(directory) => add(directory, kind, names),
                DirEntry::File(file) => {
                    let is_kind = file.path().extension().is_some_and(|it| it == kind);
                    names.extend(file.path().to_str().filter(|_| is_kind));
                }
            }
        }
    }
    let mut found = Vec::new();
    add(&PAGE, kind, &mut found);
    found.sort_unstable();
    found
}

/// `app.js` with all that it needs, as one script.
pub(super) fn script() -> String {
    let mut script = "const modules = {};\n".to_owned();
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
    let mut body = String::new();
    let mut exports = Vec::new();
    let mut lines = source.split_inclusive('\n');
    while let Some(line) = lines.next() {
        if line.starts_with("import ") {
            let mut statement = line.to_owned();
            while !statement.contains(';') {
                let Some(line) = lines.next() else { break };
                statement.push_str(line);
            }
            let (names, module) = imported(&statement);
            let module = resolve(name, module);
            add(&module, added, script);
            let _ = writeln!(body, "const {names} = modules[{module:?}];");
        } else if let Some(declaration) = line.strip_prefix("export ") {
            exports.push(declared(declaration));
            body.push_str(declaration);
        } else {
            body.push_str(line);
        }
    }
    let exports = exports.join(", ");
    let _ = writeln!(
        script,
        "modules[{name:?}] = (() => {{\n{body}\nreturn {{ {exports} }};\n}})();"
    );
}

/// The names that a statement imports, in braces, and where from.
fn imported(statement: &str) -> (&str, &str) {
    let names = statement.trim_start_matches("import ");
    let names = names.split("from").next().unwrap_or_default().trim();
    (names, statement.split('\'').nth(1).unwrap_or_default())
}

/// The names that a line declares.
fn declared(line: &str) -> &str {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '$');
    let line = line.trim_start_matches("async ");
    let names = line
        .split_once(' ')
        .map_or("", |(_, names)| names)
        .trim_start();
    match names.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap_or_default().trim(),
        None => names
            .split(|letter| !is_word(letter))
            .next()
            .unwrap_or_default(),
    }
}

/// The name of the module that `importer` calls `./x.js` or `../y/x.js`.
fn resolve(importer: &str, module: &str) -> String {
    let mut path: Vec<&str> = importer.split('/').collect();
    path.pop();
    for part in module.split('/') {
        match part {
            "." => {}
            ".." => drop(path.pop()),
            part => path.push(part),
        }
    }
    path.join("/")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_module_is_used_and_none_is_missing() {
        let script = script();
        for name in names("js") {
            let defined = format!("modules[{name:?}] = ");
            assert!(script.contains(&defined), "nobody imports {name}");
        }
        assert!(!script.contains("the page has no"), "a module is missing");
    }

    #[test]
    fn what_is_imported_is_exported() {
        let exported = |module: &str| {
            let source = file(module).unwrap();
            let declarations = source
                .lines()
                .filter_map(|line| line.strip_prefix("export "));
            let names: Vec<&str> = declarations.map(declared).collect();
            names.join(",")
        };
        for importer in names("js") {
            let source = file(importer).unwrap();
            for statement in source.split("\nimport ").skip(1) {
                let (names, module) = imported(statement);
                let module = resolve(importer, module);
                let there = exported(&module);
                for name in names.trim_matches(['{', '}', ' ', '\n']).split(',') {
                    let name = name.trim();
                    let found = there.split(',').any(|exported| exported.trim() == name);
                    assert!(
                        found || name.is_empty(),
                        "{importer}: {module} has no `{name}`"
                    );
                }
            }
        }
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
}
