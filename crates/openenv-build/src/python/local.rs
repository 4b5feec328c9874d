//! Requirements that are files of the package.

use std::path::{Component, Path, PathBuf};

use crate::error::{Error, Result};
use crate::native::HOME;

/// Options of requirements that take a path.
const OPTIONS: [&str; 6] = [
    "-e",
    "--editable",
    "-c",
    "--constraint",
    "-f",
    "--find-links",
];

/// A requirement as it is written in the image; nothing if it names no file.
///
/// # Errors
///
/// If the file is not in the package, and so not in the image.
pub(super) fn in_image(line: &str, root: &Path) -> Result<Option<String>> {
    let Some(start) = start_of_path(line) else {
        return Ok(None);
    };
    let (before, place) = line.split_at(start);
    // The root may have any character, what is in the package may not.
    let shown = root.to_string_lossy();
    let begin = place.strip_prefix(&*shown).map_or(0, |_| shown.len());
    let end = place[begin..].find(['[', ' ', ';', '#']);
    let (path, after) = place.split_at(end.map_or(place.len(), |end| begin + end));
    let path = cleaned(Path::new(path));
    let Ok(inside) = path.strip_prefix(root) else {
        let shown = root.display();
        return Err(Error::new(format!(
            "the requirement `{line}` is outside of the package `{shown}`, and so not in its image"
        ))
        .with_hint(
            "move it into the package; or require it by its name, and put its wheel into the directory of `--wheels`",
        ));
    };
    let path: PathBuf = Path::new(HOME).join(inside).components().collect();
    Ok(Some(format!("{before}{}{after}", path.display())))
}

/// Where a path begins: after an option, in an address, or at once.
fn start_of_path(line: &str) -> Option<usize> {
    if let Some(at) = line.find("file://") {
        let at = at + "file://".len();
        return line[at..].find('/').map(|slash| at + slash);
    }
    let value = OPTIONS.iter().find_map(|option| {
        let value = line.strip_prefix(option)?;
        value.strip_prefix(['=', ' ']).or(Some(value))
    });
    let place = value.unwrap_or(line).trim_start();
    place.starts_with('/').then(|| line.len() - place.len())
}

/// The same path without detours.
fn cleaned(path: &Path) -> PathBuf {
    let mut cleaned = PathBuf::new();
    for component in path.components() {
        if component == Component::ParentDir {
            cleaned.pop();
        } else {
            cleaned.push(component);
        }
    }
    cleaned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_the_package_are_where_it_is_in_the_image() {
        for (line, expected) in [
            ("numpy>=2", None),
            ("a @ https://example.org/a.whl", None),
            ("--extra-index-url https://example.org/", None),
            ("/my maze/wheels/a.whl", Some("/app/env/wheels/a.whl")),
            ("-e /my maze/lib[all]", Some("-e /app/env/lib[all]")),
            ("--editable=/my maze", Some("--editable=/app/env")),
            ("-c /my maze/server/../c.txt", Some("-c /app/env/c.txt")),
            (
                "a @ file:///my maze/a ; python_version > '3'",
                Some("a @ file:///app/env/a ; python_version > '3'"),
            ),
        ] {
            let found = in_image(line, Path::new("/my maze")).unwrap();
            assert_eq!(found.as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn others_are_refused_by_name() {
        for line in [
            "/maze-common",
            "-e /maze/../common",
            "a @ file:///other/a",
            "-c /constraints.txt",
        ] {
            let error = in_image(line, Path::new("/maze")).unwrap_err();
            let expected = format!("the requirement `{line}` is outside of the package `/maze`");
            assert!(error.to_string().starts_with(&expected), "{error}");
        }
    }
}
