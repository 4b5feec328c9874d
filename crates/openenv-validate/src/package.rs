//! The check of a package: what it declares and, once it runs, how it behaves.

use std::fmt;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use crate::episode::Transcript;
use crate::finding::{Check, Outcome, Weight};
use crate::launch::{LaunchError, Launcher, Limits, Package, Place, Running};
use crate::live::{self, Live, Schemas, Subject};
use crate::manifest::{self, Manifest};
use crate::plan::Plan;
use crate::policy::{self, ENTRIES, Level, Policy};
use crate::report::{CheckResult, PackageReport, Status};
use crate::running::schemas_of;
use crate::script::Script;
use crate::server::Server;
use crate::tools::{self, Listing};

mod artifacts;
mod declared;
mod detect;
mod digest;
mod grade;

/// How long an answer over HTTP may take.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a reply may take where the manifest declares nothing.
const REPLY_PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of `/schema`, as for the reference.
const MAX_SCHEMA: usize = 1024 * 1024;
/// The checks of this crate that the policy has no names for.
const OWN: [&str; 3] = ["live.bad_actions", "live.close", "live.capacity"];

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
    let begun = Instant::now();
    let before = digest::source_digest(root);
    let declared = match &before {
        Ok(_) => Some(Manifest::load(root)),
        Err(_) => None,
    };
    let mut run = Run {
        root,
        options,
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
                let after = digest::source_digest(root);
                run.complete();
                run.compare(before, after.ok());
            }
            Err(error) => {
                let problem = format!("the package could not be read: {error}");
                run.results
                    .push(CheckResult::new("runtime.startup", Status::Error, problem));
                run.complete();
            }
        }
    }
    Ok(run.report(policy, before.unwrap_or_default()))
}

/// A check that goes on.
struct Run<'a> {
    root: &'a Path,
    options: &'a PackageOptions<'a>,
    manifest: Option<Manifest>,
    results: Vec<CheckResult>,
    levels: Vec<Level>,
    plan: Option<Plan>,
    live: Option<Live>,
    schemas: Schemas,
    tools: Option<Listing>,
    provider: Map<String, Value>,
    cleanup: Value,
}

/// Why the environment does not run.
struct Refused(Status, String);

