//! The bundled environments are as they should be, in both modes.

use openenv::{Mode, Server as EnvServer, ServerBuilder};
use openenv_benchmark::Benchmark;
use openenv_documents::Documents;
use openenv_echo::Echo;
use serde_json::json;

use crate::support::{check, criterion, not_run, serve, serve_environment};

async fn assert_passes(builder: ServerBuilder, mode: &str, expected_not_run: &[&str]) {
    let url = serve_environment(builder).await;
    let report = check(&url).await;
    assert!(report.passed, "{:#?}", report.criteria);
    assert_eq!(report.summary.failed_criteria, Vec::<String>::new());
    assert_eq!(report.mode, mode);
    assert_eq!(not_run(&report), expected_not_run, "{:#?}", report.not_run);
}

#[tokio::test]
async fn they_pass_in_simulation() {
    let builder = || EnvServer::builder().mode(Mode::Simulation);
    let capacity = ["live.capacity"];
    assert_passes(
        builder().environment("echo", Echo::default),
        "simulation",
        &capacity,
    )
    .await;
    let documents = builder().environment("documents", Documents::default);
    assert_passes(documents, "simulation", &capacity).await;
    let benchmark = builder().environment("benchmark", || Benchmark::on("test"));
    let no_tools = ["live.tools", "live.capacity"];
    assert_passes(benchmark, "simulation", &no_tools).await;
}

#[tokio::test]
async fn they_pass_in_production() {
    let builder = || EnvServer::builder().mode(Mode::Production);
    let capacity = ["live.capacity"];
    assert_passes(
        builder().environment("echo", Echo::default),
        "production",
        &capacity,
    )
    .await;
    let documents = builder().environment("documents", Documents::default);
    assert_passes(documents, "production", &capacity).await;
}

#[tokio::test]
async fn small_servers_are_filled_up() {
    let builder = EnvServer::builder().environment("echo", Echo::default);
    assert_passes(builder.max_sessions(2), "simulation", &[]).await;
}

#[tokio::test]
async fn a_single_place_is_enough() {
    let builder = EnvServer::builder().environment("echo", Echo::default);
    let isolation = ["live.isolation"];
    assert_passes(builder.max_sessions(1), "simulation", &isolation).await;
}

#[tokio::test]
async fn what_cannot_be_played_is_not_run() {
    let builder = EnvServer::builder().environment("documents", Documents::default);
    let url = serve_environment(builder.mode(Mode::Production).control(false)).await;
    let report = check(&url).await;
    assert!(report.passed, "{:#?}", report.criteria);
    assert!(not_run(&report).contains(&"live.session"));
    assert!(criterion(&report, "live.tools").passed);
}

#[tokio::test]
async fn without_a_server_nothing_passes() {
    let report = check("http://127.0.0.1:9").await;
    assert!(!report.passed);
    assert_eq!(report.summary.total_count, 6);
    assert_eq!(report.summary.passed_count, 0);
    assert_eq!(not_run(&report).len(), 11);
}

#[tokio::test]
async fn another_server_meets_no_criterion() {
    let router = axum::Router::new().fallback(|| async { "[1]" });
    let report = check(&serve(router).await).await;
    assert!(!report.passed);
    let failed = &report.summary.failed_criteria;
    assert!(failed.contains(&"schema_endpoint".to_owned()), "{failed:?}");
    let openapi = criterion(&report, "openapi_version_available");
    assert_eq!(
        openapi.actual,
        Some(json!({ "status_code": 200, "body_type": "list" }))
    );
}
