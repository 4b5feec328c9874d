//! A server in a container.
//!
//! [`Docker`] runs an image on the container engine of this machine: Docker, or anything that
//! speaks its protocol, as Podman does. The engine is found as its own command finds it: at
//! `DOCKER_HOST`, or else at the usual sockets.
//!
//! Every container is labelled with the process that started it. What a program leaves behind
//! that is killed, [`prune`] finds and removes.

use std::fmt;
use std::time::Duration;

use futures_util::future::BoxFuture;

use super::process::{STOP_TIMEOUT, is_taken};
use super::{Provider, START_TIMEOUT, until_healthy};
use crate::client::Endpoint;
use crate::error::{Error, Kind, Result};

mod container;
mod engine;
mod managed;
mod owner;
mod settings;

pub use engine::engine_address;
pub use managed::{Managed, Prune, containers, prune};
pub use owner::OwnerState;

use container::{Container, ended, is_running};
use engine::{Engine, status};
use settings::{HOST, Settings};

/// How much of its log [`Docker::output`] asks for.
const OUTPUT_LINES: &str = "1000";

/// A server in a container, made from an image.
///
/// ```no_run
/// # async fn example() -> openenv::Result<()> {
/// use openenv::provider::{Docker, Provider};
///
/// let mut server = Docker::image("my-env:latest")
///     .env("DIFFICULTY", "hard")
///     .memory(512 << 20)
///     .cpus(1.0);
/// let endpoint = server.start().await?;
/// println!("listening on {endpoint}");
/// server.stop().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Where it listens
///
/// Inside of the container on port 8000, or the one that [`port`](Self::port) names, on every
/// interface. It is published on a free port of this machine's loopback interface, which the
/// engine chooses; nobody else can reach it there. On the network `host` it has its port itself.
///
/// # What it may do
///
/// Unless told otherwise, it has no capabilities and cannot get any ([`confined`](Self::confined)),
/// and a small process that collects orphans is its first ([`init`](Self::init)).
///
/// # How it ends
///
/// [`stop`](Provider::stop) asks it to end with the signal that its image says (SIGTERM as a rule),
/// kills it after the [`stop_timeout`](Self::stop_timeout), and removes it with its volumes.
/// Without that nothing is left behind either: dropping the `Docker`, or the future of `start` or
/// `stop`, kills and removes it, and waits on this thread until that is done. Only if this program
/// is killed a container goes on, until [`prune`] is called.
///
/// To [`start`](Provider::start) what was started and not stopped is an error.
pub struct Docker {
    settings: Settings,
    engine: Option<String>,
    pull: bool,
    show_output: bool,
    start_timeout: Duration,
    stop_timeout: Duration,
    running: Option<Container>,
}

impl Docker {
    /// A server made from this image, as `my-env:latest`.
    pub fn image(image: impl Into<String>) -> Self {
        Self {
            settings: Settings::new(image.into()),
            engine: None,
            pull: false,
            show_output: false,
            start_timeout: START_TIMEOUT,
            stop_timeout: STOP_TIMEOUT,
            running: None,
        }
    }

    /// Sets an environment variable of the container.
    #[must_use]
    pub fn env(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.variables.push((name.into(), value.into()));
        self
    }

    /// What to run instead of the image's command, or the arguments of its entry point.
    #[must_use]
    pub fn command(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.settings.command = words.into_iter().map(Into::into).collect();
        self
    }

    /// Adds a label.
    #[must_use]
    pub fn label(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.settings.labels.push((name.into(), value.into()));
        self
    }

    /// How many bytes of memory it may use, swap included; no limit by default.
    #[must_use]
    pub fn memory(mut self, bytes: u64) -> Self {
        self.settings.memory = Some(bytes);
        self
    }

    /// How many processors it may keep busy, as 0.5; no limit by default.
    #[must_use]
    pub fn cpus(mut self, cpus: f64) -> Self {
        self.settings.cpus = Some(cpus);
        self
    }

    /// How many processes and threads it may have; no limit by default.
    #[must_use]
    pub fn pids(mut self, pids: u32) -> Self {
        self.settings.pids = Some(pids);
        self
    }

    /// The network it is in: `bridge`, which is the default, `host`, or one that was created.
    #[must_use]
    pub fn network(mut self, name: impl Into<String>) -> Self {
        self.settings.network = Some(name.into());
        self
    }

