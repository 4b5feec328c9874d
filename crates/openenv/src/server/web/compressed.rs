//! Answers that are worth compressing.

use std::io::Write;

use axum::http::{HeaderMap, HeaderName, StatusCode, header};
use axum::response::{IntoResponse, Response};
use brotli::CompressorWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde::Serialize;

use crate::server::body;

/// For what is compressed each time.
const QUICK: u32 = 5;

/// How a body can be compressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Encoding {
    Brotli,
    Gzip,
}

impl Encoding {
    /// The best that the client takes.
    pub(super) fn accepted(headers: &HeaderMap) -> Option<Self> {
        let accepted = headers.get(header::ACCEPT_ENCODING)?.to_str().ok()?;
        let takes = |name: &str| {
            let mut codings = accepted
                .split(',')
                .map(|coding| coding.split(';').map(str::trim));
            codings.any(|mut coding| coding.next() == Some(name) && coding.next() != Some("q=0"))
        };
        if takes("br") {
            Some(Self::Brotli)
        } else {
            takes("gzip").then_some(Self::Gzip)
        }
    }

    /// What is said of a body that is compressed.
    pub(super) fn headers(self) -> [(HeaderName, &'static str); 2] {
        let name = match self {
            Self::Brotli => "br",
            Self::Gzip => "gzip",
        };
        [
            (header::CONTENT_ENCODING, name),
            (header::VARY, "accept-encoding"),
        ]
    }

    /// `quality` is from 0 to 11, where the last ones take their time.
    pub(super) fn compress(self, bytes: &[u8], quality: u32) -> Vec<u8> {
        let mut out = Vec::new();
        let written = match self {
            Self::Brotli => {
                let mut encoder = CompressorWriter::new(&mut out, 4096, quality, 22);
                encoder.write_all(bytes)
            }
            Self::Gzip => {
                let mut encoder = GzEncoder::new(&mut out, Compression::new(quality.min(9)));
                encoder.write_all(bytes).and_then(|()| encoder.try_finish())
            }
        };
        written.expect("writing to memory does not fail");
        out
    }
}

/// A value as JSON, compressed for those who take it.
pub(super) fn json(value: &impl Serialize, headers: &HeaderMap) -> Response {
    let Some(encoding) = Encoding::accepted(headers) else {
        return body::json(value);
    };
    let text = serde_json::to_vec(value).expect("JSON always serialises");
    let body = body::raw_json(StatusCode::OK, encoding.compress(&text, QUICK));
    (encoding.headers(), body).into_response()
}
