//! `openenv validate`: what it prints, and how it ends.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::commands::assert_fails;
use crate::serving::{Serving, openenv};

const MANIFEST: &str = "\
name: sample
validation:
  reward: {floor_margin: 0.2}
  resources: {cpu: 1, memory_mb: 256, disk_mb: 64, episode_timeout_s: 5}
  capabilities: {verifier: {kind: reward_channel}}
  types: {tags: [test]}
";

fn validate(arguments: &str) -> Output {
    openenv(&format!("validate {arguments}")).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn package(manifest: &str) -> TempDir {
    let root = TempDir::new().unwrap();
    fs::write(root.path().join("openenv.yaml"), manifest).unwrap();
    root
}

/// The text without what differs from run to run.
fn settled(text: &str, root: Option<&Path>) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    if let Some(last) = lines.last_mut()
        && let Some((counts, _)) = last.rsplit_once(" in ")
    {
        *last = format!("{counts} in … s");
    }
    if let Some(first) = lines.first_mut()
        && let Some((target, rest)) = first.split_once("  ")
    {
        assert!(root.is_none_or(|root| root.display().to_string() == target));
        *first = format!("[target]  {rest}");
    }
    lines.join("\n")
}

#[test]
fn bundled_environments_pass() {
    let output = validate("echo");
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!("validate_echo", settled(&stdout(&output), None));
}

#[test]
fn help() {
    let output = validate("--help");
    insta::assert_snapshot!("help_validate", stdout(&output));
}

#[test]
fn servers_pass() {
    let serving = Serving::start(openenv("serve documents --port 0 --mode production"));
    let (_, address) = serving.url.split_once("://").unwrap();
    let targets = [
        serving.url.clone(),
        format!("--url {}", serving.url),
        address.to_owned(),
    ];
    for arguments in targets {
        let output = validate(&format!("{arguments} --json"));
        assert_eq!(output.status.code(), Some(0));
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let target = report["target"].as_str().unwrap();
        assert!(target.ends_with(address), "{target}");
        assert_eq!(report["validation_type"], "running_environment");
        assert_eq!(report["mode"], "production");
        assert_eq!(report["passed"], true);
        assert_eq!(report["criteria"][0]["id"], "openapi_version_available");
        assert_eq!(report["criteria"][6]["id"], "live.session");
        assert_eq!(report["not_run"][0]["id"], "live.capacity");
    }
}

#[test]
fn what_does_not_answer_fails() {
    let output = validate("http://127.0.0.1:9 --timeout 1");
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("FAIL  health_endpoint"), "{text}");
    assert!(
        text.contains("live.session, live.observation_schema"),
        "{text}"
    );
}

#[test]
fn static_checks_of_a_package() {
    let root = package(MANIFEST);
    let shown = root.path().display();
    let output = validate(&format!("{shown} --level static"));
    assert_eq!(output.status.code(), Some(0));
    insta::assert_snapshot!(
        "validate_static",
        settled(&stdout(&output), Some(root.path()))
    );
}

#[test]
fn problems_of_a_package_are_told_with_what_to_do() {
    let manifest = MANIFEST.replace("floor_margin: 0.2", "floor_margin: -1, range: [1, 0]");
    let root = package(&manifest.replace("cpu: 1, ", ""));
    let output = validate(&format!("{} --level static", root.path().display()));
    assert_eq!(output.status.code(), Some(1));
    insta::assert_snapshot!(
        "validate_problems",
        settled(&stdout(&output), Some(root.path()))
    );
}

#[test]
fn what_does_not_start_fails() {
    // There is nothing to serve in it.
    let root = package(MANIFEST);
    let output = validate(&format!(
        "{} --level runtime --offline",
        root.path().display()
    ));
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("FAIL  runtime.startup"), "{text}");
    assert!(text.contains("runtime.state_contract"), "{text}");
}

#[test]
fn reports_are_written() {
    let root = package(MANIFEST);
    let kept = TempDir::new().unwrap();
    let file = kept.path().join("report.json");
    let (root, shown) = (root.path().display(), file.display());
    let output = validate(&format!("{root} --level static --output {shown} --json"));
    assert_eq!(output.status.code(), Some(0));
    let printed: Value = serde_json::from_slice(&output.stdout).unwrap();
    let written: Value = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(printed, written);
    assert_eq!(written["report_schema_version"], "1");
    assert_eq!(written["results"][0]["check_id"], "static.manifest");
    assert!(kept.path().join("report.artifacts/SHA256SUMS").is_file());
    // What is called like the directory beside it is no trouble.
    let file = kept.path().join("x.artifacts");
    let shown = file.display();
    let output = validate(&format!("{root} --level static --output {shown}"));
    assert_eq!(output.status.code(), Some(0));
    assert!(file.is_file());
    assert!(
        kept.path()
            .join("x.artifacts.artifacts/SHA256SUMS")
            .is_file()
    );
}

#[test]
fn reports_that_cannot_be_written_are_refused_at_once() {
    let root = package(MANIFEST);
    let kept = TempDir::new().unwrap();
    let nowhere = kept.path().join("nowhere/report.json");
    for target in [&format!("{} --level static", root.path().display()), "echo"] {
        for path in [nowhere.as_path(), kept.path()] {
            let output = validate(&format!("{target} --output {}", path.display()));
            assert_fails(&output, 3, &["could not write"]);
        }
    }
}

#[test]
fn a_crate_is_not_built_to_be_skipped() {
    let root = package(MANIFEST);
    // Cargo would not even read it.
    fs::write(root.path().join("Cargo.toml"), "no crate").unwrap();
    let shown = root.path().display();
    let output = validate(&format!("{shown} --level runtime --skip-build"));
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    assert!(text.contains("the crate was not built"), "{text}");
    assert!(text.contains("The environment was not run"), "{text}");
}

#[test]
fn what_cannot_be_asked_is_refused() {
    let root = package(MANIFEST);
    let nothing = TempDir::new().unwrap();
    let (root, nothing) = (root.path().display(), nothing.path().display());
    for (arguments, code, text) in [
        (format!("{root} --level deep"), 3, "unknown level `deep`"),
        (format!("{root} --policy v9"), 3, "there is no policy `v9`"),
        (format!("{root} --policy v1"), 3, "needs v2"),
        (format!("{nothing}"), 2, "is not a package"),
        (format!("{nothing}/nowhere"), 2, "is not a directory"),
        (format!("{root} --url http://host"), 1, "name one"),
        ("http://a --url http://b".to_owned(), 1, "different servers"),
        (
            "http://a --local".to_owned(),
            1,
            "`--local` is for packages",
        ),
        ("http://a --level static".to_owned(), 1, "`--level`"),
        ("localhost:1 --image a".to_owned(), 1, "`--image`"),
        (
            "--url http://a --skip-build".to_owned(),
            1,
            "`--skip-build`",
        ),
        ("echo --policy v1".to_owned(), 1, "`--policy`"),
        (format!("{root} --timeout 1"), 1, "`--timeout`"),
        (format!("{root} --header a:b"), 1, "`--header`"),
        (
            "--url ftp://a".to_owned(),
            1,
            "the scheme `ftp` is not known",
        ),
    ] {
        assert_fails(&validate(&arguments), code, &[text]);
    }
}
