//! What a suite is, which ones there are, and what they share.

use std::{cell::OnceCell, path::PathBuf, time::Duration};

use anyhow::Result;

use super::{cargo, client, docker, inspector, mcp, python, standin, validate, web, workers};
use crate::{
    venv::{GENERATIONS, Generation, MCP_SDKS},
    workspace::{self, Profile},
};

/// One line of the summary.
#[derive(Debug)]
pub(super) enum Suite {
    Format,
    Clippy,
    Features,
    Rust,
    Doctests,
    Docs,
    Workers,
    Docker,
    Standin,
    Python(&'static Generation),
    Mcp(&'static Generation),
    Inspector,
    Validate,
    Client,
    Web,
}

#[derive(Debug)]
pub(super) enum Outcome {
    Passed,
    /// What went wrong, in a line.
    Failed(String),
    /// Why it cannot run here.
    Skipped(String),
}

#[derive(Debug)]
pub(super) struct Report {
    pub(super) name: String,
    pub(super) outcome: Outcome,
    pub(super) duration: Duration,
}

/// What suites share: the server they judge, built at most once.
#[derive(Debug)]
pub(super) struct Context {
    against_reference: bool,
    binary: OnceCell<PathBuf>,
}

/// Every suite in the order of running: the quick ones that fail most often first.
pub(super) fn all() -> Vec<Suite> {
    let mut suites = vec![
        Suite::Format,
        Suite::Clippy,
        Suite::Features,
        Suite::Rust,
        Suite::Doctests,
        Suite::Docs,
        Suite::Workers,
        Suite::Docker,
        Suite::Standin,
    ];
    suites.extend(GENERATIONS.iter().map(Suite::Python));
    suites.extend(MCP_SDKS.iter().map(Suite::Mcp));
    suites.push(Suite::Inspector);
    suites.extend([Suite::Validate, Suite::Client, Suite::Web]);
    suites
}

impl Suite {
    pub(super) fn name(&self) -> String {
        match self {
            Self::Format => "fmt".into(),
            Self::Clippy => "clippy".into(),
            Self::Features => "features".into(),
            Self::Rust => "rust".into(),
            Self::Doctests => "doctests".into(),
            Self::Docs => "docs".into(),
            Self::Workers => "workers".into(),
            Self::Docker => "docker".into(),
            Self::Standin => "standin".into(),
            Self::Python(generation) => format!("python-{}", generation.name()),
            Self::Mcp(sdk) => sdk.name().into(),
            Self::Inspector => "mcp-inspector".into(),
            Self::Validate => "validate".into(),
            Self::Client => "client".into(),
            Self::Web => "web".into(),
        }
    }

    pub(super) fn run(&self, context: &Context) -> Result<Outcome> {
        match self {
            Self::Format => cargo::format(),
            Self::Clippy => cargo::clippy(),
            Self::Features => cargo::features(),
            Self::Rust => cargo::rust(),
            Self::Doctests => cargo::doctests(),
            Self::Docs => cargo::docs(),
            Self::Workers => workers::run(),
            Self::Docker => docker::run(),
            Self::Standin => standin::run(),
            Self::Python(generation) => python::run(generation, context),
            Self::Mcp(sdk) => mcp::run(sdk, context),
            Self::Inspector => inspector::run(context),
            Self::Validate => validate::run(context),
            Self::Client => client::run(context),
            Self::Web => web::run(context),
        }
    }
}

impl Context {
    pub(super) fn new(against_reference: bool) -> Self {
        Self {
            against_reference,
            binary: OnceCell::new(),
        }
    }

    /// Whether the reference server is judged instead of ours.
    pub(super) fn against_reference(&self) -> bool {
        self.against_reference
    }

    /// The program that answers to `openenv serve …`.
    pub(super) fn binary(&self) -> Result<PathBuf> {
        if let Some(binary) = self.binary.get() {
            return Ok(binary.clone());
        }
        let binary = if self.against_reference {
            workspace::reference_binary()
        } else {
            workspace::build_binary(Profile::Dev)?
        };
        Ok(self.binary.get_or_init(|| binary).clone())
    }
}
