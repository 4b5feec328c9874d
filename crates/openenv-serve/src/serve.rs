//! Serves environments over HTTP and WebSocket until a signal comes.

use std::future::{pending, poll_fn};
use std::net::SocketAddr;
use std::task::Poll;

use anyhow::{Context, Result, anyhow};
use openenv::{Mode, Server, ServerBuilder};
use tokio::runtime;
use tokio::sync::oneshot;

use crate::banner::{Addresses, Banner};
use crate::config::ServerConfig;
use crate::listen::Reserved;
use crate::service::{Served, Service};
use crate::value::{ControlListen, Web};
use crate::{health, open_files};

/// Files that the server itself needs open, besides one for each session.
const OWN_FILES: u64 = 64;

/// Serves what `prepare` gets ready, or asks a running server how it is, as the
/// options say.
///
/// The port is taken first: who cannot have it need not wait for anything else.
pub fn run<P>(config: &ServerConfig, prepare: P) -> Result<()>
where
    P: AsyncFnOnce() -> Result<Vec<Service>>,
{
    if config.health_check {
        return health::check(config);
    }
    let open_files = open_files::raise_limit();
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(workers) = config.workers {
        builder.worker_threads(workers);
    }
    let runtime = builder
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let outcome = runtime.block_on(serve(config, open_files, prepare));
    // Dropping it would wait for blocking calls, which a second signal must not.
    runtime.shutdown_background();
    outcome
}

async fn serve<P>(config: &ServerConfig, open_files: Option<u64>, prepare: P) -> Result<()>
where
    P: AsyncFnOnce() -> Result<Vec<Service>>,
{
    let reserved = if config.listen_stdin {
        Reserved::inherit()?
    } else {
        Reserved::take(&config.host, config.port, "--port").await?
    };
    let address = reserved.address()?;
    let control = match &config.control {
        Some(ControlListen::At { host, port }) => {
            Some(Reserved::take(host, *port, "--control-listen").await?)
        }
        Some(ControlListen::Off) | None => None,
    };
    let control_address = match (&config.control, &control) {
        (None, _) => Some(address),
        (Some(_), Some(control)) => Some(control.address()?),
        (Some(_), None) => None,
    };
    let room = open_files.map_or(usize::MAX, |files| {
        usize::try_from(files.saturating_sub(OWN_FILES)).unwrap_or(usize::MAX)
    });
    // Before the address is known: a script may stop the server as soon as it
    // has read it.
    let mut first_signal = Box::pin(next_signal().await);
    let services = tokio::select! {
        services = prepare() => services?,
        () = &mut first_signal => return Err(anyhow!("stopped before the server was ready")),
    };
    let web = control_address.filter(|address| has_page(config, *address));
    let (server, served) = build(config, services, address, web.is_some(), room)?;
    let listener = reserved.listen()?;
    let control = control.map(Reserved::listen).transpose()?;

    let addresses = Addresses {
        agents: address,
        control: control_address,
        web,
    };
    Banner::new(config, &addresses, &served).announce()?;
    let sessions: usize = served.iter().map(|served| served.sessions).sum();
    if config.max_sessions.is_some() && sessions > room {
        let hint = "raise the hard limit (`ulimit -Hn`)";
        tracing::warn!(
            hint,
            "the limit of open files has room for about {room} sessions"
        );
    }

    let (signalled, signal) = oneshot::channel();
    let drain_timeout = config.drain_timeout;
    let shutdown = async move {
        first_signal.await;
        let second_signal = next_signal().await;
        tracing::info!(?drain_timeout, "stopping; a second signal stops at once");
        // The receiver is gone only once the server is.
        let _ = signalled.send(second_signal);
    };
    let second_signal = async {
        match signal.await {
            Ok(second_signal) => second_signal.await,
            Err(_) => pending().await,
        }
    };
    let serving = async {
        match control {
            Some(control) => server.serve_apart(listener, control, shutdown).await,
            None => server.serve(listener, shutdown).await,
        }
    };
    tokio::select! {
        outcome = serving => {
            outcome.context("could not serve")?;
            tracing::info!("stopped");
            Ok(())
        }
        () = second_signal => Err(anyhow!("stopped by a second signal with sessions still open")),
    }
}

/// Whether people get a page, where sessions are controlled at the address.
fn has_page(config: &ServerConfig, control: SocketAddr) -> bool {
    match config.web {
        Web::On => true,
        Web::Off => false,
        Web::Simulation => config.mode == Mode::Simulation,
        Web::Auto => config.mode == Mode::Simulation && control.ip().is_loopback(),
    }
}

/// The next signal to stop, listened for from now on rather than from the first poll.
async fn next_signal() -> impl Future<Output = ()> + Send + 'static {
    let mut signal = Box::pin(openenv::shutdown_signal());
    let came = poll_fn(|context| Poll::Ready(signal.as_mut().poll(context).is_ready())).await;
    async move {
        if !came {
            signal.await;
        }
    }
}

/// `room` is how many sessions the open files are enough for: a server that
/// runs out of them cannot even say so.
fn build(
    config: &ServerConfig,
    services: Vec<Service>,
    address: SocketAddr,
    web: bool,
    room: usize,
) -> Result<(Server, Vec<Served>)> {
    let mut builder = Server::builder()
        .mode(config.mode)
        .control(config.control.is_none())
        .web(web)
        .session_timeout(config.session_timeout)
        .queue_timeout(config.queue_timeout)
        .drain_timeout(config.drain_timeout)
        .keepalive(config.keepalive_interval, config.keepalive_timeout)
        .max_message_size(config.max_message_size)
        .default_sessions(room.min(ServerBuilder::DEFAULT_SESSIONS));
    if web {
        builder = builder.keep_episodes(config.keep_time, config.keep_size);
    }
    if let Some(sessions) = config.max_sessions {
        builder = builder.max_sessions(sessions);
    }
    if config.space_id.is_some() {
        builder = builder.embed_in("https://huggingface.co");
    }
    for origin in &config.allowed_origins {
        builder = builder.allow_origin(origin);
    }
    let mut served = Vec::new();
    for service in services {
        let said;
        (builder, said) = service.add_to(builder, address);
        served.push(said);
    }
    let server = builder.build()?;
    for (served, capacity) in served.iter_mut().zip(server.capacity()) {
        served.sessions = capacity.maximum;
    }
    Ok((server, served))
}
