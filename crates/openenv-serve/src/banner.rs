//! What a server says once it listens: where things are, how to try them.

use std::fmt;
use std::io::{IsTerminal, stdout};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use anyhow::Result;
use openenv::Mode;
use owo_colors::OwoColorize;

use crate::config::ServerConfig;
use crate::service::Served;
use crate::ui;

/// Where the environments of a running server are.
pub(crate) struct Banner<'a> {
    config: &'a ServerConfig,
    address: SocketAddr,
    served: &'a [Served],
    base: String,
    /// Where sessions can be controlled, if they can.
    control: Option<String>,
    /// Where the page is, if there is one.
    web: Option<String>,
}

/// Where a server listens, for whom.
pub(crate) struct Addresses {
    pub(crate) agents: SocketAddr,
    /// For those who control sessions.
    pub(crate) control: Option<SocketAddr>,
    /// For people with a browser.
    pub(crate) web: Option<SocketAddr>,
}

impl<'a> Banner<'a> {
    pub(crate) fn new(
        config: &'a ServerConfig,
        addresses: &Addresses,
        served: &'a [Served],
    ) -> Self {
        Self {
            config,
            address: addresses.agents,
            served,
            base: base(addresses.agents),
            control: addresses.control.map(base),
            web: addresses.web.map(base),
        }
    }

    /// Tells people, scripts and logs that the server can be used.
    pub(crate) fn announce(&self) -> Result<()> {
        if self.config.banner {
            ui::to_stderr(&self.to_string());
        } else {
            let control = self.control.as_deref().unwrap_or("off");
            tracing::info!(url = self.base, control, mode = %self.config.mode, "listening");
        }
        if !stdout().is_terminal() {
            ui::data(&self.base)?;
        }
        Ok(())
    }

    /// URL of an environment on a server: the first one answers at the root.
    fn url(&self, base: &str, index: usize) -> String {
        match index {
            0 => base.to_owned(),
            _ => format!("{base}/envs/{}", self.served[index].name),
        }
    }

    fn environment(&self, f: &mut fmt::Formatter<'_>, index: usize) -> fmt::Result {
        let environment = &self.served[index];
        writeln!(
            f,
            "{}  {}",
            environment.name.bold(),
            environment.description
        )?;
        let http = self.url(&self.base, index);
        let places = format!("free places, of {}", environment.sessions);
        let facts = environment.facts();
        let mut rows: Vec<(&str, String, &str)> = facts
            .iter()
            .map(|fact| (fact.label, fact.fact.clone(), &*fact.remark))
            .collect();
        if let Some(web) = &self.web {
            let page = format!("{}/web/", self.url(web, index));
            rows.push(("web", page, "to try and watch it in a browser"));
        }
        rows.push(("API", http.clone(), "base URL for clients"));
        if environment.has_tools {
            rows.push((
                "MCP",
                format!("{http}/mcp"),
                "tools, for MCP clients and in JSON-RPC",
            ));
        }
        let control = self.control.as_ref().map(|base| self.url(base, index));
        if let Some(control) = &control {
            let websocket = control.replacen("http", "ws", 1);
            rows.push((
                "WebSocket",
                format!("{websocket}/ws"),
                "one session for each socket",
            ));
        }
        rows.extend([
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
        ]);
        if let Some(control) = &control {
            rows.push((
                "sessions",
                format!("{control}/sessions"),
                "who is connected",
            ));
        }
        rows.push(("capacity", format!("{http}/capacity"), &places));
        let width = rows.iter().map(|row| row.1.len()).max().unwrap_or_default();
        for (label, url, purpose) in rows {
            writeln!(f, "  {label:<9}  {url:<width$}  {}", purpose.dimmed())?;
        }
        Ok(())
    }

    fn examples(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            base,
            config,
            control,
            ..
        } = self;
        let first = &self.served[0];
        let json = "-H 'content-type: application/json'";
        // At the margin, so that they can be pasted.
        writeln!(f, "{}", "From a shell:".bold())?;
        match (control, &first.example) {
            (Some(control), Some(example)) if config.mode == Mode::Simulation => writeln!(
                f,
                "curl {control}/step {json} -d '{{\"action\": {}}}'",
                example.json.replace('\'', r"'\''")
            )?,
            _ if first.has_tools => writeln!(
                f,
                "curl {base}/mcp {json} -d '{{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}}'"
            )?,
            _ => writeln!(f, "curl {base}/metadata")?,
        }
        let Some(base) = control else {
            return Ok(());
        };
        writeln!(f)?;
        writeln!(f, "{}", "From Python, with `pip install openenv`:".bold())?;
        writeln!(f, "from openenv import GenericEnvClient")?;
        writeln!(
            f,
            "with GenericEnvClient(base_url=\"{base}\").sync() as env:"
        )?;
        match &first.example {
            Some(example) => {
                writeln!(f, "    env.reset()")?;
                writeln!(f, "    print(env.step({}))", example.python)
            }
            None => writeln!(f, "    print(env.reset())"),
        }
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
        for index in 0..self.served.len() {
            writeln!(f)?;
            self.environment(f, index)?;
        }
        writeln!(f)?;
        self.examples(f)?;
        writeln!(f)
    }
}

/// Base URL of a server, for clients on this machine.
fn base(address: SocketAddr) -> String {
    let host = reachable(address.ip());
    format!("http://{}", SocketAddr::new(host, address.port()))
}

/// An address that a client on this machine can connect to.
pub(crate) fn reachable(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(Ipv4Addr::UNSPECIFIED) => Ipv4Addr::LOCALHOST.into(),
        IpAddr::V6(Ipv6Addr::UNSPECIFIED) => Ipv6Addr::LOCALHOST.into(),
        other => other,
    }
}
