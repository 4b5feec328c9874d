//! Containers as the engine sees them.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use bollard::models::{ContainerCreateBody, ContainerSummary};
use bollard::query_parameters::{
    CreateContainerOptions, InspectContainerOptions, ListContainersOptionsBuilder,
    RemoveContainerOptionsBuilder,
};
use openenv::provider::Docker;
use openenv::{Endpoint, Json};
use serde_json::Value;

const LABEL: &str = "org.openenv.test";

/// Longer than anything here may take on a slow machine.
pub(super) const PATIENCE: Duration = Duration::from_secs(20);

/// The image that `cargo xtask test docker` makes.
pub(super) fn image() -> String {
    std::env::var("OPENENV_TEST_IMAGE").expect("`cargo xtask test docker` sets it")
}

pub(super) async fn engine() -> bollard::Docker {
    let engine = bollard::Docker::connect_with_defaults().unwrap();
    engine.negotiate_version().await.unwrap()
}

/// What tells the containers of one test from those of others.
pub(super) struct Mark(String);

/// A container that this library knows nothing about.
pub(super) struct Foreign {
    pub(super) id: String,
}

impl Mark {
    pub(super) fn new() -> Self {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let number = listener.local_addr().unwrap().port();
        let thread = std::thread::current();
        let test = thread.name().unwrap_or_default().replace(':', "-");
        Self(format!("{test}-{}-{number}", std::process::id()))
    }

    /// A provider of the image of the tests, with this mark.
    pub(super) fn docker(&self) -> Docker {
        self.docker_of(&image())
    }

    /// A provider of any image, with this mark.
    pub(super) fn docker_of(&self, image: &str) -> Docker {
        Docker::image(image)
            .label(LABEL, &self.0)
            .start_timeout(PATIENCE)
            .stop_timeout(PATIENCE)
    }

    /// The containers with this mark, in whatever state.
    pub(super) async fn containers(&self) -> Vec<ContainerSummary> {
        let filters = HashMap::from([("label", vec![format!("{LABEL}={}", self.0)])]);
        let options = ListContainersOptionsBuilder::new().all(true);
        let options = options.filters(&filters).build();
        let listed = engine().await.list_containers(Some(options)).await;
        listed.unwrap()
    }

    /// What the engine knows about the only container with this mark.
    pub(super) async fn inspect(&self) -> Value {
        let [container] = &self.containers().await[..] else {
            panic!("there is one")
        };
        let id = container.id.as_ref().unwrap();
        let options = None::<InspectContainerOptions>;
        let seen = engine().await.inspect_container(id, options).await;
        serde_json::to_value(seen.unwrap()).unwrap()
    }

    /// A container with this mark that was created by somebody else.
    pub(super) async fn foreign_container(&self) -> Foreign {
        let body = ContainerCreateBody {
            image: Some(image()),
            labels: Some(HashMap::from([(LABEL.to_owned(), self.0.clone())])),
            ..ContainerCreateBody::default()
        };
        let created = engine()
            .await
            .create_container(None::<CreateContainerOptions>, body)
            .await;
        let id = created.unwrap().id;
        Foreign { id }
    }
}

impl Foreign {
    pub(super) async fn remove(self) {
        let options = RemoveContainerOptionsBuilder::new().force(true).build();
        let engine = engine().await;
        let removed = engine.remove_container(&self.id, Some(options)).await;
        removed.unwrap();
    }
}

/// One look into the container.
pub(super) async fn try_look(endpoint: &Endpoint, what: Value) -> openenv::Result<String> {
    let mut env = endpoint.connect::<Json>().await?;
    let step = env.step(&what).await?;
    env.close().await?;
    Ok(step.observation["text"].as_str().unwrap().to_owned())
}

pub(super) async fn look(endpoint: &Endpoint, what: Value) -> String {
    try_look(endpoint, what).await.unwrap()
}

/// Waits until `condition` holds, for as long as a slow machine may need.
pub(super) async fn until(what: &str, condition: impl AsyncFn() -> bool) {
    let begin = Instant::now();
    while !condition().await {
        assert!(begin.elapsed() < PATIENCE, "never happened: {what}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}
