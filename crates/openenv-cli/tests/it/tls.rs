//! `https` and `wss`, behind a proxy that ends TLS as most deployments do.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tempfile::NamedTempFile;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

use crate::serving::{Serving, openenv};

/// A proxy for `localhost`, and the certificate that it is to be trusted by.
async fn proxy(server: String) -> (String, NamedTempFile) {
    let identity = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let certificate = NamedTempFile::new().unwrap();
    std::fs::write(certificate.path(), identity.cert.pem()).unwrap();

    let key = PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der());
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![identity.cert.der().clone()], PrivateKeyDer::from(key))
        .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!(
        "https://localhost:{}",
        listener.local_addr().unwrap().port()
    );
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, server) = (acceptor.clone(), server.clone());
            tokio::spawn(async move {
                // Fails when the client does not trust it.
                if let Ok(mut stream) = acceptor.accept(stream).await {
                    let mut server = TcpStream::connect(server).await.unwrap();
                    let _ = copy_bidirectional(&mut stream, &mut server).await;
                }
            });
        }
    });
    (url, certificate)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_behind_tls_is_played() {
    let server = Serving::start(openenv("serve echo --port 0"));
    let address = server.url.trim_start_matches("http://").to_owned();
    let (url, certificate) = proxy(address).await;
    let play = || openenv(&format!("play {url} --random 3 --json"));

    let trusted = play()
        .env("SSL_CERT_FILE", certificate.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&trusted.stderr);
    assert!(trusted.status.success(), "{stderr}");
    assert_eq!(String::from_utf8_lossy(&trusted.stdout).lines().count(), 3);

    let stranger = play().output().unwrap();
    let stderr = String::from_utf8_lossy(&stranger.stderr);
    assert_eq!(stranger.status.code(), Some(1));
    assert!(stderr.contains("certificate"), "{stderr}");
}
