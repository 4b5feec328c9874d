//! Web pages that may use a server: a page of another site must not drive one
//! that happens to run on its reader's machine.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_ALLOW_ORIGIN,
    ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HOST, ORIGIN, VARY,
};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, request};
use axum::response::{IntoResponse, Response};

use crate::error::{Error, Result};
use crate::server::config::Config;
use crate::server::http;

/// What a page of a foreign origin is told.
pub(crate) const REFUSAL: &str = "this page may not use the server: its origin has to be allowed \
                                  when the server is started (`--allow-origin`)";

/// The page behind a request, if one is and it may use the server.
///
/// # Errors
/// If it may not.
pub(crate) fn screen(parts: &request::Parts, config: &Config) -> Result<Option<Page>, ()> {
    let peer = http::peer(&parts.extensions);
    let origin = parts.headers.get(ORIGIN).cloned();
    if !is_welcome(&parts.headers, peer, &config.allowed_origins) {
        let peer = peer.map(tracing::field::display);
        tracing::warn!(?origin, peer, path = parts.uri.path(), "page refused");
        return Err(());
    }
    Ok(origin.map(|origin| Page { origin }))
}

/// Whether a request without an `Origin` comes from a person or a page of this server.
#[cfg(feature = "web")]
pub(crate) fn is_own_request(parts: &request::Parts, config: &Config) -> bool {
    is_asked_for(&parts.headers) && is_named_rightly(parts, config)
}

/// Whether no page of another site embeds the answer, as a picture: such requests come
/// without an `Origin`.
#[cfg(feature = "web")]
fn is_asked_for(headers: &HeaderMap) -> bool {
    let is = |name: &str, value: &str| headers.get(name).is_some_and(|found| found == value);
    headers.contains_key(ORIGIN)
        || !is("sec-fetch-site", "cross-site")
        || is("sec-fetch-mode", "navigate")
}

/// Whether a request from this machine calls it by a name of its own, or one that
/// was allowed. A page that a foreign name brought here needs no `Origin` to read.
#[cfg(feature = "web")]
fn is_named_rightly(parts: &request::Parts, config: &Config) -> bool {
    let peer = http::peer(&parts.extensions);
    let is_local = peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback());
    let host = parts.headers.get(HOST).and_then(|host| host.to_str().ok());
    let Some(host) = host.filter(|_| is_local) else {
        return true;
    };
    let is_allowed = |allowed: &String| {
        let (_, authority) = allowed.split_once("://").unwrap_or_default();
        allowed == "*" || authority.eq_ignore_ascii_case(host)
    };
    is_loopback(host) || config.allowed_origins.iter().any(is_allowed)
}

/// A page that may use the server.
pub(crate) struct Page {
    origin: HeaderValue,
}

impl Page {
    /// The answer to the question that browsers ask ahead of a request, if this is it.
    pub(crate) fn preflight(&self, parts: &request::Parts) -> Option<Response> {
        let asked = parts.headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD);
        if parts.method != Method::OPTIONS || !asked {
            return None;
        }
        let mut response = StatusCode::NO_CONTENT.into_response();
        let headers = response.headers_mut();
        let methods = HeaderValue::from_static("GET, POST, DELETE");
        headers.insert(ACCESS_CONTROL_ALLOW_METHODS, methods);
        if let Some(wanted) = parts.headers.get(ACCESS_CONTROL_REQUEST_HEADERS) {
            headers.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
        }
        headers.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("3600"));
        Some(self.let_read(response))
    }

    /// The response, which its browser lets the page read.
    pub(crate) fn let_read(&self, mut response: Response) -> Response {
        let headers = response.headers_mut();
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, self.origin.clone());
        let exposed = HeaderValue::from_static("mcp-session-id, mcp-protocol-version");
        headers.insert(ACCESS_CONTROL_EXPOSE_HEADERS, exposed);
        headers.append(VARY, HeaderValue::from_static("origin"));
        response
    }
}

/// An origin as browsers spell it: in small letters, without the usual port.
///
/// # Errors
/// If it is none.
pub(crate) fn normalize(origin: &str) -> Result<String> {
    let origin = origin.trim();
    if origin == "*" {
        return Ok(origin.to_owned());
    }
    let written = origin.strip_suffix('/').unwrap_or(origin);
    let parsed = written.parse::<Uri>().ok().and_then(|uri| {
        let scheme = uri.scheme_str()?.to_ascii_lowercase();
        let authority = uri.authority()?.as_str().to_ascii_lowercase();
        // Nothing may follow: a path is not part of an origin.
        let whole = written.len() == scheme.len() + "://".len() + authority.len();
        (whole && !authority.contains('@')).then_some((scheme, authority))
    });
    let Some((scheme, authority)) = parsed else {
        return Err(Error::configuration(format!(
            "`{origin}` is no origin of web pages: use `https://host`, `https://host:port` or `*`"
        )));
    };
    let usual = match scheme.as_str() {
        "http" => ":80",
        "https" => ":443",
        _ => "",
    };
    let authority = match authority.strip_suffix(usual) {
        Some(host) if !usual.is_empty() => host,
        _ => &authority,
    };
    Ok(format!("{scheme}://{authority}"))
}

