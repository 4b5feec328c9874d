//! How a server is described before there is one.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use crate::env::blueprint::{Blueprint, Native};
use crate::env::{Environment, Mode};
use crate::error::{Error, Result};
use crate::server::Server;
use crate::server::config::{self, Config};
#[cfg(feature = "web")]
use crate::server::episodes::Keep;
use crate::server::sessions::Sessions;
use crate::server::web_origin;

/// More than any pause that a keepalive could be for.
const A_DAY: Duration = Duration::from_hours(24);

/// Describes a [`Server`]; [`build`](Self::build) checks the whole at once.
#[must_use = "a builder does nothing until it is built"]
#[derive(Default)]
pub struct ServerBuilder {
    blueprints: Vec<(String, Result<Box<dyn Blueprint>>)>,
    config: Config,
}

impl ServerBuilder {
    /// Sessions of a concurrent environment that was given no limit.
    pub const DEFAULT_SESSIONS: usize = config::DEFAULT_SESSIONS;

    /// Adds an environment, made anew for every session by `factory`.
    ///
    /// `name` is its place under `/envs/` and its name in the task routes. The
    /// first environment is served at the root as well.
    pub fn environment<E: Environment>(
        self,
        name: impl Into<String>,
        factory: impl Fn() -> E + Send + Sync + 'static,
    ) -> Self {
        self.try_environment(name, move || Ok(factory()))
    }

    /// Adds an environment whose factory can fail.
    ///
    /// A failure costs the session that was to be opened, nothing else.
    pub fn try_environment<E: Environment>(
        mut self,
        name: impl Into<String>,
        factory: impl Fn() -> Result<E> + Send + Sync + 'static,
    ) -> Self {
        let blueprint = Native::new(factory).map(|native| Box::new(native) as Box<dyn Blueprint>);
        self.blueprints.push((name.into(), blueprint));
        self
    }

    /// Adds an environment that is written in Python, under its own name.
    #[cfg(all(unix, feature = "python"))]
    pub fn python(mut self, workers: crate::python::Workers) -> Self {
        let (name, blueprint) = workers.into_blueprint();
        self.blueprints.push((name, Ok(blueprint)));
        self
    }

