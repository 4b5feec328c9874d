//! What an error that a server caused means to the user.

use openenv::{Endpoint, Error};
use openenv_serve::Failure;

/// The code of an error, as people and programs are told it.
pub(crate) fn code(error: &Error) -> &str {
    // On the wire it is an execution error as any other.
    if error.is_timeout() {
        "TIMEOUT"
    } else {
        error.code()
    }
}

/// An error on one line, with everything that does not fit.
pub(crate) fn said(error: &Error) -> String {
    let violations: Vec<_> = error.violations().iter().map(ToString::to_string).collect();
    match violations.as_slice() {
        [] => error.to_string(),
        violations => violations.join(", "),
    }
}

/// What is said of a server that speaks HTTP, but not this protocol.
const NO_WEBSOCKET: &[&str] = &["instead of opening a WebSocket", "WebSocket protocol error"];

/// What can be done about an error with this code and text, where that is known.
pub(crate) fn hint(code: &str, said: &str) -> Option<&'static str> {
    // The library does not tell these apart: they are all failures to connect.
    let says = |parts: &[&str]| parts.iter().any(|part| said.contains(part));
    if says(&["Too many open files", "os error 24"]) {
        return Some(
            "it is this client that may not open more files, not the server: `ulimit -n` shows \
             and raises its limit",
        );
    }
    if says(&[
        "InvalidContentType",
        "record overflow",
        "wrong version number",
    ]) {
        return Some("the server does not speak TLS there; does it speak `http`?");
    }
    if says(&["answered 401", "answered 403"]) {
        return Some("`--header 'authorization: Bearer …'` sends a token");
    }
    if code == "INVALID_ANSWER" || says(NO_WEBSOCKET) {
        return Some("this does not look like an OpenEnv server; check the URL and its path");
    }
    match code {
        "CONNECTION_ERROR" => {
            Some("check the URL and that the server runs; `openenv list` shows what needs none")
        }
        "CAPACITY_REACHED" => {
            Some("every place of the server is taken: try again later, or let it have more")
        }
        "TIMEOUT" => Some("`--message-timeout` says how long a reply may take"),
        _ => None,
    }
}

/// An error that ends the command: the server could not be talked to.
pub(crate) fn fatal(endpoint: &Endpoint, error: &Error) -> anyhow::Error {
    let said = said(error);
    match hint(code(error), &said) {
        None => anyhow::Error::msg(said),
        Some(hint) if error.is_connection() => {
            Failure::new(format!("could not reach {endpoint}"), hint)
                .because(said)
                .into()
        }
        Some(hint) => Failure::new(said, hint).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hint_is_about_what_went_wrong() {
        for (code, said, expected) in [
            ("CONNECTION_ERROR", "Connection refused", "check the URL"),
            ("CONNECTION_ERROR", "Too many open files", "`ulimit -n`"),
            ("CONNECTION_ERROR", "InvalidContentType", "`http`"),
            ("INVALID_ANSWER", "answered 404", "OpenEnv server"),
            ("INVALID_ANSWER", "answered 401", "`--header"),
            ("TIMEOUT", "", "`--message-timeout`"),
        ] {
            assert!(hint(code, said).unwrap().contains(expected), "{said}");
        }
        assert_eq!(hint("EXECUTION_ERROR", "it was asked to fail"), None);
    }
}
