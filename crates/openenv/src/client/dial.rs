//! From a URL to an open WebSocket.

use reqwest::header::HeaderMap;
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;
use tokio_tungstenite::tungstenite::handshake::client::Request;
use tokio_tungstenite::tungstenite::protocol::WebSocketConfig;
use tokio_tungstenite::tungstenite::{Error, Result};
use url::{Host, Url};

use super::socket::Stream;
use super::traffic::{CountedStream, Traffic};

/// Tungstenite clears its whole read buffer before each read
/// (snapview/tungstenite-rs#547), so its usual 128 KiB would cost more than all
/// else in a small step. Observations are longer than actions, so it is larger
/// than the server's.
const READ_BUFFER: usize = 8 * 1024;

pub(super) async fn dial(
    url: &Url,
    headers: &HeaderMap,
    max_message_size: usize,
) -> Result<(Stream, Traffic)> {
    let mut request = url.as_str().into_client_request()?;
    request.headers_mut().extend(headers.clone());
    let config = WebSocketConfig::default()
        .read_buffer_size(READ_BUFFER)
        .max_message_size(Some(max_message_size))
        .max_frame_size(Some(max_message_size));
    let traffic = Traffic::default();
    let stream = CountedStream {
        stream: connect(url).await?,
        traffic: traffic.clone(),
    };
    Ok((upgrade(url, request, stream, config).await?, traffic))
}

async fn connect(url: &Url) -> Result<TcpStream> {
    let port = url.port_or_known_default().unwrap_or_default();
    let stream = match url.host() {
        Some(Host::Ipv4(host)) => TcpStream::connect((host, port)).await?,
        Some(Host::Ipv6(host)) => TcpStream::connect((host, port)).await?,
        Some(Host::Domain(host)) => TcpStream::connect((host, port)).await?,
        None => return Err(Error::Io(std::io::ErrorKind::InvalidInput.into())),
    };
    // A request is one small write: it must not wait for the answer to the last.
    stream.set_nodelay(true)?;
    Ok(stream)
}

#[cfg(feature = "tls")]
async fn upgrade(
    url: &Url,
    request: Request,
    stream: CountedStream,
    config: WebSocketConfig,
) -> Result<Stream> {
    use tokio_tungstenite::Connector;

    let connector = match url.scheme() {
        "wss" => Connector::Rustls(super::tls::config().map_err(std::io::Error::other)?),
        _ => Connector::Plain,
    };
    let upgrade = tokio_tungstenite::client_async_tls_with_config(
        request,
        stream,
        Some(config),
        Some(connector),
    );
    let (stream, _) = upgrade.await?;
    Ok(stream)
}

#[cfg(not(feature = "tls"))]
async fn upgrade(
    url: &Url,
    request: Request,
    stream: CountedStream,
    config: WebSocketConfig,
) -> Result<Stream> {
    debug_assert_eq!(url.scheme(), "ws", "other URLs are refused");
    let stream = tokio_tungstenite::MaybeTlsStream::Plain(stream);
    let upgrade = tokio_tungstenite::client_async_with_config(request, stream, Some(config));
    let (stream, _) = upgrade.await?;
    Ok(stream)
}
