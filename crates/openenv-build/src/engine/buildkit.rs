//! Dockerfiles that the builder inside of the engine does not understand.

use std::fs;
use std::process::Stdio;

use tokio::process::Command;

use super::{Built, Engine, Request};
use crate::dockerfile::{Demand, Dockerfile};
use crate::error::{Error, Result};
use crate::output;
use crate::progress::{Progress, Tell};

/// Whether there is a client of `BuildKit`: speaking to it takes a session with many
/// services, which Docker's own command has.
pub(super) async fn is_installed() -> bool {
    let mut command = Command::new("docker");
    command.args(["buildx", "version"]);
    output::read(command).await.is_ok()
}

pub(super) fn missing(dockerfile: &Dockerfile, demand: &Demand) -> Error {
    let file = dockerfile.path.as_deref();
    let file = file.map_or_else(|| "Dockerfile".to_owned(), |it| it.display().to_string());
    Error::new(format!(
        "`{file}`, line {}: `{}` needs BuildKit, and `docker buildx` is not installed",
        demand.line, demand.what
    ))
    .with_hint(
        "install the buildx plugin of Docker; or build without `--dockerfile`, which needs none",
    )
}

impl Engine {
    /// Builds with `docker buildx build`, which is given the same files.
    pub(super) async fn build_with_buildkit(
        &self,
        request: Request,
        tell: Tell<'_>,
    ) -> Result<Built> {
        let context = request.context.finish()?;
        let identity = tempfile::NamedTempFile::new()?;
        let mut command = Command::new("docker");
        command.env("DOCKER_HOST", &self.address);
        command
            .args(["buildx", "build", "--load", "--progress", "plain"])
            .args(["--file", &request.file])
            .arg("--iidfile")
            .arg(identity.path());
        for tag in &request.tags {
            command.args(["--tag", tag.as_str()]);
        }
        for (name, value) in &request.build_args {
            command.arg("--build-arg");
            if matters_to_docker(name) {
                command.arg(format!("{name}={value}"));
            } else {
                // All users of a machine see the arguments of a command.
                command.arg(name).env(name, value);
            }
        }
        for (name, value) in &request.labels {
            command.arg("--label").arg(format!("{name}={value}"));
        }
        if let Some(network) = &request.network {
            command.args(["--network", network]);
        }
        if request.no_cache {
            command.arg("--no-cache");
        }
        command
            .arg("-")
            .stdin(context)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        let name = "docker buildx build";
        let not_run = |error| Error::new(format!("could not run `{name}`: {error}"));
        let mut child = command.spawn().map_err(not_run)?;
        let lines = child.stderr.take();
        let mut failure = None;
        let (status, ()) = tokio::try_join!(
            child.wait(),
            output::each_line(lines, |line| {
                failure = line
                    .strip_prefix("ERROR: ")
                    .map(str::to_owned)
                    .or(failure.take());
                tell_of(line, tell);
            })
        )?;
        if !status.success() {
            let why = failure.unwrap_or_else(|| status.to_string());
            return Err(Error::new(format!("`{name}` failed: {why}")));
        }
        let identity = fs::read_to_string(identity.path())?;
        self.image(identity.trim(), &request.tags).await
    }
}

/// Whether the command itself would act on a variable.
fn matters_to_docker(name: &str) -> bool {
    let begins = ["DOCKER_", "BUILDX_", "BUILDKIT_"];
    begins.iter().any(|it| name.starts_with(it)) || ["PATH", "HOME"].contains(&name)
}

/// Such as `#7 [build 2/5] RUN make`: a number, and what it is about.
fn tell_of(line: &str, tell: Tell<'_>) {
    let words = line.strip_prefix('#').and_then(|it| it.split_once(' '));
    match words {
        Some((_, step)) if step.starts_with('[') => tell(Progress::Step(step)),
        Some((_, "")) | None if line.is_empty() => {}
        _ => tell(Progress::Line(line)),
    }
}