impl Run<'_> {
    fn declare(
        &mut self,
        declared: Option<Result<Manifest, manifest::ManifestError>>,
        digest: &std::io::Result<String>,
        begun: Instant,
    ) {
        let id = "static.manifest";
        let result = match declared {
            None => {
                let error = digest.as_ref().err().map(ToString::to_string);
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
    async fn start(&mut self) {
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
        let running = launcher.start(package).await.map_err(|error| match error {
            LaunchError::Unsupported(reason) => Refused(Status::Skip, reason),
            LaunchError::Startup(reason) => Refused(Status::Fail, reason),
            LaunchError::Launcher(reason) => Refused(Status::Error, reason),
        })?;
        let name = match place {
            Place::Machine => "local",
            Place::Container => "container",
        };
        self.provider = running.measured.clone();
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
                    crate::script::Origin::Plan => "the runtime plan",
                    crate::script::Origin::Schema => "actions made up from the schema",
                    crate::script::Origin::Tools => "calls of the listed tools",
                };
                CheckResult::new(id, Status::Pass, format!("started, and played {origin}"))
            }
        };
        if result.status == Status::Pass {
            let about_tasks = self
                .manifest
                .as_ref()
                .filter(|manifest| has_tasks(manifest));
            if let Some(manifest) = about_tasks {
                let begun = Instant::now();
                let tasks = declared::tasks(&server, manifest).await;
                self.results.push(tasks.lasting(begun.elapsed()));
            }
        }
        self.live = Some(live);
        result
    }

    /// Adds what the episodes came to, and all that was not looked at.
    fn complete(&mut self) {
        let started = self
            .results
            .iter()
            .any(|result| result.check_id == "runtime.startup" && result.status == Status::Pass);
        let live = self.live.take().filter(|_| started);
        for entry in ENTRIES {
            let known = self
                .results
                .iter()
                .any(|result| result.check_id == entry.id);
            if known || entry.level > self.options.level || !self.applies(entry.id) {
                continue;
            }
            let result = match &live {
                Some(live) => self.graded(entry.id, live),
                None => CheckResult::skip(entry.id, missing(entry.id)),
            };
            self.results.push(result);
        }
        let order = |id: &str| ENTRIES.iter().position(|entry| entry.id == id);
        self.results
            .sort_by_key(|result| order(&result.check_id).unwrap_or(usize::MAX));
        if let Some(live) = &live {
            let own = OWN.iter().filter_map(|id| live.check(id)).map(own_result);
            self.results.extend(own);
        }
        self.live = live;
    }

    fn graded(&self, id: &str, live: &Live) -> CheckResult {
        let episode = &live.episode;
        let check = |name: &str| match live.check(name) {
            Some(check) => result_of(id, check),
            None => CheckResult::skip(id, missing(id)),
        };
        let on_steps = |grade: &dyn Fn() -> CheckResult| {
            if episode.has_steps() {
                grade()
            } else {
                CheckResult::skip(id, "the episode had no step to look at")
            }
        };
        let range = self.manifest.as_ref().map(|manifest| manifest.reward.range);
        match id {
            "runtime.reward_well_formed" => on_steps(&|| grade::reward(episode, range)),
            "runtime.observation_schema" => {
                on_steps(&|| grade::observations(episode, &self.schemas))
            }
            "runtime.state_contract" => on_steps(&|| grade::state(episode)),
            "runtime.seed_control" => check("live.seed"),
            "runtime.episode_determinism" => check("live.determinism"),
            "runtime.episode_isolation" => check("live.isolation"),
            "runtime.tool_declaration_accuracy" => match &self.tools {
                Some(listing) => {
                    declared::tools(self.manifest.as_ref(), listing, live.check("live.tools"))
                }
                None => CheckResult::skip(id, missing(id)),
            },
            "semantic.verifier_determinism" => self.verifier(live),
            _ => CheckResult::skip(id, missing(id)),
        }
    }

    /// Equal episodes must be paid equally, if the environment itself pays.
    fn verifier(&self, live: &Live) -> CheckResult {
        let id = "semantic.verifier_determinism";
        let manifest = self.manifest.as_ref();
        let served = manifest.is_some_and(|manifest| {
            manifest.capabilities.verifier.kind == "reward_channel"
                && !manifest.capabilities.llm_judged
        });
        match &live.rewards_repeat {
            _ if !served => CheckResult::skip(
                id,
                "rewards are compared only where `verifier.kind: reward_channel` is declared and no model judges",
            ),
            None => CheckResult::skip(id, "the episode could not be played again"),
            Some(repeat) => CheckResult::judged(
                id,
                repeat.clone().err().into_iter().collect(),
                "3 equal episodes had the same rewards",
                "compute rewards from the episode alone",
            ),
        }
    }

    fn applies(&self, id: &str) -> bool {
        let Some(manifest) = &self.manifest else {
            return true;
        };
        match id {
            "runtime.rubric_introspectable" | "runtime.reward_attribution" => {
                manifest.capabilities.rubric_tree
            }
            "runtime.task_declaration_accuracy" => has_tasks(manifest),
            _ => true,
        }
    }

    /// What changed while it was looked at was not looked at.
    fn compare(&mut self, before: &str, after: Option<String>) {
        let problem = match after {
            Some(after) if after == before => return,
            Some(_) => "the package changed while it was checked",
            None => "the package could not be read any more after it was checked",
        };
        for result in &mut self.results {
            let replaced = match result.check_id.as_str() {
                "runtime.startup" => CheckResult::new("runtime.startup", Status::Error, problem),
                id if id.starts_with("static.") => continue,
                id => {
                    CheckResult::skip(id, format!("unmet dependency: runtime.startup ({problem})"))
                }
            };
            *result = replaced;
        }
    }

    fn report(self, policy: Policy, source_digest: String) -> PackageRun {
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

fn has_tasks(manifest: &Manifest) -> bool {
    let capabilities = &manifest.capabilities;
    capabilities.task_api || !capabilities.declared_task_count.is_empty()
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

/// Why a check was not made.
fn missing(id: &str) -> &'static str {
    match id {
        "runtime.trajectory_record" => "records of trajectories are not looked at yet",
        "runtime.network_policy" => "what the environment reaches was not measured",
        "runtime.host_containment" | "runtime.oracle_containment" => {
            "what the environment can get at was not measured"
        }
        "runtime.resource_bounds" | "semantic.resource_envelope" => {
            "memory, disk and processors were not measured"
        }
        "runtime.rubric_introspectable" | "runtime.reward_attribution" => {
            "rubrics are not looked at yet"
        }
        id if id.starts_with("semantic.") => "not looked at yet",
        _ => "unmet dependency: runtime.startup",
    }
}

/// A live check under the name that the policy has for it.
fn result_of(id: &str, check: &Check) -> CheckResult {
    let mut result = match &check.outcome {
        Outcome::NotRun(reason) => CheckResult::skip(id, reason.clone()),
        Outcome::Passed(seen) => CheckResult::new(id, Status::Pass, seen.clone()),
        Outcome::Found(problems) => {
            let told = problems.iter();
            let told =
                told.map(|found| format!("expected: {}; seen: {}", found.expected, found.seen));
            let fix = problems.first().map(|found| found.fix.as_str());
            CheckResult::judged(id, told.collect(), "", fix.unwrap_or_default())
        }
    };
    result.evidence.extend(check.notes.iter().cloned());
    result.lasting(check.duration)
}

/// A check of this crate, with its own word on how bad it is.
fn own_result(check: &Check) -> CheckResult {
    let required = check.weight() != Some(Weight::Advice);
    result_of(check.id, check).measured("required", required)
}
