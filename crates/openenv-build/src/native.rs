//! The image of an environment in Rust: its program, and little else.

use std::fs;
use std::path::Path;

use crate::cargo::CargoProject;
use crate::context::Context;
use crate::description::{Description, MANIFEST};
use crate::dockerfile::Dockerfile;
use crate::engine::Request;
use crate::error::{Error, Result};
use crate::image::{HealthCheck, Image, Layer, Settings};
use crate::tag::Tag;

/// The user and group that environments run as: nobody that there is.
pub(crate) const NOBODY: &str = "65532:65532";

/// The port that clients expect.
pub(crate) const PORT: u16 = 8000;

/// Where the tools of OpenEnv look for the files of an environment.
pub(crate) const HOME: &str = "/app/env";

/// What stands for having no base.
pub(crate) const SCRATCH: &str = "scratch";

impl Image {
    /// The image of an environment in Rust, on top of nothing.
    ///
    /// It has the program, which must not need any library, `openenv.yaml` and
    /// `README.md`, and an empty `/tmp`. It runs as a user without rights and needs to
    /// write nowhere.
    pub fn of_program(
        project: &CargoProject,
        program: &Path,
        description: &Description,
        created: Option<u64>,
    ) -> Result<Self> {
        let content = fs::read(program).map_err(|error| {
            Error::new(format!("could not read `{}`: {error}", program.display()))
        })?;
        let path = format!("/usr/local/bin/{}", project.binary);
        let mut files = Layer::new()
            .directory(HOME, 0o755)
            .directory("/tmp", 0o1777);
        for name in [MANIFEST, "README.md"] {
            if let Ok(content) = fs::read(project.root.join(name)) {
                files = files.file(&format!("{HOME}/{name}"), 0o644, content);
            }
        }
        // What changes most is on top.
        let program = Layer::new().file(&path, 0o755, content);
        Ok(Self {
            layers: vec![files, program],
            settings: Settings {
                labels: description.labels(SCRATCH, created),
                entrypoint: vec![path.clone()],
                ..settings(description, vec![path, "--health-check".to_owned()])
            },
            created,
        })
    }

    /// The same image on top of another one, which an engine has to build.
    pub fn on_base(mut self, base: &str, tags: Vec<Tag>) -> Result<Request> {
        let mut context = Context::new()?;
        let mut lines = vec![format!("FROM {base}")];
        for (number, layer) in self.layers.iter().enumerate() {
            context.add_layer(layer, &format!("layer{number}/"))?;
            lines.push(format!("COPY layer{number}/ /"));
        }
        let base_label = "org.opencontainers.image.base.name".to_owned();
        self.settings.labels.insert(base_label, base.to_owned());
        lines.push(self.settings.instructions() + &self.settings.label_instruction());
        let text = lines.join("\n");
        context.add_layer(&dockerfile_layer(&text), "")?;
        Ok(Request::new(Dockerfile::generated(text), context, tags))
    }
}

/// How every image runs.
pub(crate) fn settings(description: &Description, health_check: Vec<String>) -> Settings {
    let mut environment = description.variables.clone();
    environment.insert("HOST".to_owned(), "0.0.0.0".to_owned());
    environment.insert("PORT".to_owned(), PORT.to_string());
    Settings {
        environment,
        user: Some(NOBODY.to_owned()),
        directory: Some(HOME.to_owned()),
        port: Some(PORT),
        health_check: Some(HealthCheck::new(health_check)),
        stop_signal: Some("SIGTERM".to_owned()),
        ..Settings::default()
    }
}

pub(crate) fn dockerfile_layer(text: &str) -> Layer {
    Layer::new().file("Dockerfile", 0o644, text.as_bytes())
}
