//! Which port an example listens on: the first argument, `PORT` or 8000.

use tokio::net::TcpListener;

/// The port that the user asked for; 0 is any free one.
pub(crate) fn from_user() -> u16 {
    std::env::args()
        .nth(1)
        .or_else(|| std::env::var("PORT").ok())
        .and_then(|port| port.parse().ok())
        .unwrap_or(8000)
}

/// Says where the server is.
#[expect(clippy::print_stdout, reason = "an example talks to its user")]
pub(crate) fn announce(listener: &TcpListener) -> std::io::Result<()> {
    println!("listening on http://{}", listener.local_addr()?);
    Ok(())
}
