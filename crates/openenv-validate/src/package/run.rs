//! One check of a package, from its manifest to its report.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use super::digest::Source;
use super::{PackageOptions, PackageRun, declared, grade, judge};
use crate::finding::Outcome;
use crate::launch::{LaunchError, Limits, Package, Place, Running};
use crate::live::{self, Live, Schemas, Subject};
use crate::manifest::{self, Manifest};
use crate::plan::Plan;
use crate::policy::{self, Level, Policy};
use crate::report::{CheckResult, PackageReport, Status};
use crate::running::schemas_of;
use crate::script::{Origin, Script};
use crate::server::Server;
use crate::tools::{self, Listing};

/// How long an answer over HTTP may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a reply may take where the manifest declares nothing.
const REPLY_PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of `/schema`, as for the reference.
const MAX_SCHEMA: usize = 1024 * 1024;

/// A check that goes on.
pub(super) struct Run<'a> {
    pub(super) root: &'a Path,
    pub(super) options: &'a PackageOptions<'a>,
    /// What came of getting it ready to be started
    pub(super) prepared: Result<(), LaunchError>,
    pub(super) manifest: Option<Manifest>,
    pub(super) results: Vec<CheckResult>,
    pub(super) levels: Vec<Level>,
    pub(super) plan: Option<Plan>,
    pub(super) live: Option<Live>,
    pub(super) schemas: Schemas,
    pub(super) tools: Option<Listing>,
    pub(super) provider: Map<String, Value>,
    pub(super) cleanup: Value,
}

/// Why the environment does not run.
struct Refused(Status, String);

impl From<LaunchError> for Refused {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::Unsupported(reason) => Self(Status::Skip, reason),
            LaunchError::Startup(reason) => Self(Status::Fail, reason),
            LaunchError::Launcher(reason) => Self(Status::Error, reason),
        }
    }
}

