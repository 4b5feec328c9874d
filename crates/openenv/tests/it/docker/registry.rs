//! Images that are not there are pulled, from a registry as small as can be.

use std::collections::HashMap;
use std::fmt::Write;
use std::sync::Arc;

use axum::Router;
use axum::body::Bytes;
use axum::extract::{Path, State};
use axum::http::{HeaderName, StatusCode, header};
use axum::response::IntoResponse;
use bollard::query_parameters::RemoveImageOptionsBuilder;
use openenv::provider::Provider;
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

use super::support::{Mark, engine};

const MANIFEST: &str = "application/vnd.docker.distribution.manifest.v2+json";

/// What the registry has, by digest, and the manifest of its only image.
struct Registry {
    blobs: HashMap<String, Bytes>,
    manifest: String,
}

impl Registry {
    /// An image of one file, which is no program: enough to be pulled.
    fn new() -> Self {
        let mut blobs = HashMap::new();
        let mut add = |content: Vec<u8>| {
            let digest = digest(&content);
            let size = content.len();
            blobs.insert(digest.clone(), Bytes::from(content));
            (digest, size)
        };
        let layer = layer();
        let (layer_digest, layer_size) = add(layer);
        let config = json!({
            "architecture": "amd64",
            "os": "linux",
            "config": { "Entrypoint": ["/note"] },
            "rootfs": { "type": "layers", "diff_ids": [layer_digest] },
        });
        let (config_digest, config_size) = add(config.to_string().into_bytes());
        let manifest = json!({
            "schemaVersion": 2,
            "mediaType": MANIFEST,
            "config": {
                "mediaType": "application/vnd.docker.container.image.v1+json",
                "size": config_size,
                "digest": config_digest,
            },
            "layers": [{
                "mediaType": "application/vnd.docker.image.rootfs.diff.tar",
                "size": layer_size,
                "digest": layer_digest,
            }],
        });
        let (manifest, _) = add(manifest.to_string().into_bytes());
        Self { blobs, manifest }
    }
}

/// An archive of one small file.
fn layer() -> Vec<u8> {
    let mut archive = tar::Builder::new(Vec::new());
    let content = b"no program";
    let mut header = tar::Header::new_gnu();
    header.set_size(content.len() as u64);
    header.set_mode(0o644);
    archive
        .append_data(&mut header, "note", &content[..])
        .unwrap();
    archive.into_inner().unwrap()
}

fn digest(content: &[u8]) -> String {
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(content) {
        write!(text, "{byte:02x}").unwrap();
    }
    text
}

async fn serve(
    State(registry): State<Arc<Registry>>,
    Path(path): Path<String>,
) -> impl IntoResponse + use<> {
    let name = path.rsplit('/').next().unwrap();
    let wanted = match name {
        "latest" => &registry.manifest,
        digest => digest,
    };
    let content = registry.blobs.get(wanted).cloned();
    let content = content.ok_or(StatusCode::NOT_FOUND)?;
    let digest = HeaderName::from_static("docker-content-digest");
    let headers = [
        (header::CONTENT_TYPE, MANIFEST.to_owned()),
        (digest, wanted.to_owned()),
    ];
    Ok::<_, StatusCode>((headers, content))
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn an_image_that_is_not_there_is_pulled_if_so_wanted() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let image = format!("{}/note", listener.local_addr().unwrap());
    let registry = Router::new()
        .route("/v2/", axum::routing::get(async || "{}"))
        .route("/v2/{*path}", axum::routing::get(serve))
        .with_state(Arc::new(Registry::new()));
    let serving = tokio::spawn(async move { axum::serve(listener, registry).await });

    let mark = Mark::new();
    let error = mark
        .docker_of(&image)
        .start()
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains(&format!("has no image `{image}`")),
        "{error}"
    );
    // It is there then; that it does not run is another matter.
    let error = mark.docker_of(&image).pull(true).start().await.unwrap_err();
    let options = RemoveImageOptionsBuilder::new().force(true).build();
    let engine = engine().await;
    let removed = engine.remove_image(&image, Some(options), None).await;
    removed.unwrap();
    serving.abort();
    let error = error.to_string();
    assert!(error.contains("ended before it was healthy"), "{error}");
    assert!(error.contains("exec /note failed"), "{error}");
    assert_eq!(mark.containers().await, []);
}
