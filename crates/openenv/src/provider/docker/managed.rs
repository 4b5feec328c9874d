//! The containers that this library started, in this program or in others.

use std::collections::HashMap;

use bollard::models::ContainerSummary;
use bollard::query_parameters::ListContainersOptionsBuilder;
use futures_util::future::join_all;

use super::container::remove;
use super::engine::Engine;
use super::owner::{MANAGED, NAMED, Owner, OwnerState};
use super::settings::HOST;
use crate::error::Result;

/// A container that this library started, in this program or in another.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Managed {
    /// What the engine calls it.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The image it is made from.
    pub image: String,
    /// Whether it runs: `running`, `exited`, and other words of the engine.
    pub state: String,
    /// When it was created, in seconds since 1970.
    pub created: i64,
    /// Where its server is, if it runs and a port is published.
    pub url: Option<String>,
    /// The process that started it.
    pub owner: Option<u32>,
    /// Whether that process still runs.
    pub owner_state: OwnerState,
}

/// Which containers to remove.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Prune {
    /// Those whose owner is [gone](OwnerState::Gone).
    Abandoned,
    /// All that this library started, of living owners too, on this engine.
    All,
}

impl Prune {
    /// Whether this container is one of them.
    pub fn takes(self, container: &Managed) -> bool {
        match self {
            Self::Abandoned => container.owner_state == OwnerState::Gone,
            Self::All => true,
        }
    }
}

/// The containers that this library started and that are still there, oldest first.
///
/// # Errors
/// A connection error if there is no engine.
pub async fn containers() -> Result<Vec<Managed>> {
    list(&Engine::connect(None).await?).await
}

/// Removes containers that were left behind, as by a program that was killed, and returns them.
///
/// Others than those that this library started are never touched.
///
/// ```no_run
/// # async fn example() -> openenv::Result<()> {
/// use openenv::provider::docker::{Prune, prune};
///
/// for container in prune(Prune::Abandoned).await? {
///     println!("removed {} ({})", container.name, container.image);
/// }
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The first of those that could not be removed, after all were tried.
pub async fn prune(which: Prune) -> Result<Vec<Managed>> {
    let engine = Engine::connect(None).await?;
    let mut containers = list(&engine).await?;
    containers.retain(|container| which.takes(container));
    let removals = containers
        .iter()
        .map(|container| remove(engine.clone(), container.id.clone()));
    join_all(removals)
        .await
        .into_iter()
        .collect::<Result<()>>()?;
    Ok(containers)
}

async fn list(engine: &Engine) -> Result<Vec<Managed>> {
    let filters = HashMap::from([("label", vec![format!("{MANAGED}=true")])]);
    let options = ListContainersOptionsBuilder::new()
        .all(true)
        .filters(&filters)
        .build();
    let listed = engine.api.list_containers(Some(options)).await;
    let listed = listed.map_err(|error| engine.failed("list the containers", error))?;
    let mut containers: Vec<_> = listed.into_iter().filter_map(managed).collect();
    containers.sort_by(|one, other| (one.created, &one.name).cmp(&(other.created, &other.name)));
    Ok(containers)
}

fn managed(listed: ContainerSummary) -> Option<Managed> {
    let labels = listed.labels.unwrap_or_default();
    // Should an engine not understand the filter, this is still so.
    if labels.get(MANAGED).is_none_or(|value| value != "true") {
        return None;
    }
    let owner = Owner::from_labels(&labels);
    let names = listed.names.unwrap_or_default();
    let name = names.first()?.trim_start_matches('/').to_owned();
    // One that somebody else started, from an image with our labels.
    if labels.get(NAMED) != Some(&name) {
        return None;
    }
    let ports = listed.ports.unwrap_or_default();
    let port = ports.iter().find_map(|port| port.public_port);
    Some(Managed {
        id: listed.id?,
        name,
        image: listed.image.unwrap_or_default(),
        state: listed
            .state
            .map(|state| state.to_string())
            .unwrap_or_default(),
        created: listed.created.unwrap_or_default(),
        url: port.map(|port| format!("http://{HOST}:{port}")),
        owner: owner.process(),
        owner_state: owner.state(),
    })
}