impl Run<'_> {
    pub(super) fn declare(
        &mut self,
        declared: Option<Result<Manifest, manifest::ManifestError>>,
        source: &std::io::Result<Source>,
        begun: Instant,
    ) {
        let id = "static.manifest";
        let result = match declared {
            None => {
                let error = source.as_ref().err().map(ToString::to_string);
                let problem = format!(
                    "the package could not be read: {}",
                    error.unwrap_or_default()
                );
                let mut result = CheckResult::new(id, Status::Error, problem);
                result.remediation =
                    Some("keep files and directories in it, nothing else".to_owned());
                result
            }
            Some(Err(error)) => {
                let mut result = CheckResult::new(id, Status::Fail, "")
                    .measured("schema_errors", error.problems.len());
                result.evidence = error.problems;
                result.remediation = error.remediation.map(str::to_owned);
                result
            }
            Some(Ok(manifest)) => {
                let result = grade::manifest(&manifest);
                self.manifest = Some(manifest);
                result
            }
        };
        self.results.push(result.lasting(begun.elapsed()));
    }

    /// Gets the environment running, plays with it and stops it.
    pub(super) async fn start(&mut self) {
        let begun = Instant::now();
        let started = self.launch().await;
        let startup = match started {
            Err(Refused(status, reason)) => CheckResult::new("runtime.startup", status, reason),
            Ok((running, script)) => {
                let stop = running.stop;
                let mut startup = self.play(&running.url, script).await;
                let stopped = stop().await;
                self.cleanup = json!({ "required": true, "completed": stopped.is_ok() });
                if let Err(error) = stopped {
                    self.cleanup["reason"] = error.clone().into();
                    startup.status = Status::Error;
                    startup
                        .evidence
                        .push(format!("the environment could not be stopped: {error}"));
                }
                let measured = self.provider.clone();
                startup.measured.extend(measured);
                startup
            }
        };
        self.results.push(startup.lasting(begun.elapsed()));
    }

    async fn launch(&mut self) -> Result<(Running, Option<Script>), Refused> {
        let skip = |reason: &str| Refused(Status::Skip, reason.to_owned());
        let Some(launcher) = self.options.launcher else {
            return Err(skip("nothing is there to run the environment with"));
        };
        let place = launcher.place();
        if self.options.skip_build && place == Place::Container {
            return Err(skip("--skip-build: no image, so nothing was run"));
        }
        let execution = self
            .manifest
            .as_ref()
            .and_then(|manifest| manifest.execution.clone());
        if let Some(execution) = &execution {
            let plan = Plan::load(self.root, execution);
            self.plan = Some(plan.map_err(|error| Refused(Status::Fail, error))?);
            if execution.requires_credentials && place == Place::Container {
                return Err(skip(
                    "execution.requires_credentials: secrets are not handed to a container",
                ));
            }
        }
        let manifest = self.manifest.as_ref();
        let package = Package {
            root: self.root,
            execution: execution.as_ref(),
            limits: manifest.map(limits),
            without_network: manifest.is_some_and(|manifest| manifest.network.mode != "public"),
        };
        self.levels.push(Level::Runtime);
        self.prepared.clone()?;
        let running = launcher.start(package).await?;
        let name = match place {
            Place::Machine => "local",
            Place::Container => "container",
        };
        self.provider.clone_from(&running.measured);
        self.provider.insert("provider".to_owned(), name.into());
        Ok((running, self.plan.as_ref().map(Script::planned)))
    }

    async fn play(&mut self, url: &str, script: Option<Script>) -> CheckResult {
        let id = "runtime.startup";
        let timeout = self
            .manifest
            .as_ref()
            .map(|manifest| manifest.resources.episode_timeout_s);
        let patience = timeout
            .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
            .unwrap_or(REPLY_PATIENCE);
        let server = match Server::new(url, PATIENCE) {
            Ok(server) => server.reply_patience(patience),
            Err(error) => return CheckResult::new(id, Status::Error, error.to_string()),
        };
        let (schema, tools) = tokio::join!(server.get("/schema"), tools::list(&server));
        let schema = match schema {
            Ok(answer) => answer,
            Err(error) => {
                return CheckResult::new(id, Status::Fail, format!("schema failed: {error}"));
            }
        };
        let usable = schema.status == 200 && !schema.encoded && schema.size <= MAX_SCHEMA;
        if !usable || schema.get("observation").is_none() {
            let seen = format!(
                "schema failed: status {}, {} bytes; expected a schema of observations, not packed, up to {MAX_SCHEMA} bytes",
                schema.status, schema.size
            );
            return CheckResult::new(id, Status::Fail, seen);
        }
        self.schemas = schemas_of(&schema);
        let script =
            script.map_or_else(|| Script::made_up(&self.schemas.action, tools.tools()), Ok);
        let subject = Subject {
            server: server.clone(),
            schemas: self.schemas.clone(),
            tools,
            script,
            production: false,
        };
        let live = Box::pin(live::look(&subject)).await;
        self.tools = Some(subject.tools);
        let result = match (&subject.script, &live.episode.failure) {
            (Err(error), _) => {
                CheckResult::skip(id, format!("no action could be made up: {error}"))
            }
            (Ok(_), Some(failure)) => {
                let (phase, kind, seen) = (failure.phase, &failure.kind, &failure.seen);
                let mut result =
                    CheckResult::new(id, Status::Fail, format!("{phase} failed ({kind})"));
                result.evidence.push(seen.clone());
                result.remediation = Some(
                    "let the environment accept the actions that are planned for it".to_owned(),
                );
                result
            }
            (Ok(_), None) if live.episode.exchanges.is_empty() => {
                let reason = live.checks.first().map(|check| &check.outcome);
                let reason = match reason {
                    Some(Outcome::NotRun(reason)) => reason.clone(),
                    _ => "no episode was played".to_owned(),
                };
                CheckResult::new(id, Status::Fail, reason)
            }
            (Ok(script), None) => {
                let origin = match script.origin {
                    Origin::Plan => "the runtime plan",
                    Origin::Schema => "actions made up from the schema",
                    Origin::Tools => "calls of the listed tools",
                };
                CheckResult::new(id, Status::Pass, format!("started, and played {origin}"))
            }
        };
        if result.status == Status::Pass {
            let about_tasks = self
                .manifest
                .as_ref()
                .filter(|manifest| judge::has_tasks(manifest));
            if let Some(manifest) = about_tasks {
                let begun = Instant::now();
                let tasks = declared::tasks(&server, manifest).await;
                self.results.push(tasks.lasting(begun.elapsed()));
            }
        }
        self.live = Some(live);
        result
    }

    /// What changes while it is looked at is not quite what was looked at, and not what is published.
    pub(super) fn compare(&mut self, before: &Source, after: std::io::Result<Source>) {
        let seen = match after {
            Ok(after) => match before.first_change(&after) {
                Some(change) => change,
                None => return,
            },
            Err(error) => format!("the package could not be read any more: {error}"),
        };
        let id = "live.package_unchanged";
        let seen = format!("the package changed while it was checked: {seen}");
        let mut result = CheckResult::new(id, Status::Fail, seen).measured("required", false);
        result.remediation = Some(
            "write to `outputs/` or to the temporary directory, or run it in a container with `--image`"
                .to_owned(),
        );
        self.results.push(result);
    }

    pub(super) fn report(self, policy: Policy, source_digest: String) -> PackageRun {
        let second = self.options.level >= Level::Runtime
            || self
                .manifest
                .as_ref()
                .is_some_and(|manifest| manifest.execution.is_some());
        let report = PackageReport {
            report_schema_version: if second { "2" } else { "1" },
            target: self.root.display().to_string(),
            source_digest,
            signature: manifest::FILE,
            manifest: self.manifest,
            policy_version: policy.name(),
            lane: "local",
            levels_run: self.levels,
            verdict: policy::verdict(&self.results),
            results: self.results,
        };
        PackageRun {
            report,
            plan: self.plan,
            episode: self.live.map(|live| live.episode),
            schemas: self.schemas,
            provider: self.provider,
            cleanup: self.cleanup,
        }
    }
}

fn limits(manifest: &Manifest) -> Limits {
    let resources = &manifest.resources;
    let count = |number: i128| u64::try_from(number).unwrap_or(u64::MAX);
    Limits {
        cpu: resources.cpu,
        memory_mb: count(resources.memory_mb),
        disk_mb: count(resources.disk_mb),
        gpus: count(resources.gpus),
    }
}
