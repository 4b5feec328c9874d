//! However a command ends, its processes end with it.

use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;
use std::time::Instant;

use super::refusals::slow_package;
use super::{Bench, Session, package, signal};
use crate::serving::{PATIENCE, Serving};

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn no_process_outlives_a_server() {
    let bench = Bench::new();
    for (name, code) in [("-TERM", Some(0)), ("-INT", Some(0)), ("-KILL", None)] {
        let server = Serving::start(bench.openenv("serve --port 0", package("script_entry")));
        let mut session = Session::open(&server.url);
        session.ask(r#"{"type":"reset"}"#);
        assert!(!bench.workers().is_empty(), "nothing would be noticed");
        signal(name, server.id());
        let (status, stderr) = server.wait();
        assert_eq!(status.code(), code, "{stderr}");
        bench.assert_nothing_is_left();
    }
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_server_that_starts_can_be_stopped() {
    let bench = Bench::new();
    let package = slow_package();
    let mut command = bench.openenv("serve --port 0", package.path());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    said.read_line(&mut line).unwrap();
    assert!(line.starts_with("importing "), "{line}");
    let start = Instant::now();
    signal("-TERM", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(1));
    assert!(start.elapsed() < PATIENCE);
    said.read_to_string(&mut line).unwrap();
    assert!(
        line.contains("error: stopped before the server was ready"),
        "{line}"
    );
    let mut url = String::new();
    child.stdout.unwrap().read_to_string(&mut url).unwrap();
    assert_eq!(url, "", "it was never ready");
    bench.assert_nothing_is_left();
}