    /// The port that it listens on inside of the container; 8000 by default.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.settings.port = port;
        self
    }

    /// The port of this machine that leads to it; 0, the default, is any that is free.
    #[must_use]
    pub fn host_port(mut self, port: u16) -> Self {
        self.settings.host_port = port;
        self
    }

    /// Whether its files cannot be changed, except below `/tmp`; `false` by default.
    #[must_use]
    pub fn read_only(mut self, read_only: bool) -> Self {
        self.settings.read_only = read_only;
        self
    }

    /// Whether it is without capabilities and cannot get any; `true` by default.
    ///
    /// An image that begins as root and then changes to another user needs `false`.
    #[must_use]
    pub fn confined(mut self, confined: bool) -> Self {
        self.settings.confined = confined;
        self
    }

    /// Whether its first process is a small one of the engine, which passes signals on and collects
    /// orphans; `true` by default.
    #[must_use]
    pub fn init(mut self, init: bool) -> Self {
        self.settings.init = init;
        self
    }

    /// Whether an image that is not there is pulled, without credentials; `false` by default.
    #[must_use]
    pub fn pull(mut self, pull: bool) -> Self {
        self.pull = pull;
        self
    }

    /// Where the engine is, as `unix:///run/podman/podman.sock` or `tcp://127.0.0.1:2375`; by default
    /// what `DOCKER_HOST` says, or else the first of the usual sockets that is there.
    #[must_use]
    pub fn engine(mut self, address: impl Into<String>) -> Self {
        self.engine = Some(address.into());
        self
    }

    /// How long it may take until it is healthy; 30 seconds by default.
    #[must_use]
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }

    /// How long it may take to end when asked to; 10 seconds by default.
    #[must_use]
    pub fn stop_timeout(mut self, limit: Duration) -> Self {
        self.stop_timeout = limit;
        self
    }

    /// Whether its log appears on standard error as well; `false` by default.
    #[must_use]
    pub fn show_output(mut self, show: bool) -> Self {
        self.show_output = show;
        self
    }

    /// The name of the container, while there is one.
    pub fn name(&self) -> Option<&str> {
        self.running.as_ref().map(Container::name)
    }

    /// The end of its log, at most 1000 lines; empty if it was not started.
    ///
    /// Standard output and standard error in the order they were written, and what is not UTF-8
    /// replaced.
    pub async fn output(&self) -> Result<String> {
        match &self.running {
            Some(container) => container.log(OUTPUT_LINES).await,
            None => Ok(String::new()),
        }
    }

    async fn launch(&mut self) -> Result<Endpoint> {
        let image = &self.settings.image;
        if self.running.is_some() {
            return Err(Error::new(format!(
                "a container of `{image}` was started already; stop it first"
            )));
        }
        self.settings.check()?;
        let port = self.settings.port;
        // Otherwise whoever listens there would be taken for the server.
        if self.settings.shares_network() && is_taken(port) {
            return Err(Error::configuration(format!(
                "could not start `{image}` on the network `host`: port {port} is in use by another \
                 process"
            )));
        }
        let engine = Engine::connect(self.engine.as_deref()).await?;
        engine.check_local()?;
        let mut container = self.create(&engine).await?;
        match self.bring_up(&mut container).await {
            Ok(endpoint) => {
                self.running = Some(container);
                Ok(endpoint)
            }
            Err(error) => {
                // That it cannot be removed either is in the log.
                let _ = container.remove().await;
                Err(error)
            }
        }
    }

    async fn create(&self, engine: &Engine) -> Result<Container> {
        let image = &self.settings.image;
        let mut pulled = !self.pull;
        loop {
            let mut container = Container::new(engine);
            match container.create(self.settings.body()).await {
                Ok(()) => return Ok(container),
                Err(error) if status(&error) == Some(404) && !pulled => {
                    engine.pull(image).await?;
                    pulled = true;
                }
                Err(error) if status(&error) == Some(404) => {
                    return Err(Error::not_found(format!(
                        "the container engine at `{engine}` has no image `{image}`; build it with \
                         `openenv build`, or get it with `docker pull {image}`"
                    ))
                    .because(error));
                }
                Err(error) => {
                    return Err(engine.failed(&format!("create a container of `{image}`"), error));
                }
            }
        }
    }

    /// Starts a container and waits until its server is healthy.
    async fn bring_up(&self, container: &mut Container) -> Result<Endpoint> {
        let image = &self.settings.image;
        container.start().await?;
        if self.show_output {
            container.show_output();
        }
        let seen = container.inspect().await?;
        if !is_running(&seen) {
            return Err(self.ended_early(container).await);
        }
        let Some(port) = self.settings.published(&seen) else {
            let network = self.settings.network.as_deref().unwrap_or_default();
            return Err(Error::configuration(format!(
                "no port leads to a container of `{image}` on the network `{network}`; choose \
                 `bridge`, `host`, or a network that publishes ports"
            )));
        };
        let endpoint = Endpoint::new(&format!("http://{HOST}:{port}"))?;
        let health = tokio::select! {
            health = until_healthy(&endpoint, self.start_timeout) => Some(health),
            () = container.exited() => None,
        };
        match health {
            Some(Ok(())) => {
                // If it has ended, somebody else gave the answer.
                if is_running(&container.inspect().await?) {
                    Ok(endpoint)
                } else {
                    Err(self.ended_early(container).await)
                }
            }
            Some(Err(error)) => {
                let words = container.last_words().await;
                let message = format!(
                    "{error}, though its container runs (`{image}`, port {}); {words}",
                    self.settings.port
                );
                Err(Error::of(Kind::Timeout, message))
            }
            None => Err(self.ended_early(container).await),
        }
    }

    async fn ended_early(&self, container: &mut Container) -> Error {
        container.shown().await;
        let image = &self.settings.image;
        let what = format!("a container of `{image}` ended before it was healthy:");
        ended(&what, &container.ending().await)
    }
}

impl Provider for Docker {
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>> {
        Box::pin(self.launch())
    }

    fn stop(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            match self.running.take() {
                Some(container) => container.stop(self.stop_timeout).await,
                None => Ok(()),
            }
        })
    }

    fn ended(&mut self) -> BoxFuture<'_, Error> {
        Box::pin(async move {
            let Some(container) = &mut self.running else {
                return std::future::pending().await;
            };
            container.exited().await;
            container.shown().await;
            let what = format!("a container of `{}` ended:", self.settings.image);
            ended(&what, &container.ending().await)
        })
    }
}

/// Without the values of variables, which may be secret.
impl fmt::Debug for Docker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<_> = self
            .settings
            .variables
            .iter()
            .map(|(name, _)| name)
            .collect();
        f.debug_struct("Docker")
            .field("image", &self.settings.image)
            .field("command", &self.settings.command)
            .field("variables", &variables)
            .field("container", &self.name())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_variables_are_not_shown() {
        let docker = Docker::image("maze").env("TOKEN", "secret");
        let shown = format!("{docker:?}");
        assert!(
            shown.contains("TOKEN") && !shown.contains("secret"),
            "{shown}"
        );
    }
}
