//! HTTP as a stranger speaks it.

use reqwest::{ClientBuilder, Response};

/// A client that is not the library's own.
pub(crate) fn http() -> ClientBuilder {
    // With the library's TLS in the build, reqwest asks for one. A second time does nothing.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
}

pub(crate) async fn fetch(url: impl AsRef<str>) -> reqwest::Result<Response> {
    http().build()?.get(url.as_ref()).send().await
}
