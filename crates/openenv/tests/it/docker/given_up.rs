//! Nobody waits any more: nothing is left behind.

use std::time::Duration;

use openenv::provider::Provider;
use tokio::time::timeout;

use super::support::Mark;

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_start_that_is_given_up_leaves_nothing() {
    let mark = Mark::new();
    // From before the engine is asked to long after the container runs.
    for milliseconds in [0, 1, 2, 4, 8, 16, 32, 64, 125, 250, 500, 1000, 2000] {
        let mut docker = mark.docker().env("NEVER", "1");
        let limit = Duration::from_millis(milliseconds);
        timeout(limit, docker.start()).await.unwrap_err();
        assert_eq!(mark.containers().await, [], "after {milliseconds} ms");
    }
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn dropping_removes() {
    let mark = Mark::new();
    let mut docker = mark.docker().env("DEAF", "1");
    docker.start().await.unwrap();
    drop(docker);
    assert_eq!(mark.containers().await, []);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn dropping_removes_without_a_runtime() {
    let mark = Mark::new();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let mut docker = mark.docker();
    runtime.block_on(docker.start()).unwrap();
    assert_eq!(runtime.block_on(mark.containers()).len(), 1);
    drop(runtime);
    drop(docker);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    assert_eq!(runtime.block_on(mark.containers()), []);
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_runtime_that_ends_takes_its_containers_along() {
    let mark = Mark::new();
    for milliseconds in [5, 300] {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        let mut docker = mark.docker().env("NEVER", "1");
        runtime.spawn(async move { docker.start().await });
        std::thread::sleep(Duration::from_millis(milliseconds));
        drop(runtime);
        let runtime = tokio::runtime::Runtime::new().unwrap();
        assert_eq!(runtime.block_on(mark.containers()), [], "{milliseconds} ms");
    }
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_stop_that_is_given_up_kills() {
    let mark = Mark::new();
    for milliseconds in [0, 5, 50, 500] {
        let mut docker = mark.docker().env("DEAF", "1");
        docker.start().await.unwrap();
        let limit = Duration::from_millis(milliseconds);
        timeout(limit, docker.stop()).await.unwrap_err();
        assert_eq!(mark.containers().await, [], "after {milliseconds} ms");
    }
}
