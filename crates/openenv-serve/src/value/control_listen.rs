//! The address of the routes that control sessions.

use std::fmt;
use std::str::FromStr;

/// Where the routes that control sessions are served, if not with the others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ControlListen {
    /// Nowhere.
    Off,
    /// On an address of their own.
    At {
        /// Name or address of this machine.
        host: String,
        /// 0 for any free one.
        port: u16,
    },
}

impl fmt::Display for ControlListen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::At { host, port } if host.contains(':') => write!(f, "[{host}]:{port}"),
            Self::At { host, port } => write!(f, "{host}:{port}"),
        }
    }
}

impl FromStr for ControlListen {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text.eq_ignore_ascii_case("off") {
            return Ok(Self::Off);
        }
        let (host, port) = text
            .rsplit_once(':')
            .ok_or("expected `HOST:PORT`, as `127.0.0.1:8001`, or `off`")?;
        let host = host.trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err("the host is missing: `127.0.0.1:8001` is for this machine, `0.0.0.0:8001` for every interface".to_owned());
        }
        let port = port
            .parse()
            .map_err(|_| format!("`{port}` is no port: use 0 to 65535"))?;
        let host = host.to_owned();
        Ok(Self::At { host, port })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_is_somewhere_or_off() {
        let at = |host: &str, port| {
            let host = host.to_owned();
            Ok(ControlListen::At { host, port })
        };
        assert_eq!("OFF".parse(), Ok(ControlListen::Off));
        assert_eq!("127.0.0.1:0".parse(), at("127.0.0.1", 0));
        assert_eq!("[::1]:8001".parse(), at("::1", 8001));
        for bad in ["", "8001", ":8001", "localhost:", "localhost:99999"] {
            assert!(bad.parse::<ControlListen>().is_err(), "{bad}");
        }
    }
}
