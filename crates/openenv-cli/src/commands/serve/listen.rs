//! The addresses of a server: taken first, listened on when it is ready.

use std::io::ErrorKind;
use std::net::SocketAddr;

use anyhow::{Context, Result};
use tokio::net::{TcpListener, TcpSocket, lookup_host};

use crate::failure::Failure;

/// Connections that may wait to be accepted: trainers open thousands at once,
/// and the usual 1,024 makes the rest retry after a second. The kernel lowers
/// it to its own limit (`net.core.somaxconn`).
const BACKLOG: u32 = 16_384;

/// An address that is taken, and refuses connections until it is listened on.
#[derive(Debug)]
pub(super) struct Reserved<'a> {
    socket: TcpSocket,
    host: &'a str,
    port: u16,
    /// The option to choose another with.
    option: &'static str,
}

impl<'a> Reserved<'a> {
    /// The first address of the host that can be listened on, as `option` says.
    pub(super) async fn take(host: &'a str, port: u16, option: &'static str) -> Result<Self> {
        let addresses = lookup_host((host, port)).await.map_err(|error| {
            Failure::new(
                format!("could not find the host `{host}`"),
                "it has to be a name or an address of this machine, such as `127.0.0.1` or `0.0.0.0`",
            )
            .because(error)
        })?;
        let mut outcome = Err(ErrorKind::NotFound.into());
        for address in addresses {
            outcome = bind(address);
            if outcome.is_ok() {
                break;
            }
        }
        let socket = outcome.map_err(|error| explain(error, host, port, option))?;
        Ok(Self {
            socket,
            host,
            port,
            option,
        })
    }

    pub(super) fn address(&self) -> Result<SocketAddr> {
        self.socket
            .local_addr()
            .context("could not read the address of the listener")
    }

    pub(super) fn listen(self) -> Result<TcpListener> {
        // Somebody else may have taken it too, and listens by now.
        let listening = self.socket.listen(BACKLOG);
        listening.map_err(|error| explain(error, self.host, self.port, self.option))
    }
}

fn bind(address: SocketAddr) -> std::io::Result<TcpSocket> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // A restart must not wait for the connections of its predecessor to expire.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    Ok(socket)
}

fn explain(error: std::io::Error, host: &str, port: u16, option: &str) -> anyhow::Error {
    let failed = format!("could not listen on `{host}`, port {port}");
    match error.kind() {
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
    }
}
