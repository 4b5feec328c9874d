//! `openenv.yaml` and its `validation:` block, as the reference normalises them.

use std::fs;
use std::path::Path;

use serde::Serialize;
use serde_json::{Map, Value};

mod declaration;
mod lax;
mod section;
mod yaml;

use self::section::{Problems, Section, Wrong};
use self::yaml::Yaml;

/// The file's name in the directory of the package.
pub(crate) const FILE: &str = "openenv.yaml";

const NO_BLOCK: &str = "add a `validation:` block to openenv.yaml with reward (floor_margin), \
     resources (cpu, memory_mb, disk_mb, episode_timeout_s), capabilities (verifier) and types (tags)";
const BAD_BLOCK: &str = "correct the named fields of the `validation:` block in openenv.yaml";

/// What an author declares, in full.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_field_names, reason = "so it is called in reports")]
pub(crate) struct Manifest {
    /// `2` if there is an `execution`
    pub(crate) manifest_schema_version: &'static str,
    pub(crate) name: String,
    pub(crate) version: Option<String>,
    pub(crate) signature: &'static str,
    pub(crate) reward: Reward,
    pub(crate) judge: Option<Judge>,
    pub(crate) resources: Resources,
    pub(crate) task_distribution: Option<TaskDistribution>,
    pub(crate) network: Network,
    pub(crate) capabilities: Capabilities,
    pub(crate) types: Types,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) execution: Option<Execution>,
}

/// Which rewards there are.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Reward {
    pub(crate) range: (f64, f64),
    pub(crate) oracle_tolerance: f64,
    pub(crate) floor_margin: f64,
    pub(crate) variance_tolerance: Option<f64>,
}

/// The model that judges.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Judge {
    pub(crate) model: String,
    pub(crate) version: String,
    pub(crate) params: Map<String, Value>,
}

/// What an environment needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Resources {
    pub(crate) cpu: f64,
    pub(crate) memory_mb: i128,
    pub(crate) disk_mb: i128,
    pub(crate) episode_timeout_s: f64,
    pub(crate) gpus: i128,
    pub(crate) gpu_types: Vec<String>,
}

/// Where its tasks come from.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct TaskDistribution {
    pub(crate) generator_seed: Option<i128>,
    pub(crate) dataset_version: Option<String>,
    pub(crate) generator_model: Option<String>,
}

/// What it may reach.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Network {
    pub(crate) mode: String,
    pub(crate) allowed_hosts: Vec<String>,
}

impl Default for Network {
    fn default() -> Self {
        Self {
            mode: "public".to_owned(),
            allowed_hosts: Vec::new(),
        }
    }
}

/// What it can do.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[expect(clippy::struct_excessive_bools, reason = "so it is declared")]
pub(crate) struct Capabilities {
    pub(crate) oracle: Option<Oracle>,
    pub(crate) verifier: Verifier,
    pub(crate) set_state: bool,
    pub(crate) llm_judged: bool,
    pub(crate) rubric_tree: bool,
    pub(crate) task_api: bool,
    pub(crate) canaries: Option<String>,
    pub(crate) declared_tools: Vec<String>,
    pub(crate) declared_task_count: Map<String, Value>,
}

/// How the best reward is shown to be possible.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Oracle {
    pub(crate) form: String,
    pub(crate) location: String,
}

/// What gives the reward.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Verifier {
    pub(crate) kind: String,
    pub(crate) entry: Option<String>,
}

/// What it is about.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(crate) struct Types {
    pub(crate) tags: Vec<String>,
}

/// How it is run to be checked.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Execution {
    /// Always `openenv_ws`
    pub kind: String,
    /// The runtime plan, inside of the package
    pub probe_path: String,
    /// The Dockerfile, inside of the package
    pub dockerfile: String,
    /// The directory that the image is built from, inside of the package
    pub context: String,
    /// Always `api`
    pub agent_boundary: String,
    /// Whether it needs secrets to run
    pub requires_credentials: bool,
}

/// Why there is no manifest.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ManifestError {
    /// One line each
    pub(crate) problems: Vec<String>,
    pub(crate) remediation: Option<&'static str>,
}

impl ManifestError {
    fn plain(problem: impl Into<String>) -> Self {
        Self {
            problems: vec![problem.into()],
            remediation: None,
        }
    }
}