/// Whether a request may be served, as far as the page behind it is concerned.
///
/// Programs send no `Origin` and are welcome. Pages are if they come from this
/// server, from this machine, or from an origin that was allowed. A page under
/// the name that the request itself gives the server counts as the server's own,
/// except from this machine: whoever owns a name can point it here.
fn is_welcome(headers: &HeaderMap, peer: Option<SocketAddr>, allowed: &[String]) -> bool {
    let Some(origin) = headers.get(ORIGIN) else {
        return true;
    };
    let Ok(origin) = origin.to_str() else {
        return false;
    };
    if allowed
        .iter()
        .any(|allowed| allowed == "*" || allowed.eq_ignore_ascii_case(origin))
    {
        return true;
    }
    let Some(page) = origin.parse::<Uri>().ok().and_then(authority) else {
        return false;
    };
    if is_loopback(&page) {
        return true;
    }
    let own = headers
        .get(HOST)
        .and_then(|host| host.to_str().ok())
        .is_some_and(|host| host.eq_ignore_ascii_case(&page));
    own && !peer.is_some_and(|peer| peer.ip().to_canonical().is_loopback())
}

fn authority(uri: Uri) -> Option<String> {
    Some(uri.into_parts().authority?.as_str().to_owned())
}

/// Whether an authority, `host` or `host:port`, is this machine.
fn is_loopback(authority: &str) -> bool {
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => host,
        _ => authority,
    };
    let host = host.trim_start_matches('[').trim_end_matches(']');
    host.eq_ignore_ascii_case("localhost")
        || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn welcome(origin: &str, host: &str, peer: &str, allowed: &[&str]) -> bool {
        let mut headers = HeaderMap::new();
        headers.insert(ORIGIN, origin.parse().unwrap());
        headers.insert(HOST, host.parse().unwrap());
        let allowed: Vec<String> = allowed.iter().map(|&origin| origin.to_owned()).collect();
        is_welcome(&headers, Some(peer.parse().unwrap()), &allowed)
    }

    #[test]
    fn programs_are_welcome() {
        assert!(is_welcome(&HeaderMap::new(), None, &[]));
    }

    #[test]
    fn pages_of_this_machine_are_welcome() {
        for origin in [
            "http://localhost:6274",
            "http://127.0.0.1",
            "http://[::1]:3000",
        ] {
            assert!(
                welcome(origin, "127.0.0.1:8000", "127.0.0.1:5", &[]),
                "{origin}"
            );
        }
    }

    #[test]
    fn pages_of_the_server_are_welcome() {
        assert!(welcome(
            "https://env.example",
            "env.example",
            "10.1.2.3:5",
            &[]
        ));
        assert!(!welcome(
            "https://env.example",
            "other.example",
            "10.1.2.3:5",
            &[]
        ));
    }

    #[test]
    fn a_name_that_points_here_makes_no_page_the_servers_own() {
        assert!(!welcome(
            "http://evil.example:8000",
            "evil.example:8000",
            "127.0.0.1:5",
            &[]
        ));
        assert!(!welcome(
            "http://evil.example:8000",
            "evil.example:8000",
            "[::ffff:127.0.0.1]:5",
            &[]
        ));
    }

    #[test]
    fn origins_are_read_as_people_write_them() {
        for (written, expected) in [
            ("*", "*"),
            (" https://App.example/ ", "https://app.example"),
            ("https://app.example:443", "https://app.example"),
            ("http://app.example:8080", "http://app.example:8080"),
        ] {
            assert_eq!(normalize(written).unwrap(), expected);
        }
        for wrong in [
            "",
            "app.example",
            "https://a/path",
            "https://a https://b",
            "https://",
        ] {
            let error = normalize(wrong).unwrap_err().to_string();
            assert!(error.contains("is no origin"), "{wrong}: {error}");
        }
    }

    #[test]
    fn foreign_pages_need_to_be_allowed() {
        let foreign = "https://app.example";
        assert!(!welcome(foreign, "env.example", "10.1.2.3:5", &[]));
        assert!(!welcome("null", "env.example", "10.1.2.3:5", &[]));
        assert!(welcome(
            foreign,
            "env.example",
            "10.1.2.3:5",
            &["https://app.example"]
        ));
        assert!(welcome(foreign, "env.example", "10.1.2.3:5", &["*"]));
    }
}
