//! What is checked, and which options go with it.

use std::path::{Path, PathBuf};

use crate::config::ValidateConfig;
use crate::subject::Subject;

/// What to check.
#[derive(Debug)]
pub(super) enum Target {
    Package(PathBuf),
    Url(String),
    /// A bundled environment.
    Bundled(Subject),
}

impl Target {
    /// # Errors
    /// If two things are named, or options that do not go with what is.
    pub(super) fn of(config: &ValidateConfig) -> Result<Self, String> {
        let target = Self::named(config)?;
        target.refuse_strange_options(config)?;
        Ok(target)
    }

    fn named(config: &ValidateConfig) -> Result<Self, String> {
        let named = config.target.as_deref();
        let named_url = named.filter(|named| looks_like_url(named));
        let url = match (named, named_url, config.url.as_deref()) {
            (Some(_), None, Some(_)) => {
                return Err("a directory and `--url` are two things to check; name one".to_owned());
            }
            (_, Some(named), Some(url)) if named != url => {
                return Err("the target and `--url` are different servers; name one".to_owned());
            }
            (_, named, url) => url.or(named),
        };
        if let Some(url) = url {
            return Ok(Self::Url(url.to_owned()));
        }
        let named = named.unwrap_or(".");
        if !Path::new(named).exists()
            && let Some(subject @ Subject::Bundled(_)) = Subject::recognize(named)
        {
            return Ok(Self::Bundled(subject));
        }
        Ok(Self::Package(named.into()))
    }

    fn refuse_strange_options(&self, config: &ValidateConfig) -> Result<(), String> {
        let of_packages = [
            ("--local", config.local),
            ("--level", config.level.is_some()),
            ("--policy", config.policy.is_some()),
            ("--image", config.image.is_some()),
            ("--skip-build", config.skip_build),
        ];
        let of_servers = [
            ("--timeout", config.timeout.is_some()),
            ("--header", !config.headers.is_empty()),
        ];
        let given = |options: &[(&'static str, bool)]| {
            let given = options.iter().find(|(_, given)| *given);
            given.map(|(name, _)| *name)
        };
        let (strange, why) = match self {
            Self::Url(_) => (
                given(&of_packages),
                "is for packages, and this is a server that runs",
            ),
            Self::Bundled(_) => (
                given(&of_packages[1..]),
                "is for packages, and this environment is bundled",
            ),
            Self::Package(_) => (
                given(&of_servers),
                "is for servers that run, and this is a package",
            ),
        };
        match strange {
            Some(name) => Err(format!("`{name}` {why}; leave it out")),
            None => Ok(()),
        }
    }
}

/// Whether a server is meant: `http://host`, `host:8000`, or `localhost`, unless a file is called so.
fn looks_like_url(text: &str) -> bool {
    let text = text.trim();
    if text.contains("://") {
        return true;
    }
    let (authority, _) = text.split_once('/').unwrap_or((text, ""));
    let host = match authority.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => host,
        _ if authority.eq_ignore_ascii_case("localhost") => authority,
        _ => return false,
    };
    !host.is_empty() && !Path::new(text).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_need_no_scheme() {
        for text in [
            "HTTP://a",
            "localhost:8820",
            "a.b:1/x",
            "[::1]:80",
            "localhost",
        ] {
            assert!(looks_like_url(text), "{text}");
        }
        for text in [".", "maze", "./maze", "maze.world:World", "a:99999", ":80"] {
            assert!(!looks_like_url(text), "{text}");
        }
    }
}
