//! The fixtures, each in the shape of packages in the wild, against what the Python
//! server answers for them.

mod differences;
mod expected;

use super::installed::{Installed, OPENENV, STANDIN};
use super::serving::{project, serve};
use crate::support::TestServer;
use differences::agree;
use expected::{Conversation, Expected};

async fn check(name: &str, python: Installed) {
    let expected = Expected::read(name);
    let project = project(&expected.fixture, &expected.target).unwrap();
    let builder = serve(&project, python, expected.environment).await;
    let server = TestServer::start(builder).await;
    let mut conversation = Conversation::new(server.url());

    let mut schema = conversation.get("/schema").await;
    schema.as_object_mut().unwrap().shift_remove("digest");
    let metadata = conversation.get("/metadata").await;
    let mut verdicts = vec![
        ("schema".to_owned(), agree(&expected.schema, &schema)),
        ("metadata".to_owned(), agree(&expected.metadata, &metadata)),
    ];
    let differences = differences::all();
    for exchange in &expected.exchanges {
        let (answer, recorded) = conversation.ask(exchange).await;
        let difference = differences.iter().find(|it| it.covers(name, exchange));
        let verdict = match difference {
            None => agree(&recorded, &answer),
            Some(difference) => difference.judge(&recorded, &answer),
        };
        verdicts.push((exchange.send.to_string(), verdict));
    }

    server.stop().await;
    let mismatches: Vec<_> = verdicts
        .into_iter()
        .filter_map(|(what, verdict)| Some(format!("{what}\n{}", verdict.err()?)))
        .collect();
    assert!(
        mismatches.is_empty(),
        "{} answers do not agree:\n\n{}",
        mismatches.len(),
        mismatches.join("\n\n")
    );
}

/// A test for each fixture, with the package that was recorded and without it.
macro_rules! fixtures {
    ($($name:ident)*) => {
        fixtures!(@with real, OPENENV, $($name)*);
        fixtures!(@with standin, STANDIN, $($name)*);

        const FIXTURES: &[&str] = &[$(stringify!($name)),*];
    };
    (@with $python:ident, $installed:expr, $($name:ident)*) => {
        mod $python {
            use super::*;

            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                #[ignore = "needs packages of Python: `cargo xtask test workers`"]
                async fn $name() {
                    check(stringify!($name), $installed).await;
                }
            )*
        }
    };
}

fixtures! {
    async_methods
    bare
    fastapi_app
    faults
    function_factory
    gradio_at_top
    hello_env
    http_env_server
    legacy_core
    lighthouse
    manifest_only
    mcp_tools
    not_concurrent
    partial_factory
    plain_object
    probe_asyncenv
    probe_echo
    probe_mcpenv
    probe_mcpserveronly
    probe_mcpstyle
    probe_plain
    probe_single
    probe_tasks
    script_entry
    single_thread
    src_layout
    subclass_in_lifespan
    tasks_split
    typed_state
    wrapped
}

#[test]
fn every_recorded_fixture_is_served() {
    let mut names = Expected::names();
    names.sort();
    assert_eq!(names, FIXTURES);
}

#[test]
fn every_difference_is_about_an_exchange_that_exists_and_every_defect_is_one() {
    let recorded: Vec<_> = FIXTURES
        .iter()
        .map(|name| (*name, Expected::read(name)))
        .collect();
    let exchanges = || {
        recorded
            .iter()
            .flat_map(|(name, expected)| expected.exchanges.iter().map(move |it| (*name, it)))
    };
    let differences = differences::all();
    for difference in &differences {
        assert!(exchanges().any(|(name, exchange)| difference.covers(name, exchange)));
    }
    for (name, exchange) in exchanges() {
        let covering = differences.iter().filter(|it| it.covers(name, exchange));
        match covering.count() {
            0 => assert_eq!(exchange.defect, None, "{name}: {}", exchange.send),
            covering => assert_eq!(covering, 1, "{name}: {}", exchange.send),
        }
    }
}
