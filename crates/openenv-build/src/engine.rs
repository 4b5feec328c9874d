//! The engine that keeps images, and builds those that are not made here.

use std::fs::File;
use std::io::Write;
use std::time::Duration;

use bollard::Docker;
use bollard::query_parameters::{ImportImageOptionsBuilder, TagImageOptionsBuilder};
use flate2::GzBuilder;
use futures_util::{StreamExt, TryStreamExt};
use openenv::provider::docker::engine_address;
use serde::Serialize;
use tokio_util::io::ReaderStream;

use crate::error::{Error, Result};
use crate::image::{Archive, Compression};
use crate::progress::{Progress, Tell};
use crate::tag::Tag;

mod build;
mod buildkit;

pub use build::Request;

/// How long an engine may take to begin an answer: it may have a large image to store.
const PATIENCE: Duration = Duration::from_mins(30);

/// An engine for containers: Docker's, or one that speaks as it does.
#[derive(Debug)]
pub struct Engine {
    docker: Docker,
    address: String,
}

/// An image that an engine has.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Built {
    /// Its id, as `sha256:…`
    pub image_id: String,
    /// Its names
    pub tags: Vec<Tag>,
    /// The size of its files, in bytes
    pub size: u64,
}

impl Archive {
    /// What an engine that keeps images by their id would say of it.
    pub fn built(&self, tags: Vec<Tag>) -> Built {
        Built {
            image_id: self.id.clone(),
            tags,
            size: self.size,
        }
    }
}

impl Engine {
    /// The engine at an address, as `unix:///var/run/docker.sock` or `tcp://host:2375`.
    ///
    /// Without one it is what `DOCKER_HOST` says, or the first of the usual sockets that is there.
    ///
    /// # Errors
    ///
    /// If nobody answers there.
    pub async fn connect(address: Option<&str>) -> Result<Self> {
        let hint = "start Docker, or set `DOCKER_HOST`; `--output FILE` writes the image of an environment in Rust without an engine";
        let address = match address {
            Some(address) => address.to_owned(),
            None => {
                engine_address().map_err(|error| Error::new(error.to_string()).with_hint(hint))?
            }
        };
        let unreachable = |error: bollard::errors::Error| {
            Error::new(format!(
                "could not reach a container engine at `{address}`: {}",
                said(&error)
            ))
            .with_hint(hint)
        };
        let docker = Docker::connect_with_host(&address);
        let docker = docker.map_err(unreachable)?.with_timeout(PATIENCE);
        let docker = docker.negotiate_version().await.map_err(unreachable)?;
        Ok(Self { docker, address })
    }

    /// Gives an image to the engine.
    pub async fn load(&self, archive: &Archive, tags: &[Tag], tell: Tell<'_>) -> Result<Built> {
        tell(Progress::Step("loading the image into the engine"));
        let options = ImportImageOptionsBuilder::default().quiet(true).build();
        let body = bollard::body_full(archive.to_bytes()?.into());
        let mut answers = self.docker.import_image(options, body, None).boxed();
        while let Some(answer) = answers.next().await {
            let answer = answer.map_err(|error| {
                Error::new(format!(
                    "the engine did not take the image: {}",
                    said(&error)
                ))
            })?;
            if let Some(line) = answer.stream {
                tell(Progress::Line(line.trim_end()));
            }
        }
        // Newer engines know it by the digest of its manifest.
        let name = tags.first().map_or(archive.id.as_str(), Tag::as_str);
        self.image(name, tags).await
    }

    /// Writes an image that the engine has to a file that engines can load.
    pub async fn save(&self, built: &Built, file: File, compression: Compression) -> Result<()> {
        match compression {
            Compression::None => self.save_to(built, file).await?.flush()?,
            Compression::Gzip => {
                let file = GzBuilder::new().write(file, flate2::Compression::default());
                self.save_to(built, file).await?.finish()?.flush()?;
            }
        }
        Ok(())
    }

    async fn save_to<W: Write>(&self, built: &Built, mut file: W) -> Result<W> {
        let names: Vec<&str> = match built.tags.as_slice() {
            [] => vec![&built.image_id],
            tags => tags.iter().map(Tag::as_str).collect(),
        };
        let mut parts = self.docker.export_images(&names).boxed();
        while let Some(part) = parts
            .try_next()
            .await
            .map_err(|error| engine_error(&error))?
        {
            file.write_all(&part)?;
        }
        Ok(file)
    }

    /// Gives an image that has the first of these names the others as well.
    async fn tag(&self, tags: &[Tag]) -> Result<()> {
        let Some((first, others)) = tags.split_first() else {
            return Ok(());
        };
        for tag in others {
            let options = TagImageOptionsBuilder::default()
                .repo(tag.repository())
                .tag(tag.version())
                .build();
            let tagged = self.docker.tag_image(first.as_str(), Some(options));
            tagged.await.map_err(|error| engine_error(&error))?;
        }
        Ok(())
    }

    async fn image(&self, name: &str, tags: &[Tag]) -> Result<Built> {
        let image = self.docker.inspect_image(name).await;
        let image = image.map_err(|error| engine_error(&error))?;
        Ok(Built {
            image_id: image.id.unwrap_or_default(),
            tags: tags.to_vec(),
            size: image
                .size
                .and_then(|size| size.try_into().ok())
                .unwrap_or(0),
        })
    }
}

/// A file as the body of a request.
fn body_of(file: File) -> impl futures_util::Stream<Item = std::io::Result<bytes::Bytes>> {
    ReaderStream::with_capacity(tokio::fs::File::from_std(file), 1 << 16)
}

fn engine_error(error: &bollard::errors::Error) -> Error {
    Error::new(format!("the container engine failed: {}", said(error)))
}

/// What an engine says, without what the library adds.
fn said(error: &bollard::errors::Error) -> String {
    use bollard::errors::Error as E;
    match error {
        E::DockerResponseServerError { message, .. } => message.clone(),
        E::DockerStreamError { error } => error.clone(),
        error => {
            // The innermost one says what happened.
            let mut cause: &dyn std::error::Error = error;
            while let Some(source) = cause.source() {
                cause = source;
            }
            cause.to_string()
        }
    }
}
