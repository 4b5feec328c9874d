//! Where a server is, as people write it.

use std::fmt;

use url::Url;

use crate::error::{Error, Result};

/// The address below which a server answers; a path prefix is part of it.
///
/// Kept as HTTP. `ws`, `wss` and no scheme at all mean the same server.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct BaseUrl(Url);

impl BaseUrl {
    pub(super) fn parse(text: &str) -> Result<Self> {
        let text = text.trim();
        let refused = |why: &dyn fmt::Display| {
            Error::configuration(format!(
                "`{text}` is not the URL of a server: {why}; write it as `http://host:8000`"
            ))
        };
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.chars().all(char::is_alphanumeric) => (scheme, rest),
            _ => ("http", text),
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => "http",
            "https" | "wss" => "https",
            other => return Err(refused(&format_args!("the scheme `{other}` is not known"))),
        };
        let mut url = Url::parse(&format!("{scheme}://{rest}")).map_err(|why| refused(&why))?;
        if !url.username().is_empty() || url.password().is_some() {
            // Not shown: it is a secret.
            return Err(Error::configuration(
                "the URL of a server has no place for a user and a password; \
                 send them in a header, as `authorization`",
            ));
        }
        if let Some("http" | "https" | "ws" | "wss") = url.host_str() {
            return Err(refused(&"it has a scheme for a host"));
        }
        if scheme == "https" && !cfg!(feature = "tls") {
            return Err(refused(
                &"this program was built without TLS, the feature `tls` of the crate `openenv`",
            ));
        }
        let path = url.path().trim_end_matches('/').to_owned();
        url.set_path(&path);
        url.set_fragment(None);
        Ok(Self(url))
    }

    /// The address of a route. What the base URL asks for in its query is asked for everywhere.
    pub(super) fn http(&self, route: &str) -> Url {
        let mut url = self.0.clone();
        let prefix = url.path().trim_end_matches('/').to_owned();
        url.set_path(&format!("{prefix}{route}"));
        url
    }

    /// The address of a WebSocket, for a session of its own or one that exists.
    pub(super) fn websocket(&self, route: &str, session_id: Option<&str>) -> Url {
        let mut url = self.http(route);
        let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
        url.set_scheme(scheme)
            .expect("one special scheme can stand for another");
        if let Some(session_id) = session_id {
            url.query_pairs_mut().append_pair("session_id", session_id);
        }
        url
    }
}

/// Without the query, which may be a secret.
impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut url = self.0.clone();
        url.set_query(None);
        f.write_str(url.as_str().trim_end_matches('/'))
    }
}

impl fmt::Debug for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn websocket(base: &str) -> String {
        BaseUrl::parse(base)
            .unwrap()
            .websocket("/ws", None)
            .to_string()
    }

    #[test]
    fn every_form_leads_to_the_same_socket() {
        for base in [
            "http://host:8000",
            "http://host:8000/",
            "ws://host:8000",
            "HTTP://host:8000//",
            "host:8000",
            " host:8000/ ",
        ] {
            assert_eq!(websocket(base), "ws://host:8000/ws", "{base}");
        }
        if cfg!(feature = "tls") {
            assert_eq!(websocket("https://host"), "wss://host/ws");
            assert_eq!(websocket("wss://host"), "wss://host/ws");
        }
        assert_eq!(websocket("[::1]:8000"), "ws://[::1]:8000/ws");
    }

    #[test]
    fn prefixes_and_queries_are_kept() {
        assert_eq!(
            websocket("http://host/envs/echo/?token=x"),
            "ws://host/envs/echo/ws?token=x"
        );
        let base = BaseUrl::parse("host/a?token=x").unwrap();
        assert_eq!(websocket("host?x=http://y"), "ws://host/ws?x=http://y");
        assert_eq!(
            base.websocket("/ws", Some("a b")).as_str(),
            "ws://host/a/ws?token=x&session_id=a+b"
        );
        assert_eq!(
            base.websocket("/mcp", None).as_str(),
            "ws://host/a/mcp?token=x"
        );
        assert_eq!(
            base.http("/schema").as_str(),
            "http://host/a/schema?token=x"
        );
    }

    #[test]
    fn secrets_are_not_shown() {
        let base = BaseUrl::parse("host/a?token=secret").unwrap();
        assert_eq!(format!("{base} {base:?}"), "http://host/a http://host/a");
        let error = BaseUrl::parse("http://me:secret@host").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn what_is_no_url_is_named() {
        for base in [
            "ftp://host",
            "http://",
            "",
            "http://host:99999",
            "http:/host",
        ] {
            let error = BaseUrl::parse(base).unwrap_err().to_string();
            assert!(
                error.starts_with(&format!("`{base}` is not the URL")),
                "{error}"
            );
        }
    }
}
