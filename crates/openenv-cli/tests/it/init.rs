//! `openenv init`.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use tempfile::TempDir;

use crate::commands::assert_fails;
use crate::serving::openenv;

const TEMPLATES: [&str; 3] = ["typed", "tools", "game"];
const LANGUAGES: [&str; 2] = ["python", "rust"];

fn init(place: &Path, arguments: &str) -> Output {
    openenv("init")
        .args(arguments.split_whitespace())
        .current_dir(place)
        .output()
        .unwrap()
}

#[track_caller]
fn assert_created(output: &Output) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stderr}");
}

/// Every file below a directory with its text, in order.
fn files(root: &Path) -> Vec<(String, String)> {
    fn collect(directory: &Path, into: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                collect(&path, into);
            } else {
                into.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    collect(root, &mut paths);
    paths.sort();
    let relative = |path: &Path| path.strip_prefix(root).unwrap().display().to_string();
    let read = |path: PathBuf| (relative(&path), fs::read_to_string(&path).unwrap());
    paths.into_iter().map(read).collect()
}

#[test]
fn help() {
    let output = openenv("init --help").output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    insta::assert_snapshot!("help_init", text);
}

#[test]
fn says_what_was_written_and_what_to_do_next() {
    let place = TempDir::new().unwrap();
    for language in LANGUAGES {
        let output = init(
            place.path(),
            &format!("my_env --lang {language} -o {language}"),
        );
        assert_created(&output);
        let path = format!("{language}/my_env");
        assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), path);
        let said = String::from_utf8(output.stderr).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
        let root = root.unwrap().canonicalize().unwrap();
        let said = said.replace(root.to_str().unwrap(), "[checkout]");
        insta::assert_snapshot!(format!("init_{language}"), said);
    }
    let quiet = init(place.path(), "other_env -q");
    assert_created(&quiet);
    assert_eq!(String::from_utf8_lossy(&quiet.stderr), "");
    assert_eq!(String::from_utf8_lossy(&quiet.stdout), "other_env\n");
}

#[test]
fn every_template_has_its_files() {
    let place = TempDir::new().unwrap();
    let mut listing = String::new();
    for language in LANGUAGES {
        for template in TEMPLATES {
            let name = format!("{template}_env");
            let options = format!("{name} --lang {language} --template {template} -o {language}");
            assert_created(&init(place.path(), &options));
            writeln!(listing, "{language} {template}").unwrap();
            for (path, text) in files(&place.path().join(language).join(&name)) {
                writeln!(listing, "  {path}").unwrap();
                assert!(
                    !text.contains("{%") && !text.contains("{{"),
                    "{path}: {text}"
                );
                assert!(text.ends_with('\n') && !text.ends_with("\n\n"), "{path}");
                assert!(!text.contains('\r') && !text.contains('\t'), "{path}");
                let trailing = text.lines().find(|line| line.ends_with(' '));
                assert_eq!(trailing, None, "{path}");
            }
        }
    }
    insta::assert_snapshot!("init_files", listing);
}

#[test]
fn the_same_name_is_the_same_project() {
    let place = TempDir::new().unwrap();
    for directory in ["first", "second"] {
        assert_created(&init(place.path(), &format!("maze_env -o {directory}")));
    }
    let [first, second] = ["first", "second"].map(|it| files(&place.path().join(it)));
    assert_eq!(first, second);
    let (_, readme) = first
        .iter()
        .find(|(path, _)| path == "maze_env/README.md")
        .unwrap();
    let matter: Vec<_> = readme.lines().take(12).collect();
    insta::assert_snapshot!("init_front_matter", matter.join("\n"));
}

