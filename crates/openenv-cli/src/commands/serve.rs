//! `openenv serve`: environments over HTTP and WebSocket until a signal comes.

use std::future::{pending, poll_fn};
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::task::Poll;

use anyhow::{Context, Result, anyhow};
use openenv::{Server, ServerBuilder};
use tokio::net::{TcpListener, TcpSocket, lookup_host};
use tokio::runtime;
use tokio::sync::oneshot;

use crate::config::ServeConfig;
use crate::failure::Failure;
use crate::open_files;
use crate::ui::banner::Banner;
use crate::value::ControlListen;

/// Connections that may wait to be accepted: trainers open thousands at once,
/// and the usual 1,024 makes the rest retry after a second. The kernel lowers
/// it to its own limit (`net.core.somaxconn`).
const BACKLOG: u32 = 16_384;

/// Files that the server itself needs open, besides one for each session.
const OWN_FILES: u64 = 64;

pub(crate) fn run(config: &ServeConfig) -> Result<()> {
    let open_files = open_files::raise_limit();
    let mut builder = runtime::Builder::new_multi_thread();
    if let Some(workers) = config.workers {
        builder.worker_threads(workers);
    }
    let runtime = builder
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    let outcome = runtime.block_on(serve(config, open_files));
    // Dropping it would wait for blocking calls, which a second signal must not.
    runtime.shutdown_background();
    outcome
}

async fn serve(config: &ServeConfig, open_files: Option<u64>) -> Result<()> {
    let listener = listen(&config.host, config.port, "--port").await?;
    let address = address_of(&listener)?;
    let control = match &config.control {
        Some(ControlListen::At { host, port }) => {
            Some(listen(host, *port, "--control-listen").await?)
        }
        Some(ControlListen::Off) | None => None,
    };
    let control_address = match (&config.control, &control) {
        (None, _) => Some(address),
        (Some(_), Some(control)) => Some(address_of(control)?),
        (Some(_), None) => None,
    };
    let room = open_files.map_or(usize::MAX, |files| {
        usize::try_from(files.saturating_sub(OWN_FILES)).unwrap_or(usize::MAX)
    });
    let server = build(config, address, room)?;
    let sessions = server
        .capacity()
        .iter()
        .map(|capacity| capacity.maximum)
        .collect::<Vec<_>>();
    // Before the address is known: a script may stop the server as soon as it
    // has read it.
    let first_signal = next_signal().await;

    Banner::new(config, address, control_address, &sessions).announce()?;
    if config.max_sessions.is_some() && sessions.iter().sum::<usize>() > room {
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
fn build(config: &ServeConfig, address: SocketAddr, room: usize) -> Result<Server> {
    let mut builder = Server::builder()
        .mode(config.mode)
        .control(config.control.is_none())
        .session_timeout(config.session_timeout)
        .queue_timeout(config.queue_timeout)
        .drain_timeout(config.drain_timeout)
        .keepalive(config.keepalive_interval, config.keepalive_timeout)
        .max_message_size(config.max_message_size)
        .default_sessions(room.min(ServerBuilder::DEFAULT_SESSIONS));
    if let Some(sessions) = config.max_sessions {
        builder = builder.max_sessions(sessions);
    }
    for origin in &config.allowed_origins {
        builder = builder.allow_origin(origin);
    }
    for environment in &config.environments {
        builder = (environment.add)(builder, address);
    }
    Ok(builder.build()?)
}

fn address_of(listener: &TcpListener) -> Result<SocketAddr> {
    listener
        .local_addr()
        .context("could not read the address of the listener")
}

/// Listens on the first address of the host that can be listened on, as `option` says.
async fn listen(host: &str, port: u16, option: &str) -> Result<TcpListener> {
    let addresses = lookup_host((host, port)).await.map_err(|error| {
        Failure::new(
            format!("could not find the host `{host}`"),
            "it has to be a name or an address of this machine, such as `127.0.0.1` or `0.0.0.0`",
        )
        .because(error)
    })?;
    let mut outcome = Err(ErrorKind::NotFound.into());
    for address in addresses {
        outcome = listen_on(address);
        if outcome.is_ok() {
            break;
        }
    }
    let failed = format!("could not listen on `{host}`, port {port}");
    outcome.map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => Failure::new(
            format!("port {port} on `{host}` is in use"),
            format!("stop what uses it, or choose another with `{option}`; port 0 is any free one"),
        )
        .into(),
        ErrorKind::PermissionDenied => Failure::new(
            failed,
            format!("ports below 1024 need privileges; choose another with `{option}`"),
        )
        .because(error)
        .into(),
        ErrorKind::AddrNotAvailable => Failure::new(
            failed,
            "the host has to be an address of this machine; `0.0.0.0` listens on every one",
        )
        .because(error)
        .into(),
        _ => anyhow::Error::new(error).context(failed),
    })
}

fn listen_on(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart must not wait for the connections of its predecessor to expire.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}
