//! The documents of an image, as the Open Container Initiative describes them.
//!
//! The health check is Docker's own; engines that know nothing of it ignore it.

use std::collections::BTreeMap;
use std::env::consts::ARCH;
use std::time::{Duration, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::Settings;

/// What a layer says of itself: not compressed, because engines keep it like that.
pub(super) const LAYER: &str = "application/vnd.oci.image.layer.v1.tar";
pub(super) const CONFIG: &str = "application/vnd.oci.image.config.v1+json";
pub(super) const MANIFEST: &str = "application/vnd.oci.image.manifest.v1+json";
pub(super) const INDEX: &str = "application/vnd.oci.image.index.v1+json";

/// The document whose digest is the id of the image.
#[derive(Debug, Serialize)]
pub(super) struct Config<'a> {
    created: String,
    architecture: &'static str,
    os: &'static str,
    #[serde(rename = "config")]
    execution: Execution<'a>,
    rootfs: RootFs<'a>,
    history: Vec<History>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Execution<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<&'a str>,
    #[serde(skip_serializing_if = "Map::is_empty")]
    exposed_ports: Map<String, Value>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    env: Vec<String>,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    entrypoint: &'a [String],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    cmd: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    healthcheck: Option<Healthcheck<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    working_dir: Option<&'a str>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    labels: &'a BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stop_signal: Option<&'a str>,
}

/// Times are in nanoseconds.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
struct Healthcheck<'a> {
    test: Vec<&'a str>,
    interval: u128,
    timeout: u128,
    start_period: u128,
    start_interval: u128,
    retries: u32,
}

#[derive(Debug, Serialize)]
struct RootFs<'a> {
    #[serde(rename = "type")]
    kind: &'static str,
    diff_ids: &'a [String],
}

#[derive(Debug, Serialize)]
struct History {
    created: String,
    created_by: &'static str,
}

impl<'a> Config<'a> {
    /// `layers` are the digests of what is in them.
    pub(super) fn new(settings: &'a Settings, layers: &'a [String], created: u64) -> Self {
        let created = timestamp(created);
        let history = layers.iter().map(|_| History {
            created: created.clone(),
            created_by: "openenv build",
        });
        let ports = settings.port.iter();
        let environment = settings.environment.iter();
        Self {
            architecture: architecture(),
            os: "linux",
            execution: Execution {
                user: settings.user.as_deref(),
                exposed_ports: ports
                    .map(|port| (format!("{port}/tcp"), json!({})))
                    .collect(),
                env: environment
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect(),
                entrypoint: &settings.entrypoint,
                cmd: &settings.command,
                healthcheck: settings.health_check.as_ref().map(|check| Healthcheck {
                    test: std::iter::once("CMD")
                        .chain(check.command.iter().map(String::as_str))
                        .collect(),
                    interval: check.interval.as_nanos(),
                    timeout: check.timeout.as_nanos(),
                    start_period: check.start_period.as_nanos(),
                    start_interval: check.start_interval.as_nanos(),
                    retries: check.retries,
                }),
                working_dir: settings.directory.as_deref(),
                labels: &settings.labels,
                stop_signal: settings.stop_signal.as_deref(),
            },
            rootfs: RootFs {
                kind: "layers",
                diff_ids: layers,
            },
            history: history.collect(),
            created,
        }
    }
}

/// A document or a layer, by what is in it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Descriptor {
    pub(super) media_type: &'static str,
    pub(super) digest: String,
    pub(super) size: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) platform: Option<Platform>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(super) annotations: BTreeMap<&'static str, String>,
}

#[derive(Debug, Clone, Serialize)]
pub(super) struct Platform {
    architecture: &'static str,
    os: &'static str,
}

impl Platform {
    pub(super) fn here() -> Self {
        Self {
            architecture: architecture(),
            os: "linux",
        }
    }
}

/// An image, or a list of them.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Manifest {
    pub(super) schema_version: u32,
    pub(super) media_type: &'static str,
    pub(super) config: Descriptor,
    pub(super) layers: Vec<Descriptor>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Index {
    pub(super) schema_version: u32,
    pub(super) media_type: &'static str,
    pub(super) manifests: Vec<Descriptor>,
}

/// An image of an archive, as Docker describes it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "PascalCase")]
pub(super) struct DockerManifest {
    pub(super) config: String,
    pub(super) repo_tags: Vec<String>,
    pub(super) layers: Vec<String>,
}

/// The architecture of this machine, in the words of containers.
fn architecture() -> &'static str {
    match ARCH {
        "x86_64" => "amd64",
        "x86" => "386",
        "aarch64" => "arm64",
        "loongarch64" => "loong64",
        "powerpc64" => "ppc64le",
        other => other,
    }
}

/// The last second that RFC 3339 can write: its years have four digits.
const LAST: u64 = 253_402_300_799;

/// A time as RFC 3339 writes it.
pub(crate) fn timestamp(seconds: u64) -> String {
    let time = UNIX_EPOCH + Duration::from_secs(seconds.min(LAST));
    humantime::format_rfc3339_seconds(time).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_time_can_be_written() {
        assert_eq!(timestamp(0), "1970-01-01T00:00:00Z");
        assert_eq!(timestamp(u64::MAX), "9999-12-31T23:59:59Z");
    }
}
