//! Containers that are kept ready.

use std::time::Instant;

use openenv::Json;
use openenv::provider::{AfterUse, WarmPool};
use serde_json::json;

use super::support::{Mark, PATIENCE, until};

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn warm_containers_are_lent_at_once_and_replaced_when_they_die() {
    let mark = std::sync::Arc::new(Mark::new());
    let marked = std::sync::Arc::clone(&mark);
    let mut pool = WarmPool::new(2, move || marked.docker()).after_use(AfterUse::Reuse);
    pool.start().await.unwrap();
    assert_eq!(mark.containers().await.len(), 2);

    let begin = Instant::now();
    let lease = pool.take().await.unwrap();
    println!("a warm container was lent within {:?}", begin.elapsed());
    assert!(begin.elapsed() < PATIENCE / 10, "{:?}", begin.elapsed());
    let ids = async || {
        let containers = mark.containers().await.into_iter();
        let mut ids: Vec<_> = containers.filter_map(|container| container.id).collect();
        ids.sort_unstable();
        ids
    };
    let before = ids().await;

    // Given back in good health, it stays.
    let mut env = lease.connect::<Json>().await.unwrap();
    env.step(&json!({ "variable": "PATH" })).await.unwrap();
    env.close().await.unwrap();
    drop(lease);
    assert_eq!(ids().await, before);

    // One that dies has a successor.
    let lease = pool.take().await.unwrap();
    let mut env = lease.connect::<Json>().await.unwrap();
    env.step(&json!({ "exit": 1 })).await.unwrap_err();
    drop(lease);
    until("it is replaced", async || {
        let now = ids().await;
        now.len() == 2 && now != before
    })
    .await;
    let (one, other) = tokio::try_join!(pool.take(), pool.take()).unwrap();
    one.health().await.unwrap();
    other.health().await.unwrap();
    pool.close().await.unwrap();
    assert_eq!(mark.containers().await, []);
}

#[tokio::test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_pool_that_cannot_start_leaves_nothing() {
    let mark = std::sync::Arc::new(Mark::new());
    let marked = std::sync::Arc::clone(&mark);
    let number = std::sync::atomic::AtomicUsize::new(0);
    let mut pool = WarmPool::new(3, move || {
        let docker = marked.docker();
        match number.fetch_add(1, std::sync::atomic::Ordering::Relaxed) {
            1 => docker.env("EXIT", "4"),
            _ => docker,
        }
    });
    let error = pool.start().await.unwrap_err().to_string();
    assert!(error.contains("exit code 4"), "{error}");
    assert_eq!(mark.containers().await, []);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
async fn a_pool_that_is_dropped_leaves_nothing() {
    let mark = std::sync::Arc::new(Mark::new());
    let marked = std::sync::Arc::clone(&mark);
    let mut pool = WarmPool::new(2, move || marked.docker());
    pool.start().await.unwrap();
    drop(pool);
    until("all are gone", async || mark.containers().await.is_empty()).await;
}
