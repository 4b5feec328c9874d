//! How a container is run.

use std::time::Duration;

use openenv::provider::Docker;

use crate::args::RunArgs;
use crate::value::{TypedVariable, Variable};

/// What `openenv run` runs.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a flag of the command by itself"
)]
pub(crate) struct RunConfig {
    pub(crate) image: String,
    /// Those that have a value. Default: none.
    pub(crate) variables: Vec<Variable>,
    /// Of this machine; 0 for any free one. Default: 0.
    pub(crate) port: u16,
    /// Inside of the container. Default: 8000.
    pub(crate) container_port: u16,
    /// In bytes. Default: no limit.
    pub(crate) memory: Option<u64>,
    /// Default: no limit.
    pub(crate) cpus: Option<f64>,
    /// Default: no limit.
    pub(crate) pids: Option<u32>,
    /// Default: bridge.
    pub(crate) network: String,
    /// Default: no.
    pub(crate) read_only: bool,
    /// Default: yes.
    pub(crate) confined: bool,
    /// Default: no.
    pub(crate) pull: bool,
    /// Default: 30 seconds.
    pub(crate) start_timeout: Duration,
    /// Default: 10 seconds.
    pub(crate) stop_timeout: Duration,
    /// Default: those of the image.
    pub(crate) arguments: Vec<String>,
    /// Whether to say where it is. Default: yes.
    pub(crate) banner: bool,
}

impl RunConfig {
    pub(super) fn new(args: RunArgs, banner: bool) -> Self {
        let variables = args.variables.into_iter();
        let variables = variables.filter_map(TypedVariable::resolve);
        Self {
            image: args.image,
            variables: variables.collect(),
            port: args.port,
            container_port: args.container_port,
            memory: args.memory.map(|size| size.0 as u64),
            cpus: args.cpus,
            pids: args.pids,
            network: args.network,
            read_only: args.read_only,
            confined: !args.unconfined,
            pull: args.pull,
            start_timeout: args.start_timeout.0,
            stop_timeout: args.stop_timeout.0,
            arguments: args.arguments,
            banner,
        }
    }

    /// What carries it out.
    pub(crate) fn provider(&self) -> Docker {
        let mut docker = Docker::image(&self.image)
            .command(&self.arguments)
            .network(&self.network)
            .host_port(self.port)
            .port(self.container_port)
            .read_only(self.read_only)
            .confined(self.confined)
            .pull(self.pull)
            .show_output(true)
            .start_timeout(self.start_timeout)
            .stop_timeout(self.stop_timeout)
            // It would name the port that it has in there.
            .env(openenv_serve::vars::NO_BANNER, "true");
        for variable in &self.variables {
            docker = docker.env(&variable.name, &variable.value);
        }
        if let Some(bytes) = self.memory {
            docker = docker.memory(bytes);
        }
        if let Some(cpus) = self.cpus {
            docker = docker.cpus(cpus);
        }
        if let Some(pids) = self.pids {
            docker = docker.pids(pids);
        }
        docker
    }
}
