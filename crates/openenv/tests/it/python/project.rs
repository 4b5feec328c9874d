//! What is found in a directory, for every way in which authors keep their packages.

use std::path::Path;

use openenv::python::{Candidate, Project, SaidBy};
use serde_json::json;

use super::Tree;

const MANIFEST: &str = "spec_version: 1\nname: maze_env\napp: server.app:app\nport: 8000\n";

const PYPROJECT: &str = r#"
[project]
name = "openenv-maze"
requires-python = ">=3.10"
dependencies = ["openenv[core]>=0.2.2", "numpy"]

[project.scripts]
server = "maze_env.server.app:main"

[tool.setuptools]
packages = ["maze_env", "maze_env.server"]
package-dir = { "maze_env" = ".", "maze_env.server" = "server" }
"#;

/// As `openenv init` makes it.
fn usual(name: &'static str) -> Tree {
    Tree::new(name)
        .file("openenv.yaml", MANIFEST)
        .file("pyproject.toml", PYPROJECT)
        .files(&["__init__.py", "models.py", "server/__init__.py"])
        .files(&["server/app.py", "uv.lock", "server/requirements.txt"])
}

/// `module:attribute` of each, and who said so.
fn modules(project: &Project) -> Vec<(String, SaidBy)> {
    let shown = |it: &Candidate| match &it.attribute {
        Some(attribute) => (format!("{}:{attribute}", it.module), it.said_by),
        None => (it.module.clone(), it.said_by),
    };
    project.modules.iter().map(shown).collect()
}

fn names(project: &Project) -> Vec<&str> {
    project
        .modules
        .iter()
        .map(|it| it.module.as_str())
        .collect()
}

fn failure(path: impl AsRef<Path>) -> String {
    Project::find(path).unwrap_err().to_string()
}

#[test]
fn a_package_whose_directory_is_the_package() {
    let tree = usual("anything");
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(project.root, tree.path());
    assert_eq!(project.name, "maze_env");
    assert_eq!(
        modules(&project),
        [
            ("maze_env.server.app".to_owned(), SaidBy::Script),
            ("server.app:app".to_owned(), SaidBy::Manifest),
        ]
    );
    let package = project.package.unwrap();
    assert_eq!(
        (package.name.as_str(), package.directory),
        ("maze_env", tree.path())
    );
    assert_eq!(project.paths, [tree.path()]);
    let requirements = &project.requirements;
    assert_eq!(requirements.python.as_deref(), Some(">=3.10"));
    assert_eq!(requirements.dependencies, ["openenv[core]>=0.2.2", "numpy"]);
    assert_eq!(requirements.lock, Some(tree.join("uv.lock")));
    assert_eq!(requirements.files, [tree.join("server/requirements.txt")]);
}

#[test]
fn its_files_stand_for_their_directory() {
    let tree = usual("maze_env");
    for file in ["openenv.yaml", "pyproject.toml"] {
        let project = Project::find(tree.join(file)).unwrap();
        assert_eq!(project.root, tree.path());
        assert_eq!(names(&project), ["maze_env.server.app", "server.app"]);
    }
    let project = Project::find(tree.join("server/app.py")).unwrap();
    assert_eq!(project.root, tree.path());
    assert_eq!(
        modules(&project),
        [
            ("maze_env.server.app".to_owned(), SaidBy::Path),
            ("server.app".to_owned(), SaidBy::Path),
        ]
    );
}

