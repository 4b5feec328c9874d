//! The parts of the `validation:` block, one by one.

use serde_json::Value;

use super::lax::{self, above, at_least, one_of};
use super::section::{Section, Wrong};
use super::yaml::Yaml;
use super::{
    Capabilities, Execution, Judge, Network, Oracle, Resources, Reward, TaskDistribution, Types,
    Verifier,
};

impl Reward {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let range = section.range("range");
        let oracle_tolerance = section.optional("oracle_tolerance", at_least(0.0));
        let floor_margin = section.required("floor_margin", at_least(0.0));
        let variance_tolerance = section.nullable("variance_tolerance", at_least(0.0));
        section.finish()?;
        let range = range?.unwrap_or((0.0, 1.0));
        // Not a number is not below another.
        let increasing = range.0 < range.1;
        section.refuse_if(
            !increasing,
            "the range must go from a number to a larger one",
        )?;
        Ok(Self {
            range,
            oracle_tolerance: oracle_tolerance?.unwrap_or_default(),
            floor_margin: floor_margin?,
            variance_tolerance: variance_tolerance?,
        })
    }
}

impl Section<'_> {
    fn range(&mut self, name: &'static str) -> Result<Option<(f64, f64)>, Wrong> {
        let numbers = self.list(name, lax::number)?;
        match numbers.as_deref() {
            None => Ok(None),
            Some([low, high]) => Ok(Some((*low, *high))),
            Some([_]) => {
                self.problem("range.1", "is missing");
                Err(Wrong)
            }
            Some(_) => {
                self.problem(name, "must be two numbers");
                Err(Wrong)
            }
        }
    }
}

impl Judge {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let model = section.required("model", lax::text);
        let version = section.required("version", lax::text);
        let params = section.map("params", |value| Ok(value.to_json()));
        section.finish()?;
        Ok(Self {
            model: model?,
            version: version?,
            params: params?.unwrap_or_default().into_iter().collect(),
        })
    }
}

impl Resources {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let positive = |value: &Yaml| match lax::whole(value)? {
            number if number > 0 => Ok(number),
            _ => Err("must be above 0".to_owned()),
        };
        let cpu = section.required("cpu", above(0.0));
        let memory_mb = section.required("memory_mb", positive);
        let disk_mb = section.required("disk_mb", positive);
        let episode_timeout_s = section.required("episode_timeout_s", above(0.0));
        let gpus = section.optional("gpus", |value| match lax::whole(value)? {
            number if number >= 0 => Ok(number),
            _ => Err("must be at least 0".to_owned()),
        });
        let gpu_types = section.list("gpu_types", lax::text);
        section.finish()?;
        let gpus = gpus?.unwrap_or_default();
        let gpu_types = gpu_types?.unwrap_or_default();
        let contradiction = !gpu_types.is_empty() && gpus == 0;
        section.refuse_if(contradiction, "gpu_types need gpus above 0")?;
        Ok(Self {
            cpu: cpu?,
            memory_mb: memory_mb?,
            disk_mb: disk_mb?,
            episode_timeout_s: episode_timeout_s?,
            gpus,
            gpu_types,
        })
    }
}

impl TaskDistribution {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let generator_seed = section.nullable("generator_seed", lax::whole);
        let dataset_version = section.nullable("dataset_version", lax::text);
        let generator_model = section.nullable("generator_model", lax::text);
        section.finish()?;
        Ok(Self {
            generator_seed: generator_seed?,
            dataset_version: dataset_version?,
            generator_model: generator_model?,
        })
    }
}

impl Network {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let mode = section.optional("mode", one_of(&["public", "no-network", "allowlist"]));
        let allowed_hosts = section.list("allowed_hosts", lax::text);
        section.finish()?;
        let mode = mode?.unwrap_or_else(|| "public".to_owned());
        let allowed_hosts = allowed_hosts?.unwrap_or_default();
        let contradiction = (mode == "allowlist") == allowed_hosts.is_empty();
        section.refuse_if(
            contradiction,
            "allowed_hosts go with the mode `allowlist` only",
        )?;
        Ok(Self {
            mode,
            allowed_hosts,
        })
    }
}

