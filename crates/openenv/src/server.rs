//! The server: environments behind HTTP and WebSocket routes.

use std::fmt;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::Router;
use axum::http::Method;
use axum::serve::ListenerExt;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use crate::env::erased::{Blueprint, Native};
use crate::env::{Environment, Mode};
use crate::error::{Error, Result};

mod at_once;
mod body;
mod config;
mod connection;
mod conversation;
#[cfg(feature = "docs")]
mod docs;
mod fallback;
mod http;
mod info;
mod lifecycle;
mod mcp;
mod openapi;
mod seat;
mod session;
mod sessions;
mod stateless;
mod tasks;
mod ws;

use body::BodyLimit;
use config::Config;
use fallback::only;
pub use info::{Capacity, Origin, SessionId, SessionInfo};
use sessions::Sessions;

/// More than any pause that a keepalive could be for.
const A_DAY: Duration = Duration::from_hours(24);

/// How long the last answers may take to leave once everything is closed.
const FLUSH_GRACE: Duration = Duration::from_secs(1);

/// Environments, ready to be served.
///
/// Cloning is cheap and gives another handle to the same sessions.
///
/// ```no_run
/// # use openenv::{Environment, ResetOptions, Result, Server, Step, StepOptions};
/// # #[derive(Default)]
/// # struct Nothing;
/// # impl Environment for Nothing {
/// #     type Action = ();
/// #     type Observation = ();
/// #     type ResetObservation = ();
/// #     type State = ();
/// #     async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> { Ok(Step::new(())) }
/// #     async fn step(&mut self, _: (), _: StepOptions) -> Result<Step<()>> { Ok(Step::new(())) }
/// #     fn state(&self) {}
/// # }
/// # async fn run() -> Result<()> {
/// let server = Server::builder()
///     .environment("nothing", Nothing::default)
///     .build()?;
/// let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
/// server.serve(listener, openenv::shutdown_signal()).await
/// # }
/// ```
#[derive(Clone)]
pub struct Server {
    served: Arc<[Arc<Sessions>]>,
}

impl Server {
    /// Starts to describe a server.
    pub fn builder() -> ServerBuilder {
        ServerBuilder {
            blueprints: Vec::new(),
            config: Config::default(),
        }
    }

    /// The routes, to be served alone or nested in an application of your own.
    ///
    /// Every environment is mounted at `/envs/<name>`, the first one at the root
    /// as well; `/envs` tells how full each is. An application that serves the router itself calls
    /// [`shut_down`](Self::shut_down) when it stops.
    pub fn router(&self) -> Router {
        let mut router = Router::new();
        for (position, sessions) in self.served.iter().enumerate() {
            let routes = http::routes(sessions);
            let own = routes
                .clone()
                .merge(tasks::routes(std::slice::from_ref(sessions)));
            router = router.nest(&format!("/envs/{}", sessions.name), own);
            if position == 0 {
                router = router.merge(routes.merge(tasks::routes(&self.served)));
            }
        }
        let server = self.clone();
        let capacity = async move || body::json(&server.capacity());
        router = router.route("/envs", only(Method::GET, capacity));
        let limit = self
            .served
            .first()
            .map_or(0, |sessions| sessions.config.max_message_size);
        router
            .fallback(fallback::no_route)
            .layer(Extension(BodyLimit(limit)))
    }

    /// Serves until `shutdown` is ready, then drains and closes every environment.
    ///
    /// # Errors
    /// If the listener fails.
    pub async fn serve(
        self,
        listener: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let patience = self.served.first().and_then(|sessions| {
            let interval = sessions.config.keepalive_interval?;
            Some(interval + sessions.config.keepalive_timeout)
        });
        let listener = listener.tap_io(move |socket| {
            // Small replies must not wait for the acknowledgement of earlier ones.
            let _ = socket.set_nodelay(true);
            // A peer that vanished while a reply is under way is noticed as soon
            // as one that vanished in silence.
            #[cfg(target_os = "linux")]
            let _ = socket2::SockRef::from(&*socket).set_tcp_user_timeout(patience);
            #[cfg(not(target_os = "linux"))]
            let _ = patience;
        });
        let router = self
            .router()
            .into_make_service_with_connect_info::<SocketAddr>();
        let stop = CancellationToken::new();
        let serving =
            axum::serve(listener, router).with_graceful_shutdown(stop.clone().cancelled_owned());
        let mut serving = pin!(serving.into_future());
        tokio::select! {
            served = &mut serving => return Ok(served?),
            () = shutdown => stop.cancel(),
        }
        tracing::info!("shutting down");
        // A connection ends with its last request, a session with its socket:
        // both end at the same time, the answers leave last.
        let mut draining = pin!(self.shut_down());
        tokio::select! {
            served = &mut serving => {
                draining.await;
                Ok(served?)
            }
            () = &mut draining => {
                let _ = tokio::time::timeout(FLUSH_GRACE, serving).await;
                Ok(())
            }
        }
    }

    /// Refuses new sessions, lets running calls end, closes every environment.
    ///
    /// [`serve`](Self::serve) does so by itself.
    pub async fn shut_down(&self) {
        futures_util::future::join_all(self.served.iter().map(|sessions| sessions.shut_down()))
            .await;
    }

    /// How full each environment is, in the order they were added.
    pub fn capacity(&self) -> Vec<Capacity> {
        self.served
            .iter()
            .map(|sessions| sessions.capacity())
            .collect()
    }

    /// Every session, of every environment.
    pub fn sessions(&self) -> Vec<SessionInfo> {
        self.served
            .iter()
            .flat_map(|sessions| sessions.infos())
            .collect()
    }
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server")
            .field("capacity", &self.capacity())
            .finish()
    }
}

/// Describes a [`Server`]; [`build`](Self::build) checks the whole at once.
#[must_use = "a builder does nothing until it is built"]
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

    /// Sets who owns the episodes. Default: [`Mode::Simulation`].
    pub fn mode(mut self, mode: Mode) -> Self {
        self.config.mode = mode;
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

    /// Limits one message or HTTP body, in bytes. Default: 100 MiB.
    pub fn max_message_size(mut self, bytes: usize) -> Self {
        self.config.max_message_size = bytes;
        self
    }

    /// Checks everything and puts the server together.
    ///
    /// # Errors
    /// If there is no environment, a name does not fit into a path or stands
    /// twice, a type cannot be published, or a limit cannot be met.
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
            served.push(Sessions::new(name, blueprint?, self.config.clone())?);
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

/// Is ready when the process is asked to stop: SIGTERM or Ctrl-C.
pub async fn shutdown_signal() {
    let interrupted = async {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    };
    #[cfg(unix)]
    let terminated = async {
        use tokio::signal::unix::{SignalKind, signal};
        match signal(SignalKind::terminate()) {
            Ok(mut terminate) => drop(terminate.recv().await),
            Err(_) => std::future::pending::<()>().await,
        }
    };
    #[cfg(not(unix))]
    let terminated = std::future::pending::<()>();
    tokio::select! {
        () = interrupted => {}
        () = terminated => {}
    }
}
