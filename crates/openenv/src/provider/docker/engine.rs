//! The container engine: where it is, and what its errors mean.

use std::path::PathBuf;
use std::sync::LazyLock;
use std::{env, fmt};

use bollard::API_DEFAULT_VERSION;
use bollard::errors::Error as ApiError;
use bollard::query_parameters::CreateImageOptionsBuilder;
use futures_util::StreamExt;
use tokio::runtime::{Builder, Runtime};
use url::Url;

use crate::client::root_cause;
use crate::error::{Error, Kind, Result};

/// The variable that says where the engine is.
const HOST: &str = "DOCKER_HOST";

/// Seconds that the engine has for the head of an answer.
const ANSWER_WITHIN: u64 = 120;

/// Where what must come to its end runs: a container that is being made or removed.
///
/// The runtime of the caller may be dropped half-way, and its futures at any time.
static BACKGROUND: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_multi_thread()
        .worker_threads(1)
        .thread_name("openenv-docker")
        .enable_all()
        .build()
        .expect("a thread for the container engine could not be started")
});

pub(super) fn background() -> &'static Runtime {
    &BACKGROUND
}

/// An engine that answers.
#[derive(Debug, Clone)]
pub(super) struct Engine {
    pub(super) api: bollard::Docker,
    address: String,
}

impl Engine {
    /// The engine at this address, or the one that this machine has.
    pub(super) async fn connect(address: Option<&str>) -> Result<Self> {
        let address = match address {
            Some(address) => address.to_owned(),
            None => engine_address()?,
        };
        let unreachable = |error: &ApiError| {
            let why = match error {
                ApiError::SocketNotFoundError(_) => "there is no such socket".to_owned(),
                ApiError::UnsupportedURISchemeError { .. } => {
                    "only `unix://`, `tcp://` and `http://` are known here".to_owned()
                }
                _ => root_cause(error),
            };
            Error::of(
                Kind::Connection,
                format!(
                    "no container engine answers at `{address}`: {why}; start Docker or Podman, or \
                     say in `{HOST}` where it is"
                ),
            )
        };
        // Engines refuse to hear of versions that they do not know.
        let api = open(&address).map_err(|error| unreachable(&error))?;
        match api.negotiate_version().await {
            Ok(api) => Ok(Self { api, address }),
            Err(error) => Err(unreachable(&error)),
        }
    }

    /// Whether what is published on the loopback interface there can be reached from here.
    pub(super) fn check_local(&self) -> Result<()> {
        let Ok(url) = Url::parse(&self.address) else {
            return Ok(());
        };
        let local = match url.host() {
            None => true,
            Some(url::Host::Domain(name)) => name.is_empty() || name == "localhost",
            Some(url::Host::Ipv4(address)) => address.is_loopback(),
            Some(url::Host::Ipv6(address)) => address.is_loopback(),
        };
        // The host of a `tcp` URL is not looked into, only kept.
        let local = local || url.host_str().is_some_and(|host| host.starts_with("127."));
        if local {
            return Ok(());
        }
        Err(Error::configuration(format!(
            "the container engine at `{self}` is on another machine: servers are published to its \
             own loopback interface, which cannot be reached from here; run there, or forward its \
             socket"
        )))
    }

    /// Gets an image from its registry, without credentials.
    pub(super) async fn pull(&self, image: &str) -> Result<()> {
        tracing::info!(image, "pulling");
        // Without a tag the engine would pull all that there are.
        let name = image.rsplit('/').next().unwrap_or(image);
        let options = CreateImageOptionsBuilder::new().from_image(image);
        let options = if name.contains([':', '@']) {
            options
        } else {
            options.tag("latest")
        };
        let mut pulling = self.api.create_image(Some(options.build()), None, None);
        while let Some(progress) = pulling.next().await {
            progress.map_err(|error| self.failed(&format!("pull `{image}`"), error))?;
        }
        Ok(())
    }

