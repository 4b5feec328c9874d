//! What `openenv serve` says once it listens: where things are, how to try them.

use std::fmt;
use std::io::{IsTerminal, stdout};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::Result;
use openenv::Mode;
use owo_colors::OwoColorize;

use crate::config::ServeConfig;
use crate::ui;

/// Where the environments of a running server are.
#[derive(Debug)]
pub(crate) struct Banner<'a> {
    config: &'a ServeConfig,
    address: SocketAddr,
    sessions: &'a [usize],
    base: String,
}

impl<'a> Banner<'a> {
    /// `sessions` are the maxima of the environments, in their order.
    pub(crate) fn new(config: &'a ServeConfig, address: SocketAddr, sessions: &'a [usize]) -> Self {
        let host = reachable(address.ip());
        Self {
            config,
            address,
            sessions,
            base: format!("http://{}", SocketAddr::new(host, address.port())),
        }
    }

    /// Tells people, scripts and logs that the server can be used.
    pub(crate) fn announce(&self) -> Result<()> {
        if self.config.banner {
            ui::to_stderr(&self.to_string());
        } else {
            tracing::info!(url = self.base, mode = %self.config.mode, "listening");
        }
        if !stdout().is_terminal() {
            ui::data(&self.base)?;
        }
        Ok(())
    }

    /// Base URL of an environment: the first one answers at the root.
    fn url(&self, index: usize) -> String {
        match index {
            0 => self.base.clone(),
            _ => format!(
                "{}/envs/{}",
                self.base, self.config.environments[index].name
            ),
        }
    }

    fn environment(&self, f: &mut fmt::Formatter<'_>, index: usize) -> fmt::Result {
        let environment = self.config.environments[index];
        let description = (environment.metadata)().description;
        writeln!(f, "{}  {description}", environment.name.bold())?;
        let http = self.url(index);
        let websocket = http.replacen("http", "ws", 1);
        let places = self.sessions.get(index).map_or_else(
            || "free places".to_owned(),
            |maximum| format!("free places, of {maximum}"),
        );
        let mut rows = vec![
            ("API", http.clone(), "base URL for clients"),
            (
                "WebSocket",
                format!("{websocket}/ws"),
                "one session for each socket",
            ),
            (
                "docs",
                format!("{http}/docs"),
                "every route, to try in a browser",
            ),
            (
                "schema",
                format!("{http}/schema"),
                "actions, observations and state",
            ),
            ("health", format!("{http}/health"), "for probes"),
            ("sessions", format!("{http}/sessions"), "who is connected"),
            ("capacity", format!("{http}/capacity"), &places),
        ];
        if self.config.mode == Mode::Production {
            rows.insert(2, ("MCP", format!("{http}/mcp"), "sessions, over JSON-RPC"));
        }
        let width = rows.iter().map(|row| row.1.len()).max().unwrap_or_default();
        for (label, url, purpose) in rows {
            writeln!(f, "  {label:<9}  {url:<width$}  {}", purpose.dimmed())?;
        }
        Ok(())
    }

    fn examples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { base, config, .. } = self;
        let example = config.environments[0].example;
        // At the margin, so that they can be pasted.
        writeln!(f, "{}", "From a shell:".bold())?;
        if config.mode == Mode::Production {
            writeln!(f, "curl {base}/metadata")?;
        } else {
            writeln!(
                f,
                "curl {base}/step -H 'content-type: application/json' \
                 -d '{{\"action\": {example}}}'"
            )?;
        }
        writeln!(f)?;
        writeln!(f, "{}", "From Python, with `pip install openenv`:".bold())?;
        writeln!(f, "from openenv import GenericEnvClient")?;
        writeln!(
            f,
            "with GenericEnvClient(base_url=\"{base}\").sync() as env:"
        )?;
        writeln!(f, "    env.reset()")?;
        writeln!(f, "    print(env.step({example}))")
    }
}

impl fmt::Display for Banner<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "openenv {} listens on {} in {} mode; Ctrl-C stops it",
            env!("CARGO_PKG_VERSION"),
            self.address,
            self.config.mode
        )?;
        for index in 0..self.config.environments.len() {
            writeln!(f)?;
            self.environment(f, index)?;
        }
        writeln!(f)?;
        self.examples(f)?;
        writeln!(f)
    }
}

/// An address that a client on this machine can connect to.
fn reachable(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        other => other,
    }
}
