//! The clients without async, and more than one runtime.

use std::sync::mpsc;
use std::time::Duration;

use openenv::{Endpoint, EnvClient, ResetOptions, blocking};

use super::{Typed, add, slowly};
use crate::probe::InlineProbe;
use crate::support::TestServer;

/// A server on a thread of its own, for as long as the test process lives.
fn server_elsewhere() -> String {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        runtime.block_on(async {
            let (builder, _) = InlineProbe::server();
            let server = TestServer::start(builder.max_sessions(64)).await;
            tell.send(server.url()).unwrap();
            std::future::pending::<()>().await;
        });
    });
    told.recv().unwrap()
}

/// Whether it ends in time; on a thread that is left behind if it does not.
fn ends(what: impl FnOnce() + Send + 'static) -> bool {
    let (tell, told) = mpsc::channel();
    std::thread::spawn(move || {
        what();
        let _ = tell.send(());
    });
    told.recv_timeout(Duration::from_secs(15)).is_ok()
}

fn current_thread() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .unwrap()
}

/// A blocking client inside one poll of a task runs into Tokio's budget of 128.
#[test]
fn blocking_calls_inside_of_a_task_do_not_run_out_of_budget() {
    let url = server_elsewhere();
    assert!(ends(move || {
        current_thread().block_on(async {
            let mut env = blocking::EnvClient::<Typed>::connect(&url).unwrap();
            env.reset(ResetOptions::default()).unwrap();
            for _ in 0..1000 {
                env.step(&add(1)).unwrap();
            }
        });
    }));
}

/// The connection that reqwest keeps is driven by a task of the blocked runtime.
#[test]
fn block_on_after_an_async_question_over_the_same_endpoint() {
    let url = server_elsewhere();
    assert!(ends(move || {
        current_thread().block_on(async {
            let endpoint = Endpoint::new(&url).unwrap();
            endpoint.health().await.unwrap();
            blocking::block_on(endpoint.schemas()).unwrap();
        });
    }));
}

/// A client may outlive the runtime that it was opened in.
#[test]
fn reconnecting_in_another_runtime() {
    let url = server_elsewhere();
    let first = current_thread();
    let mut env = first.block_on(EnvClient::<Typed>::connect(&url)).unwrap();
    drop(first);
    current_thread().block_on(async {
        let error = env.step(&add(1)).await.unwrap_err();
        assert!(error.is_connection(), "{error:?}");
        assert!(!env.is_connected());
        env.reconnect().await.unwrap();
        env.step(&slowly(1, 50)).await.unwrap();
    });
}
