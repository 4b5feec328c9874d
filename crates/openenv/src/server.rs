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

use crate::error::Result;

mod at_once;
mod body;
mod builder;
mod config;
mod connection;
mod conversation;
#[cfg(feature = "docs")]
mod docs;
#[cfg_attr(
    not(feature = "web"),
    expect(dead_code, reason = "only the page shows what is kept")
)]
mod episodes;
mod fallback;
mod http;
mod info;
mod lifecycle;
mod mcp;
mod openapi;
mod seat;
mod session;
mod session_log;
mod sessions;
mod stateless;
mod tasks;
#[cfg(feature = "web")]
mod web;
mod web_origin;
mod ws;

use body::BodyLimit;
pub use builder::ServerBuilder;
use fallback::only;
pub use info::{Capacity, Origin, SessionId, SessionInfo};
pub use session_log::SessionLog;
use sessions::Sessions;

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
        ServerBuilder::default()
    }

    /// The routes, to be served alone or nested in an application of your own.
    ///
    /// Every environment is mounted at `/envs/<name>`, the first one at the root
    /// as well; `/envs` tells how full each is. An application that serves the router itself calls
    /// [`shut_down`](Self::shut_down) when it stops.
    pub fn router(&self) -> Router {
        let control = self
            .served
            .first()
            .is_some_and(|sessions| sessions.config.control);
        self.routes(control)
    }

    /// Every route, those that control sessions included, even where
    /// [`router`](Self::router) is [without them](ServerBuilder::control).
    pub fn control_router(&self) -> Router {
        self.routes(true)
    }

    fn routes(&self, control: bool) -> Router {
        let mut router = Router::new();
        let names: Arc<[String]> = self.served.iter().map(|it| it.name.clone()).collect();
        for (position, sessions) in self.served.iter().enumerate() {
            let routes = http::routes(sessions, control, &names);
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
        let router = self.router();
        self.serve_all(vec![(listener, router)], shutdown).await
    }

    /// Serves tools to agents on one address and everything else on another.
    ///
    /// Agents reach no route that controls sessions (`/ws`, `/sessions`, and in
    /// simulation `/reset`, `/step` and `/state`); `control` has every route and
    /// belongs where only trainers and operators get to.
    ///
    /// # Errors
    /// If a listener fails.
    pub async fn serve_apart(
        self,
        agents: TcpListener,
        control: TcpListener,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let listeners = vec![(agents, self.routes(false)), (control, self.routes(true))];
        self.serve_all(listeners, shutdown).await
    }

    async fn serve_all(
        self,
        listeners: Vec<(TcpListener, Router)>,
        shutdown: impl Future<Output = ()>,
    ) -> Result<()> {
        let patience = self.served.first().and_then(|sessions| {
            let interval = sessions.config.keepalive_interval?;
            Some(interval + sessions.config.keepalive_timeout)
        });
        let stop = CancellationToken::new();
        let serving = listeners.into_iter().map(|(listener, router)| {
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
            let router = router.into_make_service_with_connect_info::<SocketAddr>();
            axum::serve(listener, router)
                .with_graceful_shutdown(stop.clone().cancelled_owned())
                .into_future()
        });
        let mut serving = futures_util::future::try_join_all(serving);
        tokio::select! {
            served = &mut serving => return Ok(served.map(drop)?),
            () = shutdown => stop.cancel(),
        }
        tracing::info!("shutting down");
        // A connection ends with its last request, a session with its socket:
        // both end at the same time, the answers leave last.
        let mut draining = pin!(self.shut_down());
        tokio::select! {
            served = &mut serving => {
                draining.await;
                Ok(served.map(drop)?)
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
