//! The recorded exchanges, against the environments that they were recorded from.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use openenv::Mode;

use super::installed::{Installed, OPENENV, STANDIN};
use super::serving::{project, serve};
use crate::differences::{self, Language};
use crate::replay::{Target, replay};
use crate::support::TestServer;

/// How a probe was served when it was recorded.
struct Recorded {
    server: &'static str,
    /// The module of the probe
    module: &'static str,
    mode: Mode,
    variables: &'static [(&'static str, &'static str)],
}

async fn check(recorded: Recorded, python: Installed) {
    let flag = (recorded.server == "echo-sim-factoryflag").then(|| factory_flag(python));
    let mut variables: BTreeMap<_, _> = recorded
        .variables
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    if let Some(flag) = &flag {
        let flag = flag.display().to_string();
        variables.insert("WIRE_FACTORY_FLAG".to_owned(), flag);
    }
    let project = project("probes", &format!("{}:app", recorded.module)).unwrap();
    let builder = serve(&project, python, variables).await;
    let server = TestServer::start(builder.mode(recorded.mode)).await;
    let target = Target {
        base: server.url(),
        factory_flag: flag,
    };
    let differences = differences::of(Language::Python);
    let mismatches = replay(recorded.server, &target, &differences).await;
    server.stop().await;
    assert!(
        mismatches.is_empty(),
        "{} rows do not agree:\n\n{}",
        mismatches.len(),
        mismatches.join("\n\n")
    );
}

/// The file that makes the factory fail, which it does not yet.
fn factory_flag(python: Installed) -> PathBuf {
    let name = format!("factory-flag-{}", python.0);
    let flag = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_file(&flag);
    flag
}

/// A test for each recorded server, with the package that was recorded and without it.
macro_rules! recordings {
    ($($test:ident: $server:literal, $module:literal, $mode:ident, $variables:expr;)*) => {
        recordings!(@with real, OPENENV, $($test: $server, $module, $mode, $variables;)*);
        recordings!(@with standin, STANDIN, $($test: $server, $module, $mode, $variables;)*);

        /// The servers that are replayed.
        const SERVERS: &[&str] = &[$($server),*];
    };
    (@with $python:ident, $installed:expr, $($test:ident: $server:literal, $module:literal, $mode:ident, $variables:expr;)*) => {
        mod $python {
            use super::*;

            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs packages of Python: `cargo xtask test workers`"]
                async fn $test() {
                    let recorded = Recorded {
                        server: $server,
                        module: $module,
                        mode: Mode::$mode,
                        variables: &$variables,
                    };
                    check(recorded, $installed).await;
                }
            )*
        }
    };
}

recordings! {
    echo_simulation: "echo-sim", "echo", Simulation, [];
    echo_production: "echo-prod", "echo", Production, [];
    echo_with_a_failing_factory: "echo-sim-factoryflag", "echo", Simulation, [];
    plain: "plain-sim", "plain", Simulation, [];
    asynchronous: "async-sim", "asyncenv", Simulation, [];
    tasks: "tasks-sim", "tasks", Simulation, [];
    tools_in_simulation: "mcp-sim", "mcpenv", Simulation, [];
    tools_in_production: "mcp-prod", "mcpenv", Production, [];
    tools_that_know_of_simulation:
        "mcp-sim-envmode-sim", "mcpenv", Simulation, [("WIRE_ENV_MODE", "simulation")];
    tools_that_know_of_production:
        "mcp-prod-envmode-prod", "mcpenv", Production, [("WIRE_ENV_MODE", "production")];
    tools_beside_an_empty_action:
        "mcp-sim-actionbase", "mcpenv", Simulation, [("WIRE_ACTION", "action")];
    tools_beside_an_action:
        "mcp-sim-customaction", "mcpenv", Simulation, [("WIRE_ACTION", "custom")];
    tools_as_actions: "mcpstyle-sim", "mcpstyle", Simulation, [];
    tools_of_a_server: "mcpserveronly-sim", "mcpserveronly", Simulation, [];
}

#[test]
fn every_recorded_server_is_replayed() {
    for row in crate::golden::all_rows() {
        assert!(SERVERS.contains(&&*row.server), "{}", row.server);
    }
}
