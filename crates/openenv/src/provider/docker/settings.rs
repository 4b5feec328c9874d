//! What a container is to be like.

use std::collections::HashMap;
use std::net::Ipv4Addr;

use bollard::models::{
    ContainerCreateBody, ContainerInspectResponse, HostConfig, HostConfigLogConfig, PortBinding,
};

use super::owner::Owner;
use crate::error::{Error, Result};

/// Where a server is published.
pub(super) const HOST: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// How much of a log is kept, whatever the engine would do otherwise: none, or more than the disk has.
const LOG_SIZE: &str = "10m";

/// Billionths of a processor, in which the engine counts.
const NANO_CPUS: f64 = 1e9;

/// What a container is to be like.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) image: String,
    pub(super) command: Vec<String>,
    pub(super) variables: Vec<(String, String)>,
    pub(super) labels: Vec<(String, String)>,
    pub(super) memory: Option<u64>,
    pub(super) cpus: Option<f64>,
    pub(super) pids: Option<u32>,
    pub(super) network: Option<String>,
    pub(super) port: u16,
    pub(super) host_port: u16,
    pub(super) read_only: bool,
    pub(super) confined: bool,
    pub(super) init: bool,
}

impl Settings {
    pub(super) fn new(image: String) -> Self {
        Self {
            image,
            command: Vec::new(),
            variables: Vec::new(),
            labels: Vec::new(),
            memory: None,
            cpus: None,
            pids: None,
            network: None,
            port: 8000,
            host_port: 0,
            read_only: false,
            confined: true,
            init: true,
        }
    }

    /// Whether it has the network of this machine, and with it its ports.
    pub(super) fn shares_network(&self) -> bool {
        self.network.as_deref() == Some("host")
    }

    /// What can be known to be wrong without the engine.
    pub(super) fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::configuration(message));
        if let Some(cpus) = self.cpus
            && !(cpus.is_finite() && cpus > 0.0)
        {
            return wrong(format!("a container cannot have {cpus} processors"));
        }
        if self.memory == Some(0) || self.pids == Some(0) {
            return wrong("a container cannot run without memory or processes".to_owned());
        }
        if self.network.as_deref() == Some("none") {
            return wrong(
                "a server cannot be reached without a network; choose another than `none`"
                    .to_owned(),
            );
        }
        if self.shares_network() && self.host_port != 0 && self.host_port != self.port {
            return wrong(format!(
                "on the network `host` a server has its own port, {}, and no other",
                self.port
            ));
        }
        Ok(())
    }

    /// What the engine is asked for.
    pub(super) fn body(&self) -> ContainerCreateBody {
        let mut variables = self.variables.clone();
        if self.shares_network() {
            // There is no port to publish on the loopback interface alone.
            for (name, value) in [("HOST", HOST.to_string()), ("PORT", self.port.to_string())] {
                if !variables.iter().any(|(known, _)| known == name) {
                    variables.push((name.to_owned(), value));
                }
            }
        }
        let mut labels: HashMap<_, _> = self.labels.iter().cloned().collect();
        // Last: nobody else says who the owner is.
        labels.extend(Owner::this().labels());
        ContainerCreateBody {
            image: Some(self.image.clone()),
            cmd: (!self.command.is_empty()).then(|| self.command.clone()),
            env: Some(
                variables
                    .into_iter()
                    .map(|(name, value)| format!("{name}={value}"))
                    .collect(),
            ),
            labels: Some(labels),
            exposed_ports: (!self.shares_network()).then(|| vec![self.container_port()]),
            host_config: Some(self.host_config()),
            ..ContainerCreateBody::default()
        }
    }

    fn host_config(&self) -> HostConfig {
        let memory = self
            .memory
            .map(|bytes| i64::try_from(bytes).unwrap_or(i64::MAX));
        #[expect(
            clippy::cast_possible_truncation,
            reason = "more processors than any machine has are as good as no limit"
        )]
        let nano_cpus = self.cpus.map(|cpus| (cpus * NANO_CPUS).ceil() as i64);
        HostConfig {
            memory,
            // The same, so that swap makes it no more.
            memory_swap: memory,
            nano_cpus,
            pids_limit: self.pids.map(i64::from),
            network_mode: self.network.clone(),
            port_bindings: (!self.shares_network()).then(|| {
                let binding = PortBinding {
                    host_ip: Some(HOST.to_string()),
                    // Empty: any that is free. The engine chooses, so nobody else can take it.
                    host_port: Some(match self.host_port {
                        0 => String::new(),
                        port => port.to_string(),
                    }),
                };
                HashMap::from([(self.container_port(), Some(vec![binding]))])
            }),
            readonly_rootfs: Some(self.read_only),
            // Libraries expect to be able to write there.
            tmpfs: self.read_only.then(|| {
                HashMap::from([("/tmp".to_owned(), "rw,nosuid,nodev,mode=1777".to_owned())])
            }),
            cap_drop: self.confined.then(|| vec!["ALL".to_owned()]),
            security_opt: self.confined.then(|| vec!["no-new-privileges".to_owned()]),
            init: Some(self.init),
            log_config: Some(HostConfigLogConfig {
                typ: Some("json-file".to_owned()),
                config: Some(HashMap::from([(
                    "max-size".to_owned(),
                    LOG_SIZE.to_owned(),
                )])),
            }),
            ..HostConfig::default()
        }
    }

    fn container_port(&self) -> String {
        format!("{}/tcp", self.port)
    }

    /// The port of this machine that leads to the server, while it runs.
    pub(super) fn published(&self, seen: &ContainerInspectResponse) -> Option<u16> {
        if self.shares_network() {
            return Some(self.port);
        }
        let ports = seen.network_settings.as_ref()?.ports.as_ref()?;
        let bindings = ports.get(&self.container_port())?.as_ref()?;
        bindings.first()?.host_port.as_ref()?.parse().ok()
    }
}
