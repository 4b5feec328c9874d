//! Servers of a test, and what is found out about them.

use std::time::Duration;

use axum::Router;
use openenv::ServerBuilder;
use openenv_validate::{Criterion, RunningReport, Server, check_running};
use tokio::net::TcpListener;

/// Serves until the runtime of the test ends; the URL.
pub(crate) async fn serve(router: Router) -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    format!("http://{address}")
}

/// The same for environments.
pub(crate) async fn serve_environment(builder: ServerBuilder) -> String {
    let server = builder.build().unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
    format!("http://{address}")
}

/// Checks the server, with little patience.
pub(crate) async fn check(url: &str) -> RunningReport {
    let server = Server::new(url, Duration::from_secs(2)).unwrap();
    let server = server.reply_patience(Duration::from_secs(2));
    check_running(&server).await
}

/// The criterion of this name.
#[track_caller]
pub(crate) fn criterion<'a>(report: &'a RunningReport, id: &str) -> &'a Criterion {
    let found = report.criteria.iter().find(|criterion| criterion.id == id);
    found.unwrap_or_else(|| panic!("`{id}` was not run: {:#?}", report.not_run))
}

/// Asserts that this criterion alone is not met, whether it is required, and that a finding of it has
/// the text.
#[track_caller]
pub(crate) fn assert_found(report: &RunningReport, id: &str, required: bool, text: &str) {
    let failed = &report.summary.failed_criteria;
    assert_eq!(failed, &[id], "{:#?}", report.criteria);
    let criterion = criterion(report, id);
    assert_eq!(criterion.required, required, "{criterion:#?}");
    assert_eq!(report.passed, !required);
    let told = criterion.findings.iter().any(|finding| {
        let told = format!("{} | {}", finding.expected, finding.seen);
        told.contains(text) && !finding.fix.is_empty()
    });
    assert!(told, "`{text}` is not in {:#?}", criterion.findings);
}

/// The ids of what was not run.
pub(crate) fn not_run(report: &RunningReport) -> Vec<&str> {
    report.not_run.iter().map(|check| check.id).collect()
}