#[test]
fn bad_names_are_refused_with_a_good_one() {
    let place = TempDir::new().unwrap();
    for (name, reason, instead) in [
        (
            "my-env",
            "lower-case letters, digits and `_` only",
            "my_env",
        ),
        ("MyEnv", "lower-case letters", "my_env"),
        ("2048", "begins with a letter", "env_2048"),
        ("_maze", "begins with a letter", "maze"),
        ("maze_", "ends with a letter or a digit", "maze"),
        ("test", "`test` is a module of Python itself", "test_env"),
        ("random", "`random` is a module of Python", "random_env"),
        ("class", "`class` is a keyword of Python", "class_env"),
        ("self", "`self` is a keyword of Rust", "self_env"),
        ("std", "`std` is a crate of Rust itself", "std_env"),
        ("build", "`build` is a directory of Cargo's", "build_env"),
        ("openenv", "a package that the project needs", "openenv_env"),
        (
            "server",
            "`server` is a part of every project",
            "server_env",
        ),
    ] {
        let output = init(place.path(), name);
        assert_fails(&output, 2, &[reason, &format!("try `{instead}`")]);
        assert_created(&init(place.path(), &format!("{instead} -o {name}-instead")));
    }
    let left = fs::read_dir(place.path()).unwrap().count();
    assert_eq!(left, 13, "the good ones alone");
}

#[test]
fn nothing_is_overwritten() {
    let place = TempDir::new().unwrap();
    let at = |path: &str| place.path().join(path);
    fs::write(at("file_env"), "mine").unwrap();
    fs::create_dir(at("full_env")).unwrap();
    fs::write(at("full_env/mine"), "mine").unwrap();
    for (arguments, message) in [
        ("file_env", "`file_env` is there already"),
        ("full_env", "`full_env` is there already, and not empty"),
        ("my_env -o file_env", "`file_env` is not a directory"),
        (
            "my_env -o full_env/mine",
            "`full_env/mine` is not a directory",
        ),
        ("my_env --openenv 0.1", "a project in Python has none"),
    ] {
        assert_fails(&init(place.path(), arguments), 2, &[message, "hint: "]);
    }
    let left = files(place.path());
    assert_eq!(left.len(), 2, "{left:?}");
    assert!(left.iter().all(|(_, text)| text == "mine"));
}

#[test]
fn an_empty_directory_will_do_and_missing_ones_are_made() {
    let place = TempDir::new().unwrap();
    fs::create_dir(place.path().join("my_env")).unwrap();
    assert_created(&init(place.path(), "my_env"));
    assert_created(&init(place.path(), "my_env -o some/where"));
    let here = files(&place.path().join("my_env"));
    assert_eq!(here, files(&place.path().join("some/where/my_env")));
    // No draft is left beside them.
    assert_eq!(fs::read_dir(place.path()).unwrap().count(), 2);
}

#[cfg(unix)]
#[test]
fn the_directory_is_as_open_as_any_other() {
    use std::os::unix::fs::PermissionsExt;

    let place = TempDir::new().unwrap();
    assert_created(&init(place.path(), "my_env"));
    fs::create_dir(place.path().join("other")).unwrap();
    let mode = |path: &str| {
        place
            .path()
            .join(path)
            .metadata()
            .unwrap()
            .permissions()
            .mode()
    };
    assert_eq!(mode("my_env"), mode("other"));
}

#[cfg(unix)]
#[test]
fn what_cannot_be_written_leaves_nothing() {
    let place = TempDir::new().unwrap();
    // No file system has it.
    let output = init(place.path(), "my_env -o /proc/nowhere");
    assert_fails(&output, 1, &["could not write `/proc/nowhere/my_env`"]);
}

#[test]
fn crates_come_from_where_the_user_says() {
    let place = TempDir::new().unwrap();
    for (source, expected) in [
        (
            "0.3",
            r#"openenv = { version = "0.3", default-features = false }"#,
        ),
        (
            "git+https://host/owner/openenv",
            r#"openenv-serve = { git = "https://host/owner/openenv" }"#,
        ),
    ] {
        let name = format!("env_{}", source.len());
        let options = format!("{name} --lang rust --openenv {source}");
        assert_created(&init(place.path(), &options));
        let manifest = place.path().join(name).join("Cargo.toml");
        let manifest = fs::read_to_string(manifest).unwrap();
        assert!(manifest.contains(expected), "{manifest}");
    }
    let output = init(place.path(), "my_env --lang rust --openenv nowhere");
    assert_fails(
        &output,
        2,
        &["--openenv", "no directory with `crates/openenv`"],
    );
}
