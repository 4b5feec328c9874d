//! The one document of the page.

use std::io::Write;
use std::sync::LazyLock;

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use sha2::{Digest, Sha256};
use std::sync::Arc;

use super::bundle;
use crate::server::sessions::Sessions;

/// The document, as it is sent.
struct Document {
    plain: Bytes,
    compressed: Bytes,
    tag: HeaderValue,
    /// What scripts may run: this one.
    script: String,
}

/// Put together once, or, while the page is worked on, each time.
fn document() -> Arc<Document> {
    static DOCUMENT: LazyLock<Arc<Document>> = LazyLock::new(|| Arc::new(Document::new()));
    if cfg!(debug_assertions) {
        Arc::new(Document::new())
    } else {
        Arc::clone(&DOCUMENT)
    }
}

impl Document {
    fn new() -> Self {
        let script = bundle::script();
        let html = bundle::file("index.html")
            .unwrap_or_default()
            .replacen("/*STYLE*/", &bundle::styles(), 1)
            .replacen("/*SCRIPT*/", &script, 1);
        let mut compressed = GzEncoder::new(Vec::new(), Compression::best());
        let compressed = compressed
            .write_all(html.as_bytes())
            .and_then(|()| compressed.finish())
            .expect("writing to memory does not fail");
        let tag = format!("\"{}\"", digest(html.as_bytes()));
        Self {
            plain: html.into(),
            compressed: compressed.into(),
            tag: tag.parse().expect("base64 fits into a header"),
            script: digest(script.as_bytes()),
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(Sha256::digest(bytes))
}

pub(super) async fn page(State(sessions): State<Arc<Sessions>>, headers: HeaderMap) -> Response {
    let document = document();
    let mentions = |name: header::HeaderName, what: &str| {
        let value = headers.get(name).and_then(|value| value.to_str().ok());
        value.is_some_and(|value| value.contains(what))
    };
    let tag = document.tag.to_str().unwrap_or_default();
    let mut response = if mentions(header::IF_NONE_MATCH, tag) {
        StatusCode::NOT_MODIFIED.into_response()
    } else if mentions(header::ACCEPT_ENCODING, "gzip") {
        let encoding = [(header::CONTENT_ENCODING, "gzip")];
        (encoding, document.compressed.clone()).into_response()
    } else {
        document.plain.clone().into_response()
    };
    let set = response.headers_mut();
    set.insert(header::ETAG, document.tag.clone());
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CACHE_CONTROL, "no-cache"),
        (header::VARY, "accept-encoding"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
    ] {
        set.insert(name, HeaderValue::from_static(value));
    }
    let policy = policy(&document.script, &sessions.config.allowed_origins);
    if let Ok(policy) = policy.parse() {
        set.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}

/// What the page may do: run its own script, talk to its server, and show
/// pictures that it has already. Documents inside of it are bound by the same.
fn policy(script: &str, embedded_in: &[String]) -> String {
    let embedders = embedded_in.join(" ");
    format!(
        "default-src 'none'; script-src 'sha256-{script}'; style-src 'unsafe-inline'; \
         img-src 'self' data: blob:; font-src data:; media-src data: blob:; \
         connect-src 'self' ws: wss:; frame-src 'self' data: blob:; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'self' {embedders}"
    )
}
