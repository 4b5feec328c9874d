//! The check of a package: what it declares and, once it runs, how it behaves.

use std::fmt;
use std::path::Path;
use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::episode::Transcript;
use crate::launch::Launcher;
use crate::live::Schemas;
use crate::manifest::Manifest;
use crate::plan::Plan;
use crate::policy::{Level, Policy};
use crate::report::{CheckResult, PackageReport, Status};

mod artifacts;
mod declared;
mod detect;
mod digest;
mod grade;
mod judge;
mod run;

use self::digest::Source;
use self::run::Run;

/// How a package is checked.
#[derive(Clone, Copy)]
#[non_exhaustive]
pub struct PackageOptions<'a> {
    /// How far. Default: all levels.
    pub level: Level,
    /// Whether nothing is built: what needs an image is skipped. Default: no.
    pub skip_build: bool,
    /// The policy. Default: the first for static checks, else the second.
    pub policy: Option<Policy>,
    /// What gets the environment running; without it, checks that need that are skipped.
    pub launcher: Option<&'a dyn Launcher>,
}

impl Default for PackageOptions<'_> {
    fn default() -> Self {
        Self {
            level: Level::Semantic,
            skip_build: false,
            policy: None,
            launcher: None,
        }
    }
}

impl fmt::Debug for PackageOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PackageOptions")
            .field("level", &self.level)
            .field("skip_build", &self.skip_build)
            .field("policy", &self.policy)
            .field("launcher", &self.launcher.map(Launcher::place))
            .finish()
    }
}

/// Why a package cannot be checked at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PackageError {
    /// It is none, or of a kind that is not known here.
    Unrecognized(String),
    /// The policy has no answer to what was asked for.
    Policy(String),
}

impl fmt::Display for PackageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unrecognized(message) | Self::Policy(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for PackageError {}

/// A report, and what it rests on.
#[derive(Debug)]
pub struct PackageRun {
    report: PackageReport,
    plan: Option<Plan>,
    episode: Option<Transcript>,
    schemas: Schemas,
    provider: Map<String, Value>,
    cleanup: Value,
}

impl PackageRun {
    /// What came of it.
    pub fn report(&self) -> &PackageReport {
        &self.report
    }
}

/// Checks a package.
///
/// # Errors
/// If it is no package, or the policy does not go with the level.
pub async fn check_package(
    root: &Path,
    options: &PackageOptions<'_>,
) -> Result<PackageRun, PackageError> {
    let runs = options.level >= Level::Runtime;
    let default = if runs { Policy::V2 } else { Policy::V1 };
    let policy = options.policy.unwrap_or(default);
    if runs && policy == Policy::V1 {
        let level = options.level.name();
        return Err(PackageError::Policy(format!(
            "the policy v1 is for `--level static`; `--level {level}` needs v2"
        )));
    }
    detect::detect(root).map_err(PackageError::Unrecognized)?;
    let prepared = match options.launcher.filter(|_| runs) {
        Some(launcher) => launcher.prepare(root).await,
        None => Ok(()),
    };
    let begun = Instant::now();
    let before = Source::read(root);
    let declared = match &before {
        Ok(_) => Some(Manifest::load(root)),
        Err(_) => None,
    };
    let mut run = Run {
        root,
        options,
        prepared,
        manifest: None,
        results: Vec::new(),
        levels: vec![Level::Static],
        plan: None,
        live: None,
        schemas: Schemas::default(),
        tools: None,
        provider: Map::new(),
        cleanup: json!({ "required": false, "completed": true }),
    };
    run.declare(declared, &before, begun);
    if runs {
        match &before {
            Ok(before) => {
                run.start().await;
                let after = Source::read(root);
                run.complete();
                run.compare(before, after);
            }
            Err(error) => {
                let problem = format!("the package could not be read: {error}");
                run.results
                    .push(CheckResult::new("runtime.startup", Status::Error, problem));
                run.complete();
            }
        }
    }
    let digest = before.map(|before| before.digest).unwrap_or_default();
    Ok(run.report(policy, digest))
}
