//! The one document of the page.

use std::sync::{Arc, LazyLock};

use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use bytes::Bytes;
use sha2::{Digest, Sha256};

use super::bundle;
use super::compact::{compact, compact_style};
use super::compressed::Encoding;
use crate::server::sessions::Sessions;

/// For what is compressed once: a quarter of a second, in a release build.
const THOROUGH: u32 = 10;

/// The document, as it is sent.
struct Document {
    plain: Bytes,
    gzip: Bytes,
    brotli: Bytes,
    tag: HeaderValue,
    /// What scripts may run: this one.
    script: String,
}

/// Put together once, or, while the page is worked on, each time.
async fn document() -> Arc<Document> {
    static DOCUMENT: LazyLock<Arc<Document>> = LazyLock::new(|| Arc::new(Document::new()));
    let make = || {
        if cfg!(debug_assertions) {
            Arc::new(Document::new())
        } else {
            Arc::clone(&DOCUMENT)
        }
    };
    match LazyLock::get(&DOCUMENT) {
        Some(document) => Arc::clone(document),
        // Others need not wait while it is compressed.
        None => tokio::task::spawn_blocking(make)
            .await
            .unwrap_or_else(|_| make()),
    }
}

impl Document {
    fn new() -> Self {
        let script = compact(&bundle::script());
        let html = bundle::file("index.html")
            .unwrap_or_default()
            .replacen("/*STYLE*/", &compact_style(&bundle::styles()), 1)
            .replacen("/*SCRIPT*/", &script, 1);
        let compressed = |encoding: Encoding| {
            let quality = if cfg!(debug_assertions) { 6 } else { THOROUGH };
            encoding.compress(html.as_bytes(), quality).into()
        };
        let tag = format!("\"{}\"", digest(html.as_bytes()));
        Self {
            gzip: compressed(Encoding::Gzip),
            brotli: compressed(Encoding::Brotli),
            plain: html.into(),
            tag: tag.parse().expect("base64 fits into a header"),
            script: digest(script.as_bytes()),
        }
    }
}

fn digest(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(Sha256::digest(bytes))
}

pub(super) async fn page(State(sessions): State<Arc<Sessions>>, headers: HeaderMap) -> Response {
    let document = document().await;
    let tag = document.tag.to_str().unwrap_or_default();
    let seen = headers.get(header::IF_NONE_MATCH);
    let seen = seen.and_then(|seen| seen.to_str().ok());
    let mut response = if seen.is_some_and(|seen| seen.contains(tag)) {
        StatusCode::NOT_MODIFIED.into_response()
    } else {
        match Encoding::accepted(&headers) {
            None => document.plain.clone().into_response(),
            Some(encoding) => {
                let body = match encoding {
                    Encoding::Brotli => document.brotli.clone(),
                    Encoding::Gzip => document.gzip.clone(),
                };
                (encoding.headers(), body).into_response()
            }
        }
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
    let policy = policy(&document.script, &sessions.config.embedders);
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
