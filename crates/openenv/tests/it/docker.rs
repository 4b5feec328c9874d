//! Servers in containers, on a real engine.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use openenv::provider::docker::{OwnerState, Prune, containers, prune};
use openenv::provider::{Docker, Provider};
use openenv::{EnvClient, Json, ResetOptions};
use serde_json::{Value, json};
use tokio::time::timeout;

mod given_up;
mod limits;
mod pool;
mod registry;
mod support;

use support::{Mark, PATIENCE, image, look};

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_container_serves_until_it_is_stopped() {
    let mark = Mark::new();
    let mut docker = mark.docker();
    let endpoint = docker.start().await.unwrap();
    let [container] = &mark.containers().await[..] else {
        panic!("one container runs")
    };
    assert_eq!(
        container.names,
        Some(vec![format!("/{}", docker.name().unwrap())])
    );
    let mut env = endpoint.connect::<Json>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let step = env.step(&json!({ "variable": "PATH" })).await.unwrap();
    assert_eq!(step.reward, Some(1.0.into()));
    env.close().await.unwrap();
    let output = docker.output().await.unwrap();
    assert_eq!(output, "the server starts\nlistening on 0.0.0.0:8000\n");

    let begin = Instant::now();
    docker.stop().await.unwrap();
    // It was asked, and did not have to be killed.
    assert!(begin.elapsed() < PATIENCE / 2, "{:?}", begin.elapsed());
    assert_eq!(mark.containers().await, []);
    assert!(endpoint.health().await.is_err());
    docker.stop().await.unwrap();
    assert_eq!(docker.output().await.unwrap(), "");
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_stopped_container_starts_again_a_running_one_does_not() {
    let mark = Mark::new();
    let mut docker = mark.docker();
    docker.start().await.unwrap();
    let error = docker.start().await.unwrap_err().to_string();
    let expected = format!(
        "a container of `{}` was started already; stop it first",
        image()
    );
    assert_eq!(error, expected);
    docker.stop().await.unwrap();
    docker.start().await.unwrap().health().await.unwrap();
    docker.stop().await.unwrap();
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn an_early_end_is_noticed_and_told() {
    let mark = Mark::new();
    // The limit is not waited for.
    let mut docker = mark.docker().env("EXIT", "3").start_timeout(Duration::MAX);
    let begin = Instant::now();
    let started = timeout(PATIENCE, docker.start()).await.unwrap();
    let error = started.unwrap_err().to_string();
    let (head, log) = error.split_once("; its last output:\n").unwrap();
    assert_eq!(
        head,
        format!(
            "a container of `{}` ended before it was healthy: exit code 3",
            image()
        )
    );
    // The two streams come in an order of their own.
    let mut lines: Vec<_> = log.lines().collect();
    lines.sort_unstable();
    assert_eq!(
        lines,
        ["  the server is told to end", "  the server starts"]
    );
    assert!(begin.elapsed() < PATIENCE / 2, "{:?}", begin.elapsed());
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn an_early_end_for_want_of_memory_says_so() {
    let mark = Mark::new();
    let mut docker = mark.docker().env("ALLOCATE", "256").memory(32 << 20);
    let error = docker.start().await.unwrap_err().to_string();
    assert!(
        error.contains("exit code 137, it had used up its memory; its last output:\n  the server"),
        "{error}"
    );
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_server_that_never_gets_healthy_is_removed() {
    let mark = Mark::new();
    let mut docker = mark
        .docker()
        .env("NEVER", "1")
        .start_timeout(Duration::from_secs(1));
    let error = docker.start().await.unwrap_err();
    assert!(error.is_timeout());
    let error = error.to_string();
    assert!(error.contains("is not healthy after 1s"), "{error}");
    assert!(
        error.contains(&format!("(`{}`, port 8000)", image())),
        "{error}"
    );
    assert!(
        error.ends_with("its last output:\n  the server starts"),
        "{error}"
    );
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn what_does_not_end_when_asked_to_is_killed() {
    let mark = Mark::new();
    let grace = Duration::from_millis(700);
    let mut docker = mark.docker().env("DEAF", "1").stop_timeout(grace);
    docker.start().await.unwrap();
    let begin = Instant::now();
    docker.stop().await.unwrap();
    assert!(begin.elapsed() >= grace);
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn an_end_after_the_start_is_told() {
    let mark = Mark::new();
    let mut docker = mark.docker();
    let endpoint = docker.start().await.unwrap();
    assert!(
        timeout(Duration::from_millis(300), docker.ended())
            .await
            .is_err()
    );
    let mut env = endpoint.connect::<Json>().await.unwrap();
    let error = env.step(&json!({ "exit": 7 })).await.unwrap_err();
    assert!(error.is_connection(), "{error}");
    let error = timeout(PATIENCE, docker.ended()).await.unwrap().to_string();
    assert!(
        error.contains("ended: exit code 7; its last output:\n"),
        "{error}"
    );
    docker.stop().await.unwrap();
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn several_run_side_by_side() {
    let mark = Mark::new();
    let (mut one, mut other) = (
        mark.docker().env("ME", "one"),
        mark.docker().env("ME", "other"),
    );
    let (first, second) = tokio::try_join!(one.start(), other.start()).unwrap();
    assert_ne!(first.to_string(), second.to_string());
    assert_eq!(look(&first, json!({ "variable": "ME" })).await, "one");
    assert_eq!(look(&second, json!({ "variable": "ME" })).await, "other");
    tokio::try_join!(one.stop(), other.stop()).unwrap();
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn what_cannot_be_started_is_told() {
    let error = Docker::image("openenv-test-nothing:none").start().await;
    let error = error.unwrap_err();
    assert_eq!(error.status(), 404);
    let error = error.to_string();
    assert!(
        error.contains("has no image `openenv-test-nothing:none`; build it"),
        "{error}"
    );
    assert!(
        error.ends_with("`docker pull openenv-test-nothing:none`"),
        "{error}"
    );

    // Nobody listens there.
    let nowhere = "127.0.0.1:1/openenv-test-nothing";
    let error = Docker::image(nowhere).pull(true).start().await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.starts_with(&format!("could not pull `{nowhere}` at ")),
        "{error}"
    );

    let mark = Mark::new();
    let mut docker = mark.docker().network("openenv-test-nowhere");
    let error = docker.start().await.unwrap_err().to_string();
    assert!(error.contains("openenv-test-nowhere"), "{error}");
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_port_that_somebody_has_is_told() {
    let mark = Mark::new();
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = taken.local_addr().unwrap().port();
    let mut docker = mark.docker().host_port(port);
    let error = docker.start().await.unwrap_err().to_string();
    assert!(error.contains("address already in use"), "{error}");
    assert_eq!(mark.containers().await, []);
    drop(taken);
    let endpoint = docker.start().await.unwrap();
    assert_eq!(endpoint.to_string(), format!("http://127.0.0.1:{port}"));
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn an_image_drives_an_episode_and_ends_with_its_client() {
    let mut env = EnvClient::<Json>::from_image(&image()).await.unwrap();
    let url = env.endpoint().to_string();
    let started = async || {
        let mut containers = containers().await.unwrap().into_iter();
        containers.find(|container| container.url.as_ref() == Some(&url))
    };
    let container = started().await.unwrap();
    assert_eq!(container.image, image());
    assert_eq!(container.owner, Some(std::process::id()));
    env.reset(ResetOptions::default()).await.unwrap();
    let step = env.step(&json!({ "read": "/proc/1/comm" })).await.unwrap();
    assert_eq!(step.observation["text"], "docker-init\n");
    env.close().await.unwrap();
    assert_eq!(started().await, None);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_client_takes_its_container_along() {
    let mark = Mark::new();
    let env = EnvClient::<Json>::from_provider(mark.docker())
        .await
        .unwrap();
    assert_eq!(mark.containers().await.len(), 1);
    drop(env);
    assert_eq!(mark.containers().await, []);

    let failing = mark.docker().env("EXIT", "1");
    EnvClient::<Json>::from_provider(failing).await.unwrap_err();
    assert_eq!(mark.containers().await, []);
}

#[cfg(feature = "blocking")]
#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn the_client_without_async_has_containers_too() {
    use openenv::blocking::{EnvClient, block_on};

    let mark = Mark::new();
    let mut env = EnvClient::<Json>::from_provider(mark.docker()).unwrap();
    env.reset(ResetOptions::default()).unwrap();
    let step = env.step(&json!({ "variable": "NOTHING" })).unwrap();
    assert_eq!(step.observation["text"], "");
    env.close().unwrap();
    assert_eq!(block_on(mark.containers()), []);

    let dropped = EnvClient::<Json>::from_image(&image()).unwrap();
    let url = dropped.endpoint().to_string();
    drop(dropped);
    let left = block_on(containers()).unwrap();
    assert!(
        left.iter()
            .all(|container| container.url.as_ref() != Some(&url))
    );
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn living_owners_keep_their_containers() {
    let mark = Mark::new();
    let mut docker = mark.docker();
    let endpoint = docker.start().await.unwrap();
    let removed = prune(Prune::Abandoned).await.unwrap();
    assert!(removed.iter().all(|it| Some(&*it.name) != docker.name()));
    endpoint.health().await.unwrap();
    let listed = containers().await.unwrap();
    let mut listed = listed.iter();
    let listed = listed.find(|it| Some(&*it.name) == docker.name()).unwrap();
    assert_eq!(listed.owner_state, OwnerState::Alive);
    assert_eq!(listed.state, "running");
    assert_eq!(listed.url, Some(endpoint.to_string()));
    docker.stop().await.unwrap();
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn only_what_was_started_here_is_listed_and_pruned() {
    let mark = Mark::new();
    let foreign = mark.foreign_container().await;
    let listed = containers().await.unwrap();
    assert!(listed.iter().all(|container| container.id != foreign.id));
    let removed = prune(Prune::Abandoned).await.unwrap();
    assert!(removed.iter().all(|container| container.id != foreign.id));
    assert_eq!(mark.containers().await.len(), 1);
    foreign.remove().await;
}

#[tokio::test]
async fn an_engine_that_is_not_there_is_named() {
    let address = "unix:///nowhere/docker.sock";
    let error = Docker::image("any").engine(address).start().await;
    let error = error.unwrap_err();
    assert!(error.is_connection());
    assert_eq!(
        error.to_string(),
        "no container engine answers at `unix:///nowhere/docker.sock`: there is no such socket; \
         start Docker or Podman, or say in `DOCKER_HOST` where it is"
    );
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("tcp://{}", listener.local_addr().unwrap());
    drop(listener);
    let error = Docker::image("any").engine(&address).start().await;
    let error = error.unwrap_err().to_string();
    assert!(
        error.contains(&format!("answers at `{address}`: ")),
        "{error}"
    );
    assert!(error.contains("refused"), "{error}");
    let error = Docker::image("any").engine("ssh://there").start().await;
    let error = error.unwrap_err().to_string();
    assert!(error.contains("`ssh://there`: only `unix://`"), "{error}");
}

#[tokio::test]
async fn what_makes_no_sense_is_refused_before_the_engine_is_asked() {
    for (docker, expected) in [
        (Docker::image("any").cpus(0.0), "cannot have 0 processors"),
        (Docker::image("any").cpus(f64::NAN), "cannot have NaN"),
        (Docker::image("any").network("none"), "without a network"),
        (
            Docker::image("any").network("host").host_port(9000),
            "its own port, 8000",
        ),
    ] {
        let mut docker = docker.engine("unix:///nowhere/docker.sock");
        let error = docker.start().await.unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
}

/// What is read from an inspection, as JSON.
fn at<'a>(seen: &'a Value, pointer: &str) -> &'a Value {
    seen.pointer(pointer).unwrap_or(&Value::Null)
}
