//! What is declared is accepted, refused and normalised as the reference does it.

use std::fs;
use std::path::Path;

use openenv_validate::{Level, PackageOptions, PackageReport, Status, check_package};
use serde_json::Value;
use tempfile::TempDir;

fn recorded(name: &str) -> Vec<Value> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/fixtures")
        .join(name);
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

async fn report(text: &str) -> PackageReport {
    let directory = TempDir::new().unwrap();
    fs::write(directory.path().join("openenv.yaml"), text).unwrap();
    let mut options = PackageOptions::default();
    options.level = Level::Static;
    let run = check_package(directory.path(), &options).await.unwrap();
    run.report().clone()
}

#[tokio::test]
async fn manifests_are_read_as_the_reference_reads_them() {
    let mut different = Vec::new();
    for case in recorded("manifests.json") {
        let name = case["case"].as_str().unwrap();
        let report = report(case["text"].as_str().unwrap()).await;
        let manifest = serde_json::to_value(&report).unwrap()["manifest"].take();
        let evidence = &report.results[0].evidence;
        match case.get("manifest") {
            Some(expected) if *expected == manifest => {}
            Some(expected) => different.push(format!(
                "{name}: {manifest}\n  not {expected}\n  {evidence:?}"
            )),
            None if !manifest.is_null() => different.push(format!("{name}: was accepted")),
            None => {
                assert_eq!(report.results[0].status, Status::Fail);
                let mut places: Vec<Value> = evidence
                    .iter()
                    .filter_map(|line| line.split_once(": "))
                    .map(|(place, _)| place.into())
                    .filter(|place: &Value| !place.as_str().unwrap().contains(' '))
                    .collect();
                places.sort_by_key(ToString::to_string);
                places.dedup();
                let expected = case["places"].as_array().unwrap();
                if *expected != places {
                    different.push(format!("{name}: problems at {places:?}, not {expected:?}"));
                }
            }
        }
    }
    assert!(different.is_empty(), "{}", different.join("\n"));
}
