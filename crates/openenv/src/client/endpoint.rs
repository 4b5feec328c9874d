//! A server to talk to, and how.

use std::fmt;
use std::time::Duration;

use super::base_url::BaseUrl;
use crate::error::{Error, Result};

/// A server to talk to, and how: the address, headers, limits.
#[derive(Debug, Clone)]
pub struct Endpoint {
    url: BaseUrl,
    http: reqwest::Client,
}

impl Endpoint {
    /// The server at `url`, with the default settings.
    pub fn new(url: &str) -> Result<Self> {
        Ok(Self {
            url: BaseUrl::parse(url)?,
            http: reqwest::Client::new(),
        })
    }

    /// Whether the server answers that it is well.
    pub async fn health(&self) -> Result<()> {
        let answer = self
            .http
            .get(self.url.http("/health"))
            .timeout(Duration::from_secs(2))
            .send()
            .await
            .map_err(Error::from_source)?;
        if answer.status().is_success() {
            Ok(())
        } else {
            Err(Error::new(format!(
                "the server answered {}",
                answer.status()
            )))
        }
    }
}

impl fmt::Display for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.url.fmt(f)
    }
}