    /// What the engine refused, or why it did not answer.
    pub(super) fn failed(&self, what: &str, error: ApiError) -> Error {
        let (kind, why) = match &error {
            ApiError::DockerResponseServerError { message, .. } => {
                (Kind::Execution, message.trim().to_owned())
            }
            ApiError::DockerStreamError { error } => (Kind::Execution, error.trim().to_owned()),
            ApiError::RequestTimeoutError => (
                Kind::Timeout,
                format!("no answer within {ANSWER_WITHIN} seconds"),
            ),
            _ => (Kind::Connection, root_cause(&error)),
        };
        Error::of(kind, format!("could not {what} at `{self}`: {why}")).because(error)
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.address)
    }
}

/// The status that the engine refused with.
pub(super) fn status(error: &ApiError) -> Option<u16> {
    match error {
        ApiError::DockerResponseServerError { status_code, .. } => Some(*status_code),
        _ => None,
    }
}

fn open(address: &str) -> Result<bollard::Docker, ApiError> {
    #[cfg(unix)]
    if address.starts_with("unix://") {
        return bollard::Docker::connect_with_unix(address, ANSWER_WITHIN, API_DEFAULT_VERSION);
    }
    if address.starts_with("tcp://") || address.starts_with("http://") {
        return bollard::Docker::connect_with_http(address, ANSWER_WITHIN, API_DEFAULT_VERSION);
    }
    bollard::Docker::connect_with_host(address)
}

/// Where the container engine of this machine is: what `DOCKER_HOST` says, or else the first of the
/// usual sockets that is there.
///
/// # Errors
/// If there is none.
pub fn engine_address() -> Result<String> {
    match env::var(HOST) {
        Ok(host) if !host.is_empty() => return Ok(host),
        _ => {}
    }
    if cfg!(windows) {
        return Ok("npipe:////./pipe/docker_engine".to_owned());
    }
    let sockets = sockets();
    if let Some(socket) = sockets.iter().find(|socket| socket.exists()) {
        return Ok(format!("unix://{}", socket.display()));
    }
    let looked = sockets
        .iter()
        .map(|socket| format!("`{}`", socket.display()));
    Err(Error::of(
        Kind::Connection,
        format!(
            "there is no container engine here: none of the sockets {} exists; start Docker or \
             Podman, or say in `{HOST}` where it is",
            looked.collect::<Vec<_>>().join(", ")
        ),
    ))
}

/// Where engines have their sockets, those of Docker first.
fn sockets() -> Vec<PathBuf> {
    let runtime = env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let home = env::var_os("HOME").map(PathBuf::from);
    let within = |directory: &Option<PathBuf>, socket: &str| {
        directory.as_ref().map(|directory| directory.join(socket))
    };
    [
        Some(PathBuf::from("/var/run/docker.sock")),
        within(&runtime, "docker.sock"),
        within(&home, ".docker/run/docker.sock"),
        within(&runtime, "podman/podman.sock"),
        Some(PathBuf::from("/run/podman/podman.sock")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn engine(address: &str) -> Engine {
        Engine {
            api: bollard::Docker::connect_with_http("tcp://127.0.0.1:1", 1, API_DEFAULT_VERSION)
                .unwrap(),
            address: address.to_owned(),
        }
    }

    #[test]
    fn engines_of_other_machines_are_told_apart() {
        for address in [
            "unix:///var/run/docker.sock",
            "npipe:////./pipe/docker_engine",
            "tcp://localhost:2375",
            "tcp://127.0.0.1:2375",
            "http://127.0.0.2:2375",
            "http://[::1]:2375",
        ] {
            engine(address).check_local().expect(address);
        }
        for address in ["tcp://10.0.0.7:2375", "http://build.example:2375"] {
            let error = engine(address).check_local().unwrap_err().to_string();
            assert!(error.contains(address), "{error}");
        }
    }
}
