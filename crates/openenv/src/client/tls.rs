//! Certificates, as the system trusts them.

use std::sync::{Arc, OnceLock};

use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_tungstenite::Connector;
use url::Url;

use crate::error::{Error, Result};

/// The connector for a `wss` URL; none for any other.
pub(super) fn connector(url: &Url) -> Result<Option<Connector>> {
    if url.scheme() == "wss" {
        Ok(Some(Connector::Rustls(Arc::new(config()?))))
    } else {
        Ok(None)
    }
}

/// Read once: the system's certificates are a long file.
pub(super) fn config() -> Result<ClientConfig> {
    static CONFIG: OnceLock<ClientConfig> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(config.clone());
    }
    let failed = |error: rustls::Error| {
        Error::configuration(format!("could not prepare TLS: {error}")).because(error)
    };
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(failed)?
        .with_platform_verifier()
        .map_err(failed)?
        .with_no_client_auth();
    Ok(CONFIG.get_or_init(|| config).clone())
}
