//! The server that a command talks to: one that runs elsewhere, or one that it
//! starts itself.

use std::str::FromStr;

use anyhow::Result;
use openenv::Endpoint;

use crate::config::EndpointConfig;
use crate::local_server::LocalServer;
use crate::registry;
use crate::subject::Subject;

/// Names less alike than this are not what somebody meant.
const ALIKE: f64 = 0.7;

/// What to talk to, as it was typed.
#[derive(Debug, Clone)]
pub(crate) enum Target {
    /// An environment, to be served by this process.
    Environment(Subject),
    /// A server.
    Url(String),
}

/// A server that can be talked to.
#[derive(Debug)]
pub(crate) struct Opened {
    pub(crate) endpoint: Endpoint,
    /// The server, if it runs in this process: it stops when this is dropped.
    pub(crate) local_server: Option<LocalServer>,
}

impl FromStr for Target {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some(subject) = Subject::recognize(text) {
            return Ok(Self::Environment(subject));
        }
        if looks_like_url(text) {
            let url = without_socket(text);
            Endpoint::new(url).map_err(|error| error.to_string())?;
            return Ok(Self::Url(url.to_owned()));
        }
        let meant = match most_alike(text) {
            Some(name) => format!("did you mean `{name}`?"),
            None => "`openenv list` shows those that are".to_owned(),
        };
        Err(format!(
            "no such environment is bundled; {meant}\n  \
             a server is written as `http://host:8000`, a project of yours as `./my_env`"
        ))
    }
}

impl Target {
    /// Gets hold of the server; an environment is started.
    ///
    /// Not to be called, nor its outcome dropped, inside of a runtime: the server
    /// has its own.
    pub(crate) fn open(config: &EndpointConfig) -> Result<Opened> {
        let (url, local_server) = match &config.target {
            Self::Url(url) => (url.clone(), None),
            Self::Environment(subject) => {
                let server =
                    LocalServer::start(subject, &config.python, &config.profile, config.progress)?;
                (server.url().to_owned(), Some(server))
            }
        };
        let mut endpoint = Endpoint::new(&url)?.message_timeout(config.message_timeout);
        for header in &config.headers {
            endpoint = endpoint.header(&header.name, &header.value)?;
        }
        Ok(Opened {
            endpoint,
            local_server,
        })
    }
}

/// The URL of the server if that of its WebSocket was given, as `openenv serve`
/// prints it.
fn without_socket(url: &str) -> &str {
    match url.trim_end_matches('/').strip_suffix("/ws") {
        // A host or an environment that is called so.
        Some(rest) if rest.ends_with(['/', ':']) || rest.ends_with("/envs") => url,
        Some(rest) => rest,
        None => url,
    }
}

/// Whether somebody who wrote this meant a server: a lone word is more likely
/// the misspelt name of an environment than the name of a host.
fn looks_like_url(text: &str) -> bool {
    text.eq_ignore_ascii_case("localhost") || text.contains([':', '.', '/'])
}

fn most_alike(text: &str) -> Option<&'static str> {
    let text = text.to_ascii_lowercase();
    registry::ENVIRONMENTS
        .iter()
        .map(|environment| environment.name)
        .map(|name| (name, strsim::jaro(name, &text)))
        .filter(|(_, likeness)| *likeness > ALIKE)
        .max_by(|left, right| left.1.total_cmp(&right.1))
        .map(|(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environments_are_served_here() {
        for name in ["echo", "./maze", "maze.world:World"] {
            assert!(matches!(name.parse(), Ok(Target::Environment(_))), "{name}");
        }
    }

    #[test]
    fn what_looks_like_a_server_is_one() {
        for url in [
            "localhost",
            "localhost:8000",
            "host:8000",
            "[::1]:8000",
            "10.0.0.1",
            "me-maze.hf.space",
            "https://host/envs/echo",
            "ws://host",
        ] {
            assert!(matches!(url.parse(), Ok(Target::Url(_))), "{url}");
        }
    }

    #[test]
    fn the_url_of_a_socket_is_that_of_its_server() {
        for (url, expected) in [
            ("ws://host:8000/ws", "ws://host:8000"),
            ("host/ws/", "host"),
            ("wss://host/envs/echo/ws", "wss://host/envs/echo"),
            ("http://host/envs/ws", "http://host/envs/ws"),
            ("http://ws", "http://ws"),
            ("http://host/news", "http://host/news"),
        ] {
            assert_eq!(without_socket(url), expected);
        }
    }

    #[test]
    fn what_is_neither_is_answered_with_what_could_be_meant() {
        let refused = |text: &str| text.parse::<Target>().unwrap_err();
        assert!(refused("ecko").contains("did you mean `echo`?"));
        assert!(refused("benchmrk").contains("did you mean `benchmark`?"));
        assert!(refused("zork").contains("`openenv list`"));
        assert!(refused("ftp://host").contains("the scheme `ftp` is not known"));
    }
}
