//! The server that is looked at, as it is on the wire: nothing is read into types that would hide
//! what it really said.

use std::fmt;
use std::time::Duration;

use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, RequestBuilder, redirect};
use serde_json::Value;
use tokio::time::timeout;

mod socket;

pub(crate) use self::socket::{KNOCK, Lost, Refusal, Socket};

/// Bytes that a body may have.
const MAX_BODY: usize = 16 * 1024 * 1024;

/// A server, and how long it may take to answer.
#[derive(Debug, Clone)]
pub struct Server {
    base: String,
    http: Client,
    headers: HeaderMap,
    patience: Duration,
    reply_patience: Duration,
}

/// Why something cannot be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unusable(String);

impl fmt::Display for Unusable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Unusable {}

/// What an HTTP route answered.
#[derive(Debug, Clone)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// `None` if it is not JSON.
    pub(crate) body: Option<Value>,
    /// Whether the body is packed, as with gzip.
    pub(crate) encoded: bool,
    pub(crate) size: usize,
}

impl Answer {
    /// A member of the body, if that is an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.body.as_ref()?.get(name)
    }
}

impl Server {
    /// The server at `url`; no scheme means `http`. Each answer over HTTP may take as long as `patience`,
    /// each reply of an environment six times as long: it may have something to load.
    ///
    /// # Errors
    /// If it is not the URL of a server.
    pub fn new(url: &str, patience: Duration) -> Result<Self, Unusable> {
        let url = url.trim();
        let refused = |why: &dyn fmt::Display| {
            Unusable(format!(
                "`{url}` is not the URL of a server: {why}; write it as `http://host:8000`"
            ))
        };
        if url.is_empty() {
            return Err(refused(&"it is empty"));
        }
        let written = if url.contains("://") {
            url.to_owned()
        } else {
            format!("http://{url}")
        };
        let parsed = reqwest::Url::parse(&written).map_err(|error| refused(&error))?;
        match parsed.scheme() {
            "http" | "https" => {}
            other => return Err(refused(&format_args!("the scheme `{other}` is not known"))),
        }
        if !parsed.has_host() {
            return Err(refused(&"it names no host"));
        }
        // Somebody else may have chosen one already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let http = Client::builder()
            .no_proxy()
            .redirect(redirect::Policy::none())
            .build()
            .map_err(|error| refused(&error))?;
        Ok(Self {
            base: written.trim_end_matches('/').to_owned(),
            http,
            headers: HeaderMap::new(),
            patience,
            reply_patience: patience.saturating_mul(6),
        })
    }

    /// Sends a header with every request, as for a token.
    ///
    /// # Errors
    /// If name or value cannot stand in a header.
    pub fn header(mut self, name: &str, value: &str) -> Result<Self, Unusable> {
        let refused =
            |part: &str| Unusable(format!("the {part} of the header `{name}` cannot be sent"));
        let header = HeaderName::try_from(name).map_err(|_| refused("name"))?;
        let mut value = HeaderValue::try_from(value).map_err(|_| refused("value"))?;
        value.set_sensitive(true);
        self.headers.insert(header, value);
        Ok(self)
    }

    /// How long a reply of the environment may take. Default: six times as long as other answers.
    #[must_use]
    pub fn reply_patience(mut self, patience: Duration) -> Self {
        self.reply_patience = patience;
        self
    }

    /// Where it is, without a slash at the end.
    pub fn url(&self) -> &str {
        &self.base
    }

    pub(crate) fn patience(&self) -> Duration {
        self.patience
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        &self.headers
    }

    pub(crate) async fn get(&self, route: &str) -> Result<Answer, String> {
        self.fetch(self.http.get(self.at(route))).await
    }

    pub(crate) async fn post(&self, route: &str, body: &Value) -> Result<Answer, String> {
        self.fetch(self.http.post(self.at(route)).json(body)).await
    }

    fn at(&self, route: &str) -> String {
        format!("{}{route}", self.base)
    }

    async fn fetch(&self, request: RequestBuilder) -> Result<Answer, String> {
        let request = request
            .headers(self.headers.clone())
            .header("accept-encoding", "identity");
        match timeout(self.patience, Box::pin(read(request))).await {
            Ok(answer) => answer.map_err(|error| with_causes(&error)),
            Err(_) => Err(format!("no answer within {:?}", self.patience)),
        }
    }
}

async fn read(request: RequestBuilder) -> Result<Answer, reqwest::Error> {
    let mut response = request.send().await?;
    let encoded = response
        .headers()
        .get("content-encoding")
        .is_some_and(|encoding| encoding.as_bytes() != b"identity");
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BODY {
            break;
        }
    }
    Ok(Answer {
        status: response.status().as_u16(),
        body: serde_json::from_slice(&body).ok(),
        encoded,
        size: body.len(),
    })
}

/// An error and what caused it, in one line.
fn with_causes(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let next = error.to_string();
        if !text.contains(&next) {
            text = format!("{text}: {next}");
        }
        cause = error.source();
    }
    text
}
