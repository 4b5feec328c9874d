//! Servers that are kept ready.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use openenv::provider::{AfterUse, BoxFuture, Process, Provider, WarmPool};
use openenv::{Endpoint, EnvClient, Error, Json, ResetOptions, Result};
use serde_json::json;
use tokio::time::timeout;

use super::processes::{runs, signal, until_gone};
use super::{PATIENCE, server_after};
use crate::support::eventually;

/// Servers that were started, and how many of the next starts fail.
#[derive(Default)]
struct Workshop {
    started: AtomicUsize,
    failures: AtomicUsize,
}

impl Workshop {
    fn pool(self: &Arc<Self>, size: usize) -> WarmPool {
        let workshop = Arc::clone(self);
        WarmPool::new(size, move || Made {
            workshop: Arc::clone(&workshop),
            process: server_after(""),
        })
    }

    fn started(&self) -> usize {
        self.started.load(Ordering::SeqCst)
    }
}

/// A process that its workshop keeps count of.
struct Made {
    workshop: Arc<Workshop>,
    process: Process,
}

impl Provider for Made {
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>> {
        let fails = self
            .workshop
            .failures
            .try_update(Ordering::SeqCst, Ordering::SeqCst, |left| {
                left.checked_sub(1)
            })
            .is_ok();
        Box::pin(async move {
            if fails {
                return Err(Error::new("the workshop is on strike"));
            }
            let endpoint = self.process.start().await?;
            self.workshop.started.fetch_add(1, Ordering::SeqCst);
            Ok(endpoint)
        })
    }

    fn stop(&mut self) -> BoxFuture<'_, Result<()>> {
        self.process.stop()
    }

    fn ended(&mut self) -> BoxFuture<'_, Error> {
        self.process.ended()
    }
}

/// The process that listens there.
fn process_at(endpoint: &Endpoint) -> u32 {
    let url = endpoint.to_string();
    let port = url.rsplit(':').next().unwrap();
    let program = crate::examples::path("server");
    let wanted = format!("{}\0{port}\0", program.display());
    let entries = std::fs::read_dir("/proc").unwrap();
    let ids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    let line = |id: &u32| std::fs::read_to_string(format!("/proc/{id}/cmdline"));
    let mut ids = ids.filter(|id| line(id).is_ok_and(|line| line == wanted));
    ids.next().unwrap()
}

async fn episode(endpoint: &Endpoint) {
    let mut env = endpoint.connect::<Json>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let step = env.step(&json!({ "text": "hello" })).await.unwrap();
    assert_eq!(step.observation["text"], "HELLO");
    env.close().await.unwrap();
}

#[tokio::test]
async fn servers_are_lent_again() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(2);
    pool.start().await.unwrap();
    assert_eq!((pool.size(), workshop.started()), (2, 2));
    let mut urls = Vec::new();
    for _ in 0..4 {
        let lease = pool.take().await.unwrap();
        episode(&lease).await;
        urls.push(lease.endpoint().to_string());
    }
    urls.sort_unstable();
    urls.dedup();
    assert!(urls.len() <= 2, "{urls:?}");
    assert_eq!(workshop.started(), 2);
    pool.close().await.unwrap();
}

#[tokio::test]
async fn a_server_whose_sessions_go_on_is_not_lent() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(1);
    pool.start().await.unwrap();
    let lease = pool.take().await.unwrap();
    let mut lingering = lease.connect::<Json>().await.unwrap();
    lingering.reset(ResetOptions::default()).await.unwrap();
    drop(lease);
    let taken = timeout(Duration::from_millis(300), pool.take()).await;
    assert!(taken.is_err(), "{taken:?}");
    lingering.close().await.unwrap();
    episode(&timeout(PATIENCE, pool.take()).await.unwrap().unwrap()).await;
    assert_eq!(workshop.started(), 1);
    pool.close().await.unwrap();
}

