//! Images that are made without an engine.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::process::Command;

use openenv_build::{Compression, HealthCheck, Image, Layer, Settings, Tag};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

fn image() -> Image {
    Image {
        layers: vec![
            Layer::new().directory("/tmp", 0o1777).file(
                "/app/env/openenv.yaml",
                0o644,
                *b"name: maze\n",
            ),
            Layer::new().file("/usr/local/bin/maze", 0o755, *b"program"),
        ],
        settings: Settings {
            entrypoint: vec!["/usr/local/bin/maze".to_owned()],
            environment: [("PORT".to_owned(), "8000".to_owned())].into(),
            user: Some("65532:65532".to_owned()),
            directory: Some("/app/env".to_owned()),
            port: Some(8000),
            health_check: Some(HealthCheck::new(vec!["/usr/local/bin/maze".to_owned()])),
            labels: [("org.openenv.name".to_owned(), "maze".to_owned())].into(),
            stop_signal: Some("SIGTERM".to_owned()),
            ..Settings::default()
        },
        created: None,
    }
}

fn tags() -> Vec<Tag> {
    Tag::of_environment("maze_env")
}

/// The files of an archive, by name.
fn files(archive: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut archive = tar::Archive::new(archive);
    let entries = archive.entries().unwrap().map(|entry| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().display().to_string();
        let mut content = Vec::new();
        entry.read_to_end(&mut content).unwrap();
        (name, content)
    });
    entries.collect()
}

fn json_of(files: &BTreeMap<String, Vec<u8>>, name: &str) -> Value {
    serde_json::from_slice(&files[name]).unwrap()
}

#[test]
fn the_same_recipe_gives_the_same_bytes() {
    let one = image().archive(&tags()).unwrap();
    let other = image().archive(&tags()).unwrap();
    assert_eq!(one.to_bytes().unwrap(), other.to_bytes().unwrap());
    // What nobody meant to change: images that people have would be others.
    assert_eq!(one.id, other.id);
    let changed = Image {
        created: Some(1_700_000_000),
        ..image()
    };
    assert_ne!(changed.archive(&tags()).unwrap().id, one.id);
    let mut packed = [Vec::new(), Vec::new()];
    for packed in &mut packed {
        one.write(packed, Compression::Gzip).unwrap();
    }
    assert_eq!(packed[0], packed[1]);
    assert!(packed[0].len() < one.to_bytes().unwrap().len() / 4);
}

#[test]
fn both_indexes_name_what_is_there_once() {
    let archive = image().archive(&tags()).unwrap();
    let files = files(&archive.to_bytes().unwrap());
    let blob = |digest: &Value| {
        let digest = digest.as_str().unwrap();
        let content = &files[&format!("blobs/{}", digest.replace(':', "/"))];
        let found = format!("sha256:{}", hex::encode(Sha256::digest(content)));
        assert_eq!(found, digest);
        content.clone()
    };
    let docker = json_of(&files, "manifest.json");
    assert_eq!(
        docker[0]["RepoTags"],
        json!(["openenv-maze:latest", "maze-env:latest"])
    );
    let index = json_of(&files, "index.json");
    let named = index["manifests"].as_array().unwrap();
    let names: Vec<_> = named
        .iter()
        .map(|it| &it["annotations"]["io.containerd.image.name"])
        .collect();
    assert_eq!(
        names,
        [
            "docker.io/library/openenv-maze:latest",
            "docker.io/library/maze-env:latest"
        ]
    );
    assert_eq!(named[0]["digest"], archive.digest);
    let manifest: Value = serde_json::from_slice(&blob(&named[0]["digest"])).unwrap();
    assert_eq!(manifest["config"]["digest"], archive.id);
    let config: Value = serde_json::from_slice(&blob(&manifest["config"]["digest"])).unwrap();
    for (index, layer) in manifest["layers"].as_array().unwrap().iter().enumerate() {
        let content = blob(&layer["digest"]);
        assert_eq!(layer["size"], content.len());
        assert_eq!(config["rootfs"]["diff_ids"][index], layer["digest"]);
        let path = docker[0]["Layers"][index].as_str().unwrap();
        assert_eq!(files[path], content);
    }
    assert_eq!(config["config"]["ExposedPorts"], json!({"8000/tcp": {}}));
    assert_eq!(config["config"]["User"], "65532:65532");
    assert_eq!(
        config["config"]["Healthcheck"]["Interval"],
        30_000_000_000_u64
    );
    assert_eq!(config["created"], "1980-01-02T00:00:00Z");
    // Two indexes, one layout, two layers, two documents, two directories.
    assert_eq!(files.len(), 9);
}

#[test]
fn other_tools_read_it_as_both_formats() {
    if Command::new("skopeo").arg("--version").output().is_err() {
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("maze.tar");
    let tags = ["maze:1".parse().unwrap()];
    let archive = image().archive(&tags).unwrap();
    let output = fs::File::create(&file).unwrap();
    archive.write(output, Compression::None).unwrap();
    for format in ["docker-archive", "oci-archive"] {
        let place = format!("{format}:{}", file.display());
        let inspected = Command::new("skopeo")
            .args(["inspect", "--config", &place])
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&inspected.stderr).into_owned();
        let config: Value = serde_json::from_slice(&inspected.stdout).expect(&said);
        assert_eq!(config["config"]["WorkingDir"], "/app/env", "{format}");
    }
}
