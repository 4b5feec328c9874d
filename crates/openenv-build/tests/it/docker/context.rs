//! Dockerfiles of authors.

use std::process::Command;
use std::sync::Mutex;

use openenv_build::{Engine, Progress, own_image};

use super::{TestTag, docker, engine, tell};
use crate::package::Package;

/// What is in an image, by path.
fn files_of(tag: &TestTag) -> Vec<String> {
    let container = docker(&["create", tag.0.as_str(), "nothing"]);
    let exported = Command::new("docker").args(["export", &container]).output();
    docker(&["rm", &container]);
    let exported = exported.unwrap().stdout;
    let mut archive = tar::Archive::new(exported.as_slice());
    let paths = archive.entries().unwrap();
    let paths = paths.map(|entry| entry.unwrap().path().unwrap().display().to_string());
    paths.collect()
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn what_is_ignored_is_not_sent() {
    let package = Package::new(&[
        (
            "server/Dockerfile",
            "FROM scratch\nARG PLACE\nCOPY . $PLACE\n",
        ),
        (
            ".dockerignore",
            "secret*\nserver/Dockerfile\ndata\n!data/small.txt\n",
        ),
        ("secret.txt", ""),
        ("image.tar", ""),
        ("app.py", ""),
        ("data/large.txt", ""),
        ("data/small.txt", ""),
    ]);
    let tag = TestTag::new("ignored");
    let file = package.join("server/Dockerfile");
    let output = [package.join("image.tar")];
    let mut request = own_image(&file, package.path(), &output, tag.tags()).unwrap();
    request.build_args = [("PLACE".to_owned(), "/here/".to_owned())].into();
    request.labels = [("by".to_owned(), "a test".to_owned())].into();
    let told = Mutex::new(Vec::new());
    let listen = |progress: Progress<'_>| {
        if let Progress::Step(step) = progress {
            told.lock().unwrap().push(step.to_owned());
        }
    };
    engine().await.build(request, &listen).await.unwrap();
    assert_eq!(tag.inspect("{{.Config.Labels.by}}"), "a test");
    let files = files_of(&tag);
    let has = |path: &str| files.iter().any(|file| file == path);
    assert!(
        has("here/app.py") && has("here/data/small.txt"),
        "{files:?}"
    );
    for path in [
        "here/secret.txt",
        "here/image.tar",
        "here/data/large.txt",
        "here/server/Dockerfile",
    ] {
        assert!(!has(path), "{path}");
    }
    let told = told.into_inner().unwrap();
    assert!(told.iter().any(|step| step.starts_with("3/")), "{told:?}");
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_dockerfile_may_be_elsewhere_and_is_not_copied() {
    let elsewhere = Package::new(&[("My.Dockerfile", "FROM scratch\nCOPY . /here/\n")]);
    let package = Package::new(&[("app.py", "")]);
    let tag = TestTag::new("elsewhere");
    let file = elsewhere.join("My.Dockerfile");
    let request = own_image(&file, package.path(), &[], tag.tags()).unwrap();
    engine().await.build(request, &tell).await.unwrap();
    let mut files = files_of(&tag);
    files.retain(|file| file.starts_with("here/") && file != "here/");
    assert_eq!(files, ["here/app.py"]);
}

async fn refusal(dockerfile: &str) -> (String, String) {
    let package = Package::new(&[("Dockerfile", dockerfile)]);
    let tag = TestTag::new("refused");
    let file = package.join("Dockerfile");
    let request = own_image(&file, package.path(), &[], tag.tags()).unwrap();
    let error = engine().await.build(request, &tell).await.unwrap_err();
    let said = error
        .to_string()
        .replace(file.to_str().unwrap(), "Dockerfile");
    (said, error.hint().unwrap_or_default().to_owned())
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn what_fails_is_told_with_its_line() {
    let (said, _) = refusal("# a comment\n\nFROM scratch\n\nCOPY nothing \\\n  /there\n").await;
    assert!(
        said.starts_with("`Dockerfile`, line 5: `COPY nothing /there`: "),
        "{said}"
    );
    assert!(said.contains("nothing"), "{said}");

    let (said, _) = refusal("FROM scratch\n\nRUN [\"/no/such\"]\n").await;
    assert!(
        said.starts_with("`Dockerfile`, line 3: `RUN [\"/no/such\"]`: "),
        "{said}"
    );

    let (said, hint) = refusal("FROM openenv-test-that-nobody-has:1\n").await;
    assert!(
        said.starts_with(
            "`Dockerfile`, line 1: the base image `openenv-test-that-nobody-has:1` \
             is not here and cannot be had: "
        ),
        "{said}"
    );
    assert!(hint.contains("docker pull"), "{hint}");

    let (said, _) = refusal("FROM scratch\nMAKE it\n").await;
    assert!(said.contains("line 2") && said.contains("MAKE"), "{said}");
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn what_needs_buildkit_says_so_where_there_is_none() {
    let dockerfile = "FROM scratch\nRUN --mount=type=cache,target=/a [\"/no/such\"]\n";
    let (said, hint) = refusal(dockerfile).await;
    let buildx = Command::new("docker").args(["buildx", "version"]).output();
    if buildx.is_ok_and(|it| it.status.success()) {
        assert!(said.starts_with("`docker buildx build` failed: "), "{said}");
        return;
    }
    assert_eq!(
        said,
        "`Dockerfile`, line 2: `RUN --mount` needs BuildKit, and `docker buildx` is not installed"
    );
    assert!(hint.contains("buildx plugin"), "{hint}");
}

#[tokio::test]
async fn an_engine_that_is_not_there_is_named() {
    let error = Engine::connect(Some("unix:///nowhere/docker.sock")).await;
    let error = error.unwrap_err();
    assert!(
        error.to_string().contains("`unix:///nowhere/docker.sock`"),
        "{error}"
    );
    assert!(error.hint().unwrap().contains("`--output FILE`"));
}
