//! `openenv list`: which environments there are.

use anyhow::Result;
use serde::Serialize;

use crate::config::ListConfig;
use crate::registry::ENVIRONMENTS;
use crate::ui;

/// One environment as `openenv list --json` prints it.
#[derive(Debug, Serialize)]
struct Listed {
    name: &'static str,
    description: String,
    version: Option<String>,
    concurrent: bool,
    tools: usize,
    example_action: serde_json::Value,
}

pub(crate) fn run(config: &ListConfig) -> Result<()> {
    let environments = ENVIRONMENTS
        .iter()
        .map(|environment| {
            let metadata = (environment.metadata)();
            Ok(Listed {
                name: environment.name,
                description: metadata.description,
                version: metadata.version,
                concurrent: environment.concurrent,
                tools: (environment.tools)(),
                example_action: serde_json::from_str(environment.example)?,
            })
        })
        .collect::<Result<Vec<_>>>()?;
    if config.json {
        return ui::data(&serde_json::to_string_pretty(&environments)?);
    }
    let tools: Vec<_> = environments
        .iter()
        .map(|environment| environment.tools.to_string())
        .collect();
    let rows = environments.iter().zip(&tools).map(|(environment, tools)| {
        let concurrent = if environment.concurrent { "yes" } else { "no" };
        [
            environment.name,
            concurrent,
            tools,
            &environment.description,
        ]
    });
    ui::table(["NAME", "CONCURRENT", "TOOLS", "DESCRIPTION"], rows)
}
