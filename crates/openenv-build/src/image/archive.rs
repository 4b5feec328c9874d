//! Images as files, for every engine.

use std::collections::BTreeMap;
use std::io::{self, Write};

use flate2::GzBuilder;
use serde::Serialize;
use sha2::{Digest, Sha256};
use tar::{Builder, EntryType};

use super::layer::append;
use super::oci::{
    CONFIG, Config, Descriptor, DockerManifest, INDEX, Index, LAYER, MANIFEST, Manifest, Platform,
};
use super::{Image, NO_TIME};
use crate::error::Result;
use crate::tag::Tag;

/// An image as a file that both `docker load` and the tools for OCI layouts read.
///
/// The first read its `manifest.json`, the others its `index.json`; what these name is
/// there once. Layers are not compressed, because that is what the engines themselves
/// write and what all of them read.
#[derive(Debug, Clone)]
pub struct Archive {
    /// The id of the image, as `sha256:…`: the same for the same recipe
    pub id: String,
    /// The digest of its manifest, by which registries and newer engines know it
    pub digest: String,
    /// The size of its files, in bytes
    pub size: u64,
    documents: Vec<(String, Vec<u8>)>,
    time: u64,
}

/// Whether an archive is made smaller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Compression {
    /// As it is
    None,
    /// With gzip: engines load it all the same
    Gzip,
}

impl Image {
    /// The image as a file, under these names.
    pub fn archive(&self, tags: &[Tag]) -> Result<Archive> {
        let time = self.created.unwrap_or(NO_TIME);
        let mut blobs = Blobs::default();
        let mut layers = Vec::new();
        for layer in &self.layers {
            layers.push(blobs.add(LAYER, layer.archive(time)?));
        }
        let size = layers.iter().map(|layer| layer.size as u64).sum();
        let differences: Vec<_> = layers.iter().map(|layer| layer.digest.clone()).collect();
        let config = Config::new(&self.settings, &differences, time);
        let config = blobs.add_document(CONFIG, &config)?;
        let id = config.digest.clone();
        let names = tags.iter().map(ToString::to_string).collect();
        let docker = [DockerManifest {
            config: path(&id),
            repo_tags: names,
            layers: differences.iter().map(|digest| path(digest)).collect(),
        }];
        let manifest = Manifest {
            schema_version: 2,
            media_type: MANIFEST,
            config,
            layers,
        };
        let mut manifest = blobs.add_document(MANIFEST, &manifest)?;
        manifest.platform = Some(Platform::here());
        let digest = manifest.digest.clone();
        let named = tags.iter().map(|tag| Descriptor {
            annotations: BTreeMap::from([
                ("io.containerd.image.name", tag.qualified()),
                (
                    "org.opencontainers.image.ref.name",
                    tag.version().to_owned(),
                ),
            ]),
            ..manifest.clone()
        });
        let mut manifests: Vec<_> = named.collect();
        if manifests.is_empty() {
            manifests.push(manifest);
        }
        let index = Index {
            schema_version: 2,
            media_type: INDEX,
            manifests,
        };
        let mut documents = blobs.documents;
        let layout = br#"{"imageLayoutVersion":"1.0.0"}"#.to_vec();
        documents.push(("index.json".to_owned(), serde_json::to_vec(&index)?));
        documents.push(("manifest.json".to_owned(), serde_json::to_vec(&docker)?));
        documents.push(("oci-layout".to_owned(), layout));
        Ok(Archive {
            id,
            digest,
            size,
            documents,
            time,
        })
    }
}

impl Archive {
    /// Writes the file.
    pub fn write(&self, file: impl Write, compression: Compression) -> io::Result<()> {
        match compression {
            Compression::None => self.write_plain(file).map(drop),
            Compression::Gzip => {
                // No name and no time in its header: they would differ.
                let file = GzBuilder::new().write(file, flate2::Compression::default());
                self.write_plain(file)?.finish().map(drop)
            }
        }
    }

    /// The file as it is in memory.
    pub fn to_bytes(&self) -> io::Result<Vec<u8>> {
        self.write_plain(Vec::new())
    }

    fn write_plain<W: Write>(&self, file: W) -> io::Result<W> {
        let mut archive = Builder::new(file);
        for directory in ["blobs/", "blobs/sha256/"] {
            append(
                &mut archive,
                directory,
                EntryType::Directory,
                0o755,
                self.time,
                &[],
            )?;
        }
        for (path, content) in &self.documents {
            append(
                &mut archive,
                path,
                EntryType::Regular,
                0o644,
                self.time,
                content,
            )?;
        }
        archive.into_inner()
    }
}

/// What is found by its digest.
#[derive(Debug, Default)]
struct Blobs {
    documents: Vec<(String, Vec<u8>)>,
}

impl Blobs {
    fn add(&mut self, media_type: &'static str, content: Vec<u8>) -> Descriptor {
        let digest = format!("sha256:{}", hex::encode(Sha256::digest(&content)));
        let size = content.len();
        let path = path(&digest);
        if !self.documents.iter().any(|(known, _)| *known == path) {
            self.documents.push((path, content));
        }
        Descriptor {
            media_type,
            digest,
            size,
            platform: None,
            annotations: BTreeMap::new(),
        }
    }

    fn add_document(
        &mut self,
        media_type: &'static str,
        document: &impl Serialize,
    ) -> Result<Descriptor> {
        Ok(self.add(media_type, serde_json::to_vec(document)?))
    }
}

/// Where something is in the archive.
fn path(digest: &str) -> String {
    format!("blobs/{}", digest.replace(':', "/"))
}
