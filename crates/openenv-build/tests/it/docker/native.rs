//! The image of a program.

use std::fs;
use std::path::{Path, PathBuf};

use openenv_build::{CargoOptions, Image, Language, Profile, Source};

use super::{Container, TestTag, docker, engine, kept, tell};
use crate::package::Package;

/// A package with a server, which depends on the library of this workspace.
///
/// It is always at the same place: the flags name it, so what it depends on would be
/// compiled again elsewhere.
fn package() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = here.join("../openenv").canonicalize().unwrap();
    let manifest = format!(
        r#"
[package]
name = "shout_env"
version = "1.2.3"
edition = "2024"
description = "Says it loud"
license = "MIT"

[dependencies]
openenv = {{ path = "{}", default-features = false, features = ["server"] }}
schemars = "1"
serde = {{ version = "1", features = ["derive"] }}
tokio = {{ version = "1", features = ["macros", "net", "rt-multi-thread"] }}

[workspace]
"#,
        library.display()
    );
    // The versions that are here already.
    let lock = fs::read_to_string(here.join("../../Cargo.lock")).unwrap();
    let main = include_str!("../../fixtures/shout_env/main.rs");
    let directory = kept().join("shout_env");
    let files = [
        ("Cargo.toml", manifest.as_str()),
        ("src/main.rs", main),
        (
            "openenv.yaml",
            "spec_version: 1\nname: shout_env\nvariables: {GREETING: hello}\n",
        ),
        ("README.md", "# Shout\n"),
    ];
    fs::create_dir_all(directory.join("src")).unwrap();
    for (path, text) in files {
        let path = directory.join(path);
        // Several tests do it at once, and cargo looks at the time.
        if fs::read_to_string(&path).is_ok_and(|it| it == text) {
            continue;
        }
        let beside = path.with_added_extension(std::process::id().to_string());
        fs::write(&beside, text).unwrap();
        fs::rename(beside, path).unwrap();
    }
    let place = directory.join("Cargo.lock");
    if !place.exists() {
        fs::write(place, lock).unwrap();
    }
    directory
}

async fn image() -> Image {
    let source = Source::find(package()).await.unwrap();
    let Language::Rust(project) = &source.language else {
        panic!("it is in Rust");
    };
    let options = CargoOptions {
        profile: Profile::Release,
        static_link: true,
        offline: true,
        ..CargoOptions::default()
    };
    let program = project.build(&options, &tell).await.unwrap();
    Image::of_program(project, &program, &source.description, None).unwrap()
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_program_alone_serves_without_rights() {
    let image = image().await;
    let tag = TestTag::new("scratch");
    let archive = image.archive(&tag.tags()).unwrap();
    let built = engine().await.load(&archive, &tag.tags(), &tell).await;
    let built = built.unwrap();
    println!("{} bytes", built.size);
    assert!(built.size < 25_000_000, "{}", built.size);
    assert_eq!(tag.inspect("{{.Config.User}}"), "65532:65532");
    let label = "{{index .Config.Labels \"org.opencontainers.image.version\"}}";
    assert_eq!(tag.inspect(label), "1.2.3");

    let container = Container::start(&tag, &[]);
    let reset = container.ask("/reset", Some("{}"));
    assert!(reset.contains(r#""text":"hello""#), "{reset}");
    let step = container.ask("/step", Some(r#"{"action":{"text":"loud"}}"#));
    assert!(step.contains(r#""text":"LOUD""#), "{step}");
    container.until_healthy();
    assert_eq!(container.stop(), "0");
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn the_engine_keeps_the_image_under_the_id_that_was_computed() {
    let image = image().await;
    let tag = TestTag::new("identity");
    let archive = image.archive(&tag.tags()).unwrap();
    let built = engine().await.load(&archive, &tag.tags(), &tell).await;
    let id = built.unwrap().image_id;
    assert!(id == archive.id || id == archive.digest, "{id}");
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_program_can_have_a_base() {
    let base = TestTag::new("base");
    let files = Package::new(&[("etc/motd", "from the base\n")]);
    let archive = files.join("base.tar");
    let packed = std::process::Command::new("tar")
        .args(["--create", "--file"])
        .arg(&archive)
        .arg("--directory")
        .arg(files.path())
        .arg("etc")
        .status();
    assert!(packed.unwrap().success());
    docker(&["import", archive.to_str().unwrap(), base.0.as_str()]);

    let tag = TestTag::new("based");
    let request = image().await.on_base(base.0.as_str(), tag.tags());
    let built = engine().await.build(request.unwrap(), &tell).await;
    assert_eq!(built.unwrap().tags, tag.tags());
    let label = "{{index .Config.Labels \"org.opencontainers.image.base.name\"}}";
    assert_eq!(tag.inspect(label), base.0.as_str());
    let container = Container::start(&tag, &[]);
    let health = container.ask("/health", None);
    assert!(health.contains("healthy"), "{health}");
}