#[test]
fn a_manifest_without_an_application() {
    let tree = Tree::new("coding_env")
        .file("openenv.yaml", "name: coding_env\nversion: 0.1.0\n")
        .files(&["__init__.py", "server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(names(&project), ["coding_env.server.app", "server.app"]);
    assert_eq!(project.package.unwrap().name, "coding_env");
}

#[test]
fn an_application_and_nothing_else() {
    let tree = Tree::new("my-game").files(&["server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(project.name, "my-game");
    assert_eq!(names(&project), ["server.app"]);
    assert!(project.package.is_none() && project.manifest.is_none());

    let project = Project::find(tree.join("server/app.py")).unwrap();
    assert_eq!(project.root, tree.path());
    assert_eq!(names(&project), ["server.app"]);
}

#[test]
fn modules_in_the_directory_itself() {
    let tree = Tree::new("game").files(&["main.py", "app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(names(&project), ["app", "main"]);
    let project = Project::find(tree.join("main.py")).unwrap();
    assert_eq!(modules(&project), [("main".to_owned(), SaidBy::Path)]);
}

#[test]
fn a_package_in_a_directory_of_its_name() {
    let tree = Tree::new("repository")
        .file(
            "pyproject.toml",
            "[project]\nname = 'openenv-maze'\n[project.scripts]\nserver = 'maze.server.app:main'\n",
        )
        .files(&["maze/__init__.py", "maze/server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(project.name, "maze");
    assert_eq!(names(&project), ["maze.server.app"]);
    assert!(project.package.is_none(), "it is importable by its path");
}

#[test]
fn a_package_below_src() {
    let tree = Tree::new("repository")
        .file("openenv.yaml", "name: maze\n")
        .files(&["src/maze/__init__.py", "src/maze/server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(names(&project), ["maze.server.app"]);
    assert_eq!(project.paths, [tree.path(), tree.join("src")]);
    assert!(project.package.is_none());

    let file = tree.join("src/maze/server/app.py");
    assert_eq!(names(&Project::find(file).unwrap()), ["maze.server.app"]);
}

#[test]
fn packages_where_pyproject_says_they_are() {
    let tree = Tree::new("repository")
        .file(
            "pyproject.toml",
            "[project]\nname = 'maze'\n[tool.setuptools.packages.find]\nwhere = ['lib']\n",
        )
        .files(&["lib/maze/server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(names(&project), ["maze.server.app"]);
    assert_eq!(project.paths, [tree.path(), tree.join("lib")]);

    let tree = Tree::new("repository")
        .file(
            "pyproject.toml",
            "[project.scripts]\nserver = 'maze.app:main'\n[tool.setuptools]\npackage-dir = {maze = 'code'}\n",
        )
        .files(&["code/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    let package = project.package.unwrap();
    assert_eq!(
        (package.name.as_str(), package.directory),
        ("maze", tree.join("code"))
    );
}

#[test]
fn who_says_more_is_heard() {
    let tree = Tree::new("maze")
        .file("openenv.yaml", "app: maze.server.app:application\n")
        .file("pyproject.toml", PYPROJECT)
        .file(
            "pyproject.toml",
            "[project.scripts]\nserver = 'maze.server.app:main'\n",
        )
        .files(&["server/app.py"]);
    let project = Project::find(tree.path()).unwrap();
    assert_eq!(
        modules(&project),
        [
            ("maze.server.app:application".to_owned(), SaidBy::Script),
            ("server.app".to_owned(), SaidBy::Layout),
        ]
    );
}

#[test]
fn names_fit_into_a_path() {
    for (written, served) in [
        ("Maze Env!", "Maze-Env"),
        ("maze/é", "maze"),
        ("a.b_c-d", "a.b_c-d"),
        ("🎲", "environment"),
    ] {
        let tree = Tree::new("dir")
            .file("openenv.yaml", &format!("name: '{written}'\n"))
            .files(&["app.py"]);
        assert_eq!(Project::find(tree.path()).unwrap().name, served);
    }
    let tree = Tree::new("dir")
        .file("pyproject.toml", "[project]\nname = 'openenv-maze-env'\n")
        .files(&["app.py"]);
    assert_eq!(Project::find(tree.path()).unwrap().name, "maze-env");
}

#[test]
fn a_class_of_a_module() {
    let tree = Tree::new("work").files(&["games/maze.py"]);
    let project = Project::of_object("games.maze:Maze.Small", tree.path()).unwrap();
    let object = project.object.unwrap();
    assert_eq!(
        (&*object.module, &*object.attribute),
        ("games.maze", "Maze.Small")
    );
    assert_eq!(project.name, "maze");
    assert_eq!(project.root, tree.path());
    assert_eq!(project.paths, [tree.path()]);
    assert!(project.modules.is_empty());
}

#[test]
fn a_class_in_a_file() {
    let tree =
        Tree::new("work").files(&["games/maze.py", "pkg/__init__.py", "pkg/sub/__init__.py"]);
    let tree = tree.files(&["pkg/sub/env.py"]);
    let object = |spec: &str| Project::of_object(spec, tree.path()).unwrap();
    let project = object("games/maze.py:Maze");
    assert_eq!(project.object.unwrap().to_string(), "maze:Maze");
    assert_eq!(project.root, tree.join("games"));
    // Of a package, so that it can import from it.
    let project = object("pkg/sub/env.py:Env");
    assert_eq!(project.object.unwrap().to_string(), "pkg.sub.env:Env");
    assert_eq!(project.root, tree.path());
    let project = object("pkg/sub/__init__.py:Env");
    assert_eq!(project.object.unwrap().to_string(), "pkg.sub:Env");
}

#[test]
fn a_class_of_a_package_has_what_the_package_has() {
    let tree = usual("maze_env").files(&["server/maze_environment.py"]);
    let above = tree.path().parent().unwrap().to_owned();
    let spec = "maze_env/server/maze_environment.py:MazeEnvironment";
    let project = Project::of_object(spec, above).unwrap();
    let object = project.object.unwrap();
    assert_eq!(object.module, "maze_env.server.maze_environment");
    assert_eq!(project.root, tree.path());
    assert_eq!(project.package.unwrap().name, "maze_env");
    assert_eq!(project.name, "maze_env");
    assert_eq!(project.requirements.dependencies.len(), 2);
}

#[test]
fn a_directory_of_several_packages_is_none_of_them() {
    let several = Tree::new("envs").files(&["one/server/app.py", "two/server/app.py"]);
    assert!(failure(several.path()).ends_with("there are environments in `one`, `two`"));
    let single = Tree::new("envs").files(&["one/server/app.py", "two/notes.txt"]);
    let project = Project::find(single.path()).unwrap();
    assert_eq!(project.modules[0].module, "one.server.app");
}

#[test]
fn what_is_no_environment_is_told_with_what_to_do() {
    let tree = Tree::new("nothing").files(&["notes.txt", "one/openenv.yaml", "two/openenv.yaml"]);
    let path = tree.path().display().to_string();
    assert_eq!(
        failure(tree.path()),
        format!(
            "`{path}` has no environment in Python: there is no `openenv.yaml`, `pyproject.toml`, \
             `server/app.py`, `app.py` or `main.py`; there are environments in `one`, `two`"
        )
    );
    assert_eq!(
        failure(tree.join("gone")),
        format!("there is no directory `{path}/gone`")
    );
    assert_eq!(
        failure(tree.join("notes.txt")),
        format!(
            "`{path}/notes.txt` is no environment: give its directory, its `openenv.yaml` \
             or a Python file with its application"
        )
    );
    let one = tree.join("one");
    assert_eq!(
        failure(&one),
        format!(
            "`{}` does not say where its application is: `openenv.yaml` has no `app`, and there is no \
             `server/app.py`, `app.py` or `main.py`; add `app: module:attribute` to `openenv.yaml`",
            one.display()
        )
    );
}

#[test]
fn a_rust_crate_is_called_one() {
    let tree = Tree::new("maze").files(&["Cargo.toml", "src/main.rs", "openenv.yaml"]);
    let expected = "is a Rust crate, not an environment in Python: `openenv serve` serves it";
    assert!(failure(tree.path()).ends_with(expected));
    // With an application in Python it is both.
    let tree = tree.files(&["server/app.py"]);
    assert_eq!(names(&Project::find(tree.path()).unwrap()), ["server.app"]);
}

#[test]
fn files_that_cannot_be_read_are_named() {
    let tree = usual("maze").file("openenv.yaml", "name: [\n");
    let error = failure(tree.path());
    assert!(error.contains("openenv.yaml`, line "), "{error}");
    let tree = usual("maze").file("pyproject.toml", "[project\n");
    let error = failure(tree.path());
    assert!(
        error.contains("pyproject.toml`, line 1, column "),
        "{error}"
    );
    let tree = usual("maze");
    std::fs::write(tree.join("pyproject.toml"), b"\xff\xfe").unwrap();
    let error = failure(tree.path());
    assert!(
        error.starts_with("could not read `") && error.contains("UTF-8"),
        "{error}"
    );
}

#[test]
fn a_class_that_is_written_wrong_is_told_how_to_write_it() {
    let tree = Tree::new("work").files(&["maze.py", "my-games/maze.py"]);
    let failure = |spec: &str| {
        Project::of_object(spec, tree.path())
            .unwrap_err()
            .to_string()
    };
    assert_eq!(
        failure("maze"),
        "`maze` names no class: write it as `module:Class` or `path/to/file.py:Class`"
    );
    assert!(failure("maze:").contains("is no name of a class"));
    assert!(failure("maze:1st").contains("is no name of a class"));
    assert!(failure("a-b:Maze").contains("neither a module nor a Python file"));
    assert!(failure("gone.py:Maze").starts_with("could not read `"));
    // Directories need no names for modules as long as the file is by itself.
    let project = Project::of_object("my-games/maze.py:Maze", tree.path()).unwrap();
    assert_eq!(project.root, tree.join("my-games"));
}

#[test]
fn it_can_be_shown() {
    let tree = usual("maze_env");
    let shown = serde_json::to_value(Project::find(tree.path()).unwrap()).unwrap();
    assert_eq!(shown["name"], "maze_env");
    assert_eq!(
        shown["modules"][0],
        json!({ "module": "maze_env.server.app", "attribute": null, "said_by": "script" })
    );
    assert_eq!(shown["package"]["name"], "maze_env");
}
