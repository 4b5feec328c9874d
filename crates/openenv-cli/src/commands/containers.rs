//! `openenv containers`: what is there, and what was left behind.

use anyhow::{Context, Result};
use openenv::provider::docker::{Managed, OwnerState, Prune, containers, prune};
use serde::Serialize;
use tokio::runtime;

use crate::config::ContainersConfig;
use crate::ui;

/// One container as `openenv containers list --json` prints it.
#[derive(Debug, Serialize)]
struct Listed<'a> {
    id: &'a str,
    name: &'a str,
    image: &'a str,
    state: &'a str,
    created: i64,
    url: Option<&'a str>,
    owner: Option<u32>,
    owner_state: &'static str,
}

pub(crate) fn run(config: ContainersConfig) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    runtime.block_on(async {
        match config {
            ContainersConfig::List { json } => list(&containers().await?, json),
            ContainersConfig::Prune { which, dry_run } => remove(which, dry_run).await,
        }
    })
}

fn list(containers: &[Managed], json: bool) -> Result<()> {
    let listed = containers.iter().map(|container| Listed {
        id: &container.id,
        name: &container.name,
        image: &container.image,
        state: &container.state,
        created: container.created,
        url: container.url.as_deref(),
        owner: container.owner,
        owner_state: word(container.owner_state),
    });
    if json {
        let listed: Vec<_> = listed.collect();
        return ui::data(&serde_json::to_string_pretty(&listed)?);
    }
    if containers.is_empty() {
        ui::note("there are none");
        return Ok(());
    }
    let owners: Vec<_> = containers.iter().map(owner).collect();
    let rows = containers.iter().zip(&owners).map(|(container, owner)| {
        let url = container.url.as_deref().unwrap_or("-");
        [
            &*container.name,
            &*container.image,
            &*container.state,
            url,
            &**owner,
        ]
    });
    ui::table(["NAME", "IMAGE", "STATE", "URL", "OWNER"], rows)
}

async fn remove(which: Prune, dry_run: bool) -> Result<()> {
    let removed = if dry_run {
        let mut containers = containers().await?;
        containers.retain(|container| which.takes(container));
        containers
    } else {
        prune(which).await?
    };
    for container in &removed {
        ui::data(&container.name)?;
    }
    let verb = if dry_run { "would remove" } else { "removed" };
    let count = ui::counted(removed.len() as u64, "container");
    ui::note(&format!("{verb} {count}"));
    Ok(())
}

/// The process that started it, and what became of that.
fn owner(container: &Managed) -> String {
    let state = word(container.owner_state);
    match container.owner {
        Some(process) => format!("{process} ({state})"),
        None => state.to_owned(),
    }
}

fn word(state: OwnerState) -> &'static str {
    match state {
        OwnerState::Alive => "alive",
        OwnerState::Gone => "gone",
        _ => "unknown",
    }
}