#[tokio::test]
async fn servers_are_replaced_if_so_wanted() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(1).after_use(AfterUse::Replace);
    pool.start().await.unwrap();
    for round in 1..=3 {
        let lease = pool.take().await.unwrap();
        assert_eq!(workshop.started(), round);
        let process = process_at(&lease);
        episode(&lease).await;
        drop(lease);
        until_gone(&[process]).await;
    }
    pool.close().await.unwrap();

    let mut pool = workshop.pool(1);
    pool.start().await.unwrap();
    let started = workshop.started();
    pool.take().await.unwrap().discard();
    drop(pool.take().await.unwrap());
    assert_eq!(workshop.started(), started + 1);
    pool.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_dies_while_nobody_has_it_is_replaced() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(1);
    pool.start().await.unwrap();
    let lease = pool.take().await.unwrap();
    let process = process_at(&lease);
    drop(lease);
    signal("KILL", process);
    eventually("another one is started", || workshop.started() == 2).await;
    episode(&pool.take().await.unwrap()).await;
    pool.close().await.unwrap();
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_not_lent() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(2);
    pool.start().await.unwrap();
    let (one, other) = tokio::try_join!(pool.take(), pool.take()).unwrap();
    let (stuck, fine) = (process_at(&one), process_at(&other));
    drop(one);
    // The first in line to be lent from now on.
    tokio::time::sleep(Duration::from_millis(200)).await;
    drop(other);
    signal("STOP", stuck);
    let lease = timeout(PATIENCE, pool.take()).await.unwrap().unwrap();
    assert_eq!(process_at(&lease), fine);
    episode(&lease).await;
    // Or it would not end before its limit.
    signal("CONT", stuck);
    until_gone(&[stuck]).await;
    drop(lease);
    pool.close().await.unwrap();
    assert!(!runs(fine));
}

#[tokio::test]
async fn errors_of_starting_reach_who_takes() {
    let workshop = Arc::<Workshop>::default();
    workshop.failures.store(1, Ordering::SeqCst);
    let mut pool = workshop.pool(2);
    let error = pool.start().await.unwrap_err();
    assert_eq!(error.to_string(), "the workshop is on strike");
    let error = pool.take().await.unwrap_err();
    assert_eq!(error.to_string(), "the pool is not running; start it first");

    // It can be tried again.
    pool.start().await.unwrap();
    pool.start().await.unwrap_err();
    let (one, other) = tokio::try_join!(pool.take(), pool.take()).unwrap();
    workshop.failures.store(1, Ordering::SeqCst);
    one.discard();
    let error = timeout(PATIENCE, pool.take()).await.unwrap().unwrap_err();
    assert_eq!(error.to_string(), "the workshop is on strike");
    episode(&timeout(PATIENCE, pool.take()).await.unwrap().unwrap()).await;
    drop(other);
    pool.close().await.unwrap();

    let error = workshop.pool(0).start().await.unwrap_err().to_string();
    assert_eq!(error, "a pool of no servers has none to lend");
}

#[tokio::test]
async fn closing_stops_what_is_lent_too() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(2);
    pool.start().await.unwrap();
    let (one, other) = tokio::try_join!(pool.take(), pool.take()).unwrap();
    let processes = [process_at(&one), process_at(&other)];
    drop(other);
    let begin = Instant::now();
    pool.close().await.unwrap();
    assert!(begin.elapsed() < PATIENCE);
    assert!(!processes.iter().any(|id| runs(*id)));
    assert!(one.health().await.is_err());
}

#[tokio::test]
async fn dropping_leaves_nothing() {
    let workshop = Arc::<Workshop>::default();
    let mut pool = workshop.pool(2);
    let given_up = timeout(Duration::from_millis(1), pool.start()).await;
    given_up.unwrap_err();
    pool.start().await.unwrap();
    let lease = pool.take().await.unwrap();
    let process = process_at(&lease);
    drop(pool);
    until_gone(&[process]).await;
}

#[tokio::test]
async fn a_client_can_own_its_server() {
    let server = || server_after("");
    let mut env = EnvClient::<Json>::from_provider(server()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let process = process_at(env.endpoint());
    env.close().await.unwrap();
    assert!(!runs(process));

    let env = EnvClient::<Json>::from_provider(server()).await.unwrap();
    let process = process_at(env.endpoint());
    drop(env);
    until_gone(&[process]).await;

    let boxed: Box<dyn Provider> = Box::new(Process::new("no-such-command"));
    let error = EnvClient::<Json>::from_provider(boxed).await.unwrap_err();
    assert!(error.to_string().contains("no-such-command"), "{error}");
}

#[tokio::test]
async fn an_end_after_the_start_is_told() {
    let mut process = server_after("");
    let endpoint = process.start().await.unwrap();
    assert!(
        timeout(Duration::from_millis(300), process.ended())
            .await
            .is_err()
    );
    signal("KILL", process_at(&endpoint));
    let error = timeout(PATIENCE, process.ended())
        .await
        .unwrap()
        .to_string();
    assert!(
        error.starts_with("`sh` ended; its last output:\n  pid "),
        "{error}"
    );
    process.stop().await.unwrap();
}
