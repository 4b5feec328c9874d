//! Whether the server that runs is well: what the health check of a container asks.

use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::banner::reachable;
use crate::config::ServerConfig;

/// A server that needs longer is not well.
const PATIENCE: Duration = Duration::from_secs(3);

/// More than the answer of any server that is well.
const LONGEST_ANSWER: u64 = 16 * 1024;

/// Asks the server at the host and port of the options.
///
/// By hand: a client for HTTP would be most of what an image has to carry.
pub(crate) fn check(config: &ServerConfig) -> Result<()> {
    let addresses = (config.host.as_str(), config.port)
        .to_socket_addrs()
        .with_context(|| format!("could not find the host `{}`", config.host))?;
    let mut outcome = None;
    for address in addresses {
        let address = SocketAddr::new(reachable(address.ip()), address.port());
        match ask(address) {
            Ok(()) => return Ok(()),
            Err(error) => outcome = Some(error.context(format!("no healthy server at {address}"))),
        }
    }
    Err(outcome.unwrap_or_else(|| anyhow::anyhow!("`{}` has no address", config.host)))
}

fn ask(address: SocketAddr) -> Result<()> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let request = format!("GET /health HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = Vec::new();
    match stream.take(LONGEST_ANSWER).read_to_end(&mut answer) {
        Ok(_) => {}
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
            bail!("it did not answer within {PATIENCE:?}")
        }
        Err(error) => return Err(error.into()),
    }
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.lines().next().unwrap_or_default();
    if status.split_whitespace().nth(1) == Some("200") && body.contains("\"healthy\"") {
        return Ok(());
    }
    bail!("it answered `{status}` to /health, and does not say that it is healthy")
}