impl Capabilities {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let oracle = section.section("oracle", true, Oracle::read);
        let verifier = section.section("verifier", false, Verifier::read);
        let mut flag = |name| section.optional(name, lax::truth);
        let set_state = flag("set_state");
        let llm_judged = flag("llm_judged");
        let rubric_tree = flag("rubric_tree");
        let task_api = flag("task_api");
        let canaries = section.nullable("canaries", lax::text);
        let declared_tools = section.list("declared_tools", lax::text);
        let declared_task_count = section.map("declared_task_count", lax::whole);
        section.finish()?;
        let oracle = oracle?;
        let set_state = set_state?.unwrap_or_default();
        let injected = oracle
            .as_ref()
            .is_some_and(|oracle| oracle.form == "injected_state");
        let problem = "oracle.form `injected_state` needs set_state: true";
        section.refuse_if(injected && !set_state, problem)?;
        let counts = declared_task_count?.unwrap_or_default().into_iter();
        Ok(Self {
            oracle,
            verifier: verifier?.ok_or(Wrong)?,
            set_state,
            llm_judged: llm_judged?.unwrap_or_default(),
            rubric_tree: rubric_tree?.unwrap_or_default(),
            task_api: task_api?.unwrap_or_default(),
            canaries: canaries?,
            declared_tools: declared_tools?.unwrap_or_default(),
            declared_task_count: counts
                .map(|(split, count)| (split, lax::to_json(count)))
                .collect::<serde_json::Map<String, Value>>(),
        })
    }
}

impl Oracle {
    fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let form = section.required("form", one_of(&["injected_state", "script"]));
        let location = section.required("location", lax::text);
        section.finish()?;
        Ok(Self {
            form: form?,
            location: location?,
        })
    }
}

impl Verifier {
    fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let kind = section.required("kind", one_of(&["reward_channel", "script"]));
        let entry = section.nullable("entry", lax::text);
        section.finish()?;
        let (kind, entry) = (kind?, entry?);
        let contradiction = (kind == "script") != entry.is_some();
        section.refuse_if(contradiction, "`entry` goes with the kind `script` only")?;
        Ok(Self { kind, entry })
    }
}

impl Types {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let tags = section.list("tags", |tag| match lax::text(tag)? {
            tag if tag.is_empty() => Err("must not be empty".to_owned()),
            tag => Ok(tag),
        });
        let tags = match tags {
            Ok(Some(tags)) if tags.is_empty() => {
                section.problem("tags", "needs at least one");
                Err(Wrong)
            }
            Ok(Some(tags)) => Ok(tags),
            Ok(None) => {
                section.problem("tags", "is missing");
                Err(Wrong)
            }
            Err(Wrong) => Err(Wrong),
        };
        section.finish()?;
        Ok(Self { tags: tags? })
    }
}

impl Execution {
    pub(super) fn read(mut section: Section<'_>) -> Result<Self, Wrong> {
        let kind = section.optional("kind", one_of(&["openenv_ws"]));
        let probe_path = section.optional("probe_path", file_path);
        let dockerfile = section.optional("dockerfile", file_path);
        let context = section.optional("context", package_path);
        let agent_boundary = section.optional("agent_boundary", one_of(&["api"]));
        let requires_credentials = section.optional("requires_credentials", |value| match value {
            Yaml::Bool(value) => Ok(*value),
            _ => Err("must be true or false".to_owned()),
        });
        section.finish()?;
        let or = |value: Option<String>, default: &str| value.unwrap_or_else(|| default.to_owned());
        Ok(Self {
            kind: or(kind?, "openenv_ws"),
            probe_path: or(probe_path?, "validation/runtime.json"),
            dockerfile: or(dockerfile?, "Dockerfile"),
            context: or(context?, "."),
            agent_boundary: or(agent_boundary?, "api"),
            requires_credentials: requires_credentials?.unwrap_or_default(),
        })
    }
}

/// A path that stays inside of the package, on every system.
fn package_path(value: &Yaml) -> Result<String, String> {
    let path = lax::text(value)?;
    let portable = !path.is_empty()
        && !path.contains(['\\', ':', '\0'])
        && !path.starts_with('/')
        && !path.split('/').any(|part| part == "..");
    if portable {
        Ok(path)
    } else {
        Err("must be a path inside of the package, with `/` and without `..`".to_owned())
    }
}

fn file_path(value: &Yaml) -> Result<String, String> {
    let path = package_path(value)?;
    if path.split('/').all(|part| part.is_empty() || part == ".") {
        return Err("must name a file".to_owned());
    }
    Ok(path)
}
