//! The environments that come with the command.

use std::net::SocketAddr;
use std::sync::Arc;

use openenv::{Environment, Metadata, ServerBuilder};
use openenv_benchmark::Benchmark;
use openenv_documents::Documents;
use openenv_echo::Echo;

/// One environment that can be served by name.
#[derive(Debug)]
pub(crate) struct Bundled {
    /// What it is called on the command line and in URLs.
    pub(crate) name: &'static str,
    /// Other spellings of the name.
    pub(crate) aliases: &'static [&'static str],
    /// An action to try, in JSON that is valid Python as well.
    pub(crate) example: &'static str,
    /// Whether it can serve more than one session.
    pub(crate) concurrent: bool,
    /// How many tools it has, over all modes.
    pub(crate) tools: fn() -> usize,
    /// What it says about itself.
    pub(crate) metadata: fn() -> Metadata,
    /// Adds it to a server that listens at the address.
    pub(crate) add: fn(ServerBuilder, SocketAddr) -> ServerBuilder,
}

/// Every bundled environment; the first one is the default.
pub(crate) static ENVIRONMENTS: [Bundled; 3] = [
    Bundled {
        name: "echo",
        aliases: &["echo_env", "echo-env"],
        example: r#"{"message": "Hello"}"#,
        concurrent: Echo::CONCURRENT,
        tools: || Echo::tools().len(),
        metadata: Echo::metadata,
        add: |builder, _| builder.environment("echo", Echo::default),
    },
    Bundled {
        name: "documents",
        aliases: &["documents_env", "documents-env"],
        example: r#"{"tool_name": "search", "arguments": {"query": "silent flight"}}"#,
        concurrent: Documents::CONCURRENT,
        tools: || Documents::tools().len(),
        metadata: Documents::metadata,
        add: |builder, _| builder.environment("documents", Documents::default),
    },
    Bundled {
        name: "benchmark",
        aliases: &["benchmark_env", "benchmark-env"],
        example: r#"{"wait_seconds": 0.1}"#,
        concurrent: Benchmark::CONCURRENT,
        tools: || Benchmark::tools().len(),
        metadata: Benchmark::metadata,
        add: |builder, address| {
            let host: Arc<str> = host_url(address).into();
            builder.environment("benchmark", move || Benchmark::on(Arc::clone(&host)))
        },
    },
];

/// Finds an environment by its name or another spelling of it.
pub(crate) fn find(name: &str) -> Option<&'static Bundled> {
    ENVIRONMENTS.iter().find(|environment| {
        environment.name.eq_ignore_ascii_case(name)
            || environment
                .aliases
                .iter()
                .any(|alias| alias.eq_ignore_ascii_case(name))
    })
}

/// Name of this host and the port: what tells the servers of a load test apart.
fn host_url(address: SocketAddr) -> String {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    match host.trim() {
        "" => address.to_string(),
        host => format!("{host}:{}", address.port()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_spellings() {
        for name in ["echo", "echo_env", "echo-env", "Echo_Env"] {
            assert_eq!(find(name).map(|found| found.name), Some("echo"), "{name}");
        }
        assert!(find("ecko").is_none());
    }

    #[test]
    fn examples_are_json_objects() {
        for environment in &ENVIRONMENTS {
            let example: serde_json::Value = serde_json::from_str(environment.example).unwrap();
            assert!(example.is_object(), "{}", environment.name);
        }
    }
}