impl Manifest {
    /// Reads the manifest of a package.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub(crate) fn load(root: &Path) -> Result<Self, ManifestError> {
        let text = fs::read_to_string(root.join(FILE))
            .map_err(|error| ManifestError::plain(format!("{FILE} could not be read: {error}")))?;
        Self::parse(&text)
    }

    /// Reads the text of a manifest.
    ///
    /// # Errors
    /// With all that is wrong with it.
    pub(crate) fn parse(text: &str) -> Result<Self, ManifestError> {
        let document = Yaml::parse(text)
            .map_err(|error| ManifestError::plain(format!("{FILE} is not valid YAML: {error}")))?;
        if !document.is_map() {
            return Err(ManifestError::plain(format!("{FILE} must be a mapping")));
        }
        let validation = match document.get("validation") {
            None | Some(Yaml::Null) => {
                return Err(ManifestError {
                    problems: vec![format!("{FILE} has no `validation:` block")],
                    remediation: Some(NO_BLOCK),
                });
            }
            Some(block) if !block.is_map() => {
                return Err(ManifestError::plain("`validation:` must be a mapping"));
            }
            Some(block) => block,
        };
        let mut problems = Problems::default();
        Self::read(&document, validation, &mut problems)
            .ok()
            .filter(|_| problems.is_empty())
            .ok_or_else(|| ManifestError {
                problems: problems.into_lines(),
                remediation: Some(BAD_BLOCK),
            })
    }

    fn read(document: &Yaml, validation: &Yaml, problems: &mut Problems) -> Result<Self, Wrong> {
        // Every part is read, so that all of its problems are told at once.
        let name = match document.get("name") {
            None | Some(Yaml::Null) => {
                problems.add("name", "is missing");
                Err(Wrong)
            }
            Some(name) => problems.keep("name", lax::text(name)),
        };
        let version = match document.get("version") {
            None | Some(Yaml::Null) => Ok(None),
            Some(version) => problems.keep("version", lax::text(version)).map(Some),
        };
        let reward = required(validation, "reward", problems, Reward::read);
        let judge = optional(validation, "judge", problems, Judge::read);
        let resources = required(validation, "resources", problems, Resources::read);
        let tasks = optional(
            validation,
            "task_distribution",
            problems,
            TaskDistribution::read,
        );
        let network = optional(validation, "network", problems, Network::read);
        let capabilities = required(validation, "capabilities", problems, Capabilities::read);
        let types = required(validation, "types", problems, Types::read);
        let execution = match validation.get("execution") {
            None => Ok(None),
            Some(block) => Section::open(block, "execution", problems)
                .and_then(Execution::read)
                .map(Some),
        };
        let execution = execution?;
        let manifest = Self {
            manifest_schema_version: if execution.is_some() { "2" } else { "1" },
            name: name?,
            version: version?,
            signature: FILE,
            reward: reward?,
            judge: judge?,
            resources: resources?,
            task_distribution: tasks?,
            network: network?.unwrap_or_default(),
            capabilities: capabilities?,
            types: types?,
            execution,
        };
        if let Some(problem) = manifest.contradiction().filter(|_| problems.is_empty()) {
            problems.add("manifest", problem);
        }
        Ok(manifest)
    }

    /// What does not go together, or `None`.
    fn contradiction(&self) -> Option<&'static str> {
        let judged = self.capabilities.llm_judged;
        match (&self.judge, judged) {
            (None, true) => return Some("`judge` is required with capabilities.llm_judged"),
            (Some(_), false) => return Some("`judge` needs capabilities.llm_judged: true"),
            _ => {}
        }
        if judged && self.reward.variance_tolerance.is_none() {
            return Some("reward.variance_tolerance is required with capabilities.llm_judged");
        }
        let (low, high) = self.reward.range;
        let numbers = [
            low,
            high,
            self.reward.oracle_tolerance,
            self.reward.floor_margin,
            self.reward.variance_tolerance.unwrap_or_default(),
            self.resources.cpu,
            self.resources.episode_timeout_s,
        ];
        let finite = numbers.iter().all(|number| number.is_finite());
        (self.execution.is_some() && !finite).then_some("with `execution`, numbers must be finite")
    }
}

fn required<T>(
    validation: &Yaml,
    name: &str,
    problems: &mut Problems,
    read: impl FnOnce(Section<'_>) -> Result<T, Wrong>,
) -> Result<T, Wrong> {
    match validation.get(name) {
        None | Some(Yaml::Null) => {
            problems.add(name, "is missing");
            Err(Wrong)
        }
        Some(block) => Section::open(block, name, problems).and_then(read),
    }
}

fn optional<T>(
    validation: &Yaml,
    name: &str,
    problems: &mut Problems,
    read: impl FnOnce(Section<'_>) -> Result<T, Wrong>,
) -> Result<Option<T>, Wrong> {
    match validation.get(name) {
        None | Some(Yaml::Null) => Ok(None),
        Some(block) => Section::open(block, name, problems)
            .and_then(read)
            .map(Some),
    }
}
