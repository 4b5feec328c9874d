//! Packages of cargo, found and built.

use std::fs;
use std::process::Command;
use std::sync::Mutex;

use openenv_build::{CargoOptions, CargoProject, Profile, Progress};

use crate::package::Package;

const MANIFEST: &str = r#"
[package]
name = "maze_env"
version = "1.2.3"
edition = "2024"
description = "A maze"
license = "MIT"
"#;

const MAIN: &str = "fn main() { println!(\"{} {}\", env!(\"CARGO_PKG_NAME\"), file!()); }\n";

fn untold(_: Progress<'_>) {}

async fn found(package: &Package) -> Option<CargoProject> {
    CargoProject::find(package.path()).await.unwrap()
}

async fn refusal(package: &Package) -> String {
    let error = CargoProject::find(package.path()).await.unwrap_err();
    match error.hint() {
        Some(hint) => format!("{error}\nhint: {hint}"),
        None => error.to_string(),
    }
}

#[tokio::test]
async fn a_package_says_what_it_is() {
    let package = Package::new(&[("Cargo.toml", MANIFEST), ("src/main.rs", MAIN)]);
    let project = found(&package).await.unwrap();
    assert_eq!(project.name, "maze_env");
    assert_eq!(project.binary, "maze_env");
    assert_eq!(project.version, "1.2.3");
    assert_eq!(project.description.as_deref(), Some("A maze"));
    assert_eq!(project.license.as_deref(), Some("MIT"));
    assert_eq!(project.root, package.path().canonicalize().unwrap());
}

#[tokio::test]
async fn where_there_is_no_package_none_is_found() {
    assert!(
        found(&Package::new(&[("openenv.yaml", "")]))
            .await
            .is_none()
    );
    // The extension of a package in Python.
    let package = Package::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/lib.rs", ""),
        ("pyproject.toml", ""),
    ]);
    assert!(found(&package).await.is_none());
}

#[tokio::test]
async fn the_program_is_the_one_that_cargo_would_run() {
    let programs = [
        ("Cargo.toml", MANIFEST),
        ("src/bin/maze_env.rs", MAIN),
        ("src/bin/draw.rs", MAIN),
    ];
    let project = found(&Package::new(&programs)).await.unwrap();
    assert_eq!(project.binary, "maze_env");

    let manifest = format!("{MANIFEST}default-run = \"draw\"\n");
    let chosen = Package::new(&[("Cargo.toml", manifest.as_str()), programs[1], programs[2]]);
    assert_eq!(found(&chosen).await.unwrap().binary, "draw");

    let two = [programs[0], programs[2], ("src/bin/walk.rs", MAIN)];
    assert_eq!(
        refusal(&Package::new(&two)).await,
        "the package `maze_env` has several programs: draw, walk\n\
         hint: say which one serves with `default-run` in `Cargo.toml`"
    );
}

#[tokio::test]
async fn what_cannot_be_built_says_why() {
    let library = Package::new(&[("Cargo.toml", MANIFEST), ("src/lib.rs", "")]);
    assert_eq!(
        refusal(&library).await,
        "the package `maze_env` has no program\nhint: add a `src/main.rs` that serves its environment"
    );
    let workspace = Package::new(&[("Cargo.toml", "[workspace]\nmembers = []\n")]);
    let error = refusal(&workspace).await;
    assert!(
        error.contains("is a workspace without a package"),
        "{error}"
    );
    let broken = Package::new(&[("Cargo.toml", "[package\n")]);
    let error = refusal(&broken).await;
    assert!(error.starts_with("`cargo metadata` failed: "), "{error}");
    assert!(error.contains("Cargo.toml"), "{error}");
}

#[tokio::test]
async fn the_lines_of_the_compiler_are_told() {
    let package = Package::new(&[
        ("Cargo.toml", MANIFEST),
        ("src/main.rs", "fn main() { oh }"),
    ]);
    let project = found(&package).await.unwrap();
    let told = Mutex::new(String::new());
    let tell = |progress: Progress<'_>| {
        if let Progress::Line(line) = progress {
            let mut told = told.lock().unwrap();
            told.push_str(line);
            told.push('\n');
        }
    };
    let error = project.build(&CargoOptions::default(), &tell).await;
    assert_eq!(
        error.unwrap_err().to_string(),
        "could not build `maze_env`: `cargo build` ended with exit status: 101"
    );
    let told = told.into_inner().unwrap();
    assert!(told.contains("Compiling maze_env v1.2.3"), "{told}");
    assert!(told.contains("cannot find value `oh`"), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[tokio::test]
async fn a_program_is_built_and_runs() {
    let package = Package::new(&[("Cargo.toml", MANIFEST), ("src/main.rs", MAIN)]);
    let project = found(&package).await.unwrap();
    let program = project.build(&CargoOptions::default(), &untold).await;
    let output = Command::new(program.unwrap()).output().unwrap();
    assert_eq!(output.stdout, b"maze_env src/main.rs\n");
}

#[tokio::test]
async fn a_static_program_is_the_same_wherever_it_is_built() {
    let library = Package::new(&[
        ("Cargo.toml", &MANIFEST.replace("maze_env", "walls")),
        ("src/lib.rs", "pub fn place() -> &'static str { file!() }"),
    ]);
    let manifest = format!(
        "{MANIFEST}[dependencies]\nwalls = {{ path = {:?} }}\n",
        library.path()
    );
    let main = "fn main() { println!(\"{} {}\", walls::place(), file!()); }";
    let files = [("Cargo.toml", manifest.as_str()), ("src/main.rs", main)];
    let options = CargoOptions {
        profile: Profile::Release,
        static_link: true,
        offline: true,
        ..CargoOptions::default()
    };
    let mut programs = Vec::new();
    for _ in 0..2 {
        let package = Package::new(&files);
        let project = found(&package).await.unwrap();
        let program = project.build(&options, &untold).await.unwrap();
        let output = Command::new(&program).output().unwrap();
        let output = String::from_utf8(output.stdout).unwrap();
        assert_eq!(output, "/source/walls-1.2.3/src/lib.rs src/main.rs\n");
        let libraries = Command::new("ldd").arg(&program).output().unwrap();
        let libraries = String::from_utf8_lossy(&libraries.stdout).into_owned();
        assert!(!libraries.contains("=>"), "{libraries}");
        let program = fs::read(program).unwrap();
        let directory = package.path().to_str().unwrap().as_bytes();
        assert!(!program.windows(directory.len()).any(|it| it == directory));
        programs.push(program);
    }
    assert_eq!(programs[0], programs[1]);
}
