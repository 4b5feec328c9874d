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
pub struct Reserved<'a>(Socket<'a>);

#[derive(Debug)]
enum Socket<'a> {
    Own {
        socket: TcpSocket,
        host: &'a str,
        port: u16,
        /// The option to choose another with.
        option: &'static str,
    },
    /// Somebody else's, who listens on it already.
    Inherited(std::net::TcpListener),
}

impl<'a> Reserved<'a> {
    /// The first address of the host that can be listened on, as `option` says.
    pub async fn take(host: &'a str, port: u16, option: &'static str) -> Result<Self> {
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
        Ok(Self(Socket::Own {
            socket,
            host,
            port,
            option,
        }))
    }

    /// The socket that is standard input: a parent keeps it open from one server to the next.
    #[cfg(unix)]
    pub fn inherit() -> Result<Self> {
        let no_socket = || {
            Failure::new(
                "standard input is no socket that listens",
                "`--listen-stdin` is for programs that start servers; leave it out",
            )
        };
        let input = rustix::stdio::stdin();
        let listens = rustix::net::sockopt::socket_acceptconn(input);
        if !listens.unwrap_or(false) {
            return Err(no_socket().into());
        }
        // Whoever gave it wants no server that outlives him.
        #[cfg(target_os = "linux")]
        rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::TERM))
            .context("could not ask to be ended with the parent")?;
        let socket = input.try_clone_to_owned().map_err(|_| no_socket())?;
        Ok(Self(Socket::Inherited(socket.into())))
    }

    /// There are no sockets to inherit here.
    #[cfg(not(unix))]
    pub fn inherit() -> Result<Self> {
        anyhow::bail!("`--listen-stdin` works on Unix only")
    }

    /// The address that was taken, with the port that was chosen.
    pub fn address(&self) -> Result<SocketAddr> {
        let address = match &self.0 {
            Socket::Own { socket, .. } => socket.local_addr(),
            Socket::Inherited(listener) => listener.local_addr(),
        };
        address.context("could not read the address of the listener")
    }

    /// Begins to accept connections.
    pub fn listen(self) -> Result<TcpListener> {
        match self.0 {
            // Somebody else may have taken it too, and listens by now.
            Socket::Own {
                socket,
                host,
                port,
                option,
            } => {
                let listening = socket.listen(BACKLOG);
                listening.map_err(|error| explain(error, host, port, option))
            }
            Socket::Inherited(listener) => {
                let taken = listener
                    .set_nonblocking(true)
                    .and_then(|()| TcpListener::from_std(listener));
                taken.context("could not serve on the socket of standard input")
            }
        }
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