    /// Sets who owns the episodes. Default: [`Mode::Simulation`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.config.mode = mode;
        self
    }

    /// Serves, or does not serve, the routes that control sessions: `/ws`,
    /// `/sessions`, and in simulation `/reset`, `/step` and `/state`.
    ///
    /// Without them agents can do nothing but call tools. Python's tool clients
    /// need `/ws`, so that is for agents that speak MCP. Default: served.
    /// [`Server::serve_apart`] serves them on an address of their own.
    pub fn control(mut self, served: bool) -> Self {
        self.config.control = served;
        self
    }

    /// Limits the sessions of each environment.
    ///
    /// Default: 65,536 for an environment that declares itself
    /// [`CONCURRENT`](Environment::CONCURRENT), 1 for any other. More than 1 for
    /// the latter is an error.
    pub fn max_sessions(mut self, sessions: usize) -> Self {
        self.config.max_sessions = Some(sessions);
        self
    }

    /// Sets the sessions of concurrent environments that
    /// [`max_sessions`](Self::max_sessions) says nothing about. Default: 65,536.
    pub fn default_sessions(mut self, sessions: usize) -> Self {
        self.config.default_sessions = sessions;
        self
    }

    /// Sets how long a session without a socket may be idle. Default: 15 minutes.
    ///
    /// A session with a socket, or with a running call, never ends for being idle.
    pub fn session_timeout(mut self, timeout: Option<Duration>) -> Self {
        self.config.session_timeout = timeout;
        self
    }

    /// Lets new sessions wait for a slot instead of refusing them. Default: not at all.
    pub fn queue_timeout(mut self, timeout: Duration) -> Self {
        self.config.queue_timeout = timeout;
        self
    }

    /// Sets how long running calls may go on after shutdown began. Default: 30 seconds.
    pub fn drain_timeout(mut self, timeout: Duration) -> Self {
        self.config.drain_timeout = timeout;
        self
    }

    /// Sets how long an environment may take to close. Default: 10 seconds.
    pub fn close_timeout(mut self, timeout: Duration) -> Self {
        self.config.close_timeout = timeout;
        self
    }

    /// Sets the time between pings, and how long a client may stay silent after
    /// one. Default: 20 seconds each. `None` sends no pings.
    pub fn keepalive(mut self, interval: impl Into<Option<Duration>>, timeout: Duration) -> Self {
        self.config.keepalive_interval = interval.into();
        self.config.keepalive_timeout = timeout;
        self
    }

    /// Sets how long one reply may take to leave. Default: 2 minutes.
    pub fn send_timeout(mut self, timeout: Duration) -> Self {
        self.config.send_timeout = timeout;
        self
    }

    /// Lets web pages of another origin, as `https://app.example`, use the server
    /// (`/mcp` and `/ws`); `*` lets every page. Default: those of the server itself
    /// and of this machine.
    ///
    /// Behind a proxy on the same machine the server cannot tell its own pages
    /// from those that a foreign name brought here: allow them by their origin.
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.config.allowed_origins.push(origin.into());
        self
    }

    /// Sets what the [page](Self::web) keeps of what happened in the sessions: for `time`
    /// after the end of an episode (`None`: for as long as there is room), and not more
    /// than `bytes` of each environment; nothing at all if that is 0. Default: an hour
    /// and 32 MiB.
    #[cfg(feature = "web")]
    pub fn keep_episodes(mut self, time: impl Into<Option<Duration>>, bytes: usize) -> Self {
        let time = time.into();
        self.config.keep = Keep { time, bytes };
        self
    }

    /// Lets pages of an origin, as `https://portal.example`, show the
    /// [page](Self::web) in a frame. Default: none but those of the server itself.
    #[cfg(feature = "web")]
    pub fn embed_in(mut self, origin: impl Into<String>) -> Self {
        self.config.embedders.push(origin.into());
        self
    }

    /// Serves, or does not serve, a page at `/web` on which people try an environment,
    /// watch its sessions and look into its episodes. Default: not served.
    ///
    /// The page is where sessions can be [controlled](Self::control).
    #[cfg(feature = "web")]
    pub fn web(mut self, served: bool) -> Self {
        self.config.web = served;
        self
    }

    /// Limits one message or HTTP body, in bytes. Default: 100 MiB.
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.config.max_message_size = bytes;
        self
    }

    /// Checks everything and puts the server together.
    ///
    /// # Errors
    /// If there is no environment, a name does not fit into a path or stands
    /// twice, an origin is none, a type cannot be published, or a limit cannot be met.
    pub fn build(self) -> Result<Server> {
        if self.blueprints.is_empty() {
            return Err(Error::configuration(
                "a server needs at least one environment",
            ));
        }
        let times = [
            self.config.keepalive_interval,
            Some(self.config.keepalive_timeout),
        ];
        if times
            .into_iter()
            .flatten()
            .any(|time| time.is_zero() || time > A_DAY)
        {
            return Err(Error::configuration(
                "keepalive times must be longer than zero and at most a day",
            ));
        }
        let mut config = self.config;
        #[cfg(feature = "web")]
        for origin in &mut config.embedders {
            *origin = web_origin::normalize(origin)?;
        }
        for origin in &mut config.allowed_origins {
            *origin = web_origin::normalize(origin)?;
        }
        let mut served: Vec<Arc<Sessions>> = Vec::new();
        for (name, blueprint) in self.blueprints {
            let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
            if name.is_empty() || !name.chars().all(fits) {
                return Err(Error::configuration(format!(
                    "environment name `{name}` does not fit into a path: use letters, digits, `-`, `_` and `.`"
                )));
            }
            if served
                .iter()
                .any(|other| other.name.eq_ignore_ascii_case(&name))
            {
                return Err(Error::configuration(format!(
                    "environment name `{name}` stands twice"
                )));
            }
            served.push(Sessions::new(name, blueprint?, config.clone())?);
        }
        Ok(Server {
            served: served.into(),
        })
    }
}

impl fmt::Debug for ServerBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .blueprints
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        f.debug_struct("ServerBuilder")
            .field("environments", &names)
            .field("config", &self.config)
            .finish()
    }
}
