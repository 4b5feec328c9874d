//! Certificates, as the system trusts them.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, Error};
use rustls_platform_verifier::BuilderVerifierExt;

/// Read once: the system's certificates are a long file.
pub(super) fn config() -> Result<Arc<ClientConfig>, Error> {
    static CONFIG: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = CONFIG.get() {
        return Ok(Arc::clone(config));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    Ok(Arc::clone(CONFIG.get_or_init(|| Arc::new(config))))
}
