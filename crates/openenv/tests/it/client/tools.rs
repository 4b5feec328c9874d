//! The client of tools, in both dialects.

use std::time::Duration;

use openenv::{Content, Endpoint, Mode, Server, ToolClient, ToolFailure};
use serde_json::json;
use tokio::time::timeout;

use super::workshop::{Amount, Part, Pause, Warehouse, Words, Workshop};
use crate::probe::InlineProbe;
use crate::support::{TestServer, eventually};

/// How a client speaks.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Dialect {
    OpenEnv,
    Mcp,
}

impl Dialect {
    async fn connect(self, endpoint: &Endpoint) -> openenv::Result<ToolClient> {
        match self {
            Self::OpenEnv => endpoint.connect_tools().await,
            Self::Mcp => endpoint.connect_mcp().await,
        }
    }

    async fn client(self, server: &TestServer) -> ToolClient {
        self.connect(&endpoint(server)).await.unwrap()
    }
}

macro_rules! in_both {
    ($($test:ident),* $(,)?) => {
        mod openenv_dialect {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::Dialect::OpenEnv).await;
                }
            )*
        }

        mod mcp {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::Dialect::Mcp).await;
                }
            )*
        }
    };
}

in_both! {
    tools_are_listed,
    results_have_types,
    failures_say_how,
    arguments_are_an_object,
    each_client_has_a_session,
    a_dropped_client_frees_its_place,
    a_closed_client_has_freed_its_place,
    a_full_server_refuses,
    a_full_server_is_waited_for,
    a_late_call_costs_no_other_its_reply,
    a_call_that_is_given_up_costs_no_other_its_reply,
    a_panic_ends_the_session,
    a_server_that_stops,
    nobody_is_there,
    an_environment_without_tools,
    many_tools,
    a_prefix_is_kept,
}

fn endpoint(server: &TestServer) -> Endpoint {
    Endpoint::new(&server.url()).unwrap()
}

async fn workshop() -> TestServer {
    TestServer::start(Workshop::server().0).await
}

async fn add(tools: &mut ToolClient, amount: i64) -> i64 {
    let output = tools.call_tool("add", &Amount { amount }).await.unwrap();
    output.read().unwrap()
}

async fn tools_are_listed(dialect: Dialect) {
    for (mode, own) in [(Mode::Simulation, "peek"), (Mode::Production, "sell")] {
        let server = TestServer::start(Workshop::server().0.mode(mode)).await;
        let mut tools = dialect.client(&server).await;
        let listed = tools.list_tools().await.unwrap();
        let names: Vec<_> = listed.iter().map(|tool| tool.name.as_str()).collect();
        let common = ["add", "fail", "wait", "hurry", "part", "picture", "panic"];
        assert_eq!(names[..7], common);
        assert_eq!(names[7..], [own]);
        let add = &listed[0];
        assert_eq!(add.title.as_deref(), Some("Add"));
        assert_eq!(add.description, "Adds to the sum");
        assert_eq!(add.input_schema["properties"]["amount"]["maximum"], 100);
        let output = add.output_schema.as_ref().unwrap();
        assert_eq!(output["properties"]["result"]["type"], "integer");
        assert_eq!(listed[3].title, None);
        assert_eq!(listed[5].output_schema, None, "a picture has no schema");
        let output = tools.call_tool(own, &()).await.unwrap();
        output.read::<u32>().unwrap();
    }
}

async fn results_have_types(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    assert_eq!(add(&mut tools, 2).await, 2);
    assert_eq!(add(&mut tools, 3).await, 5, "it is the same session");

    let text = "gear".to_owned();
    let output = tools.call_tool("part", &Words { text }).await.unwrap();
    let part: Part = output.read().unwrap();
    assert_eq!((&*part.name, &*part.sizes), ("gear", &[1.5, 2.0][..]));
    assert_eq!(
        output.json().unwrap().get(),
        r#"{"name":"gear","sizes":[1.5,2.0]}"#
    );
    let error = output.read::<u32>().unwrap_err();
    assert_eq!(error.code(), "INVALID_ANSWER");

    let output = tools.call_tool("picture", &()).await.unwrap();
    let [Content::Text { text }, Content::Image { data, mime_type }] = output.content() else {
        panic!("{output:?}");
    };
    assert_eq!((&**text, &**data, &**mime_type), ("see", "AQ==", "image/x"));
    assert!(output.json().is_none());

    let output = tools.call_tool("wait", &Pause { milliseconds: 1 }).await;
    output.unwrap().read::<()>().unwrap();
    tools.close().await.unwrap();
}

async fn failures_say_how(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    let told_to = json!({ "text": "told to" });
    let slow = json!({ "milliseconds": 5000 });
    for (name, arguments, failure, text) in [
        (
            "nothing",
            json!({}),
            ToolFailure::NotFound,
            "Unknown tool: 'nothing'",
        ),
        (
            "sell",
            json!({}),
            ToolFailure::NotFound,
            "Tool 'sell' not available in simulation mode",
        ),
        ("add", json!({}), ToolFailure::InvalidArguments, "amount"),
        (
            "add",
            json!({ "amount": 101 }),
            ToolFailure::InvalidArguments,
            "amount",
        ),
        (
            "fail",
            json!({ "text": "" }),
            ToolFailure::InvalidArguments,
            "say why",
        ),
        ("fail", told_to, ToolFailure::Execution, "told to"),
        (
            "hurry",
            slow,
            ToolFailure::Timeout,
            "Tool 'hurry' timed out",
        ),
    ] {
        let error = tools.call_tool(name, &arguments).await.unwrap_err();
        assert_eq!(error.tool_failure(), Some(failure), "{name}: {error:?}");
        assert!(error.to_string().contains(text), "{name}: {error}");
    }
    assert_eq!(add(&mut tools, 1).await, 1, "the session went on");
    assert!(tools.is_connected());
}

async fn arguments_are_an_object(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    let error = tools.call_tool("add", &[1]).await.unwrap_err();
    assert!(error.is_validation(), "{error:?}");
    assert_eq!(add(&mut tools, 1).await, 1);
}

async fn each_client_has_a_session(dialect: Dialect) {
    let server = TestServer::start(Workshop::server().0.max_sessions(2)).await;
    let mut one = dialect.client(&server).await;
    let mut other = dialect.client(&server).await;
    assert_eq!(add(&mut one, 1).await, 1);
    assert_eq!(add(&mut other, 10).await, 10);
    assert_eq!(add(&mut one, 1).await, 2);
    assert_eq!(server.server().sessions().len(), 2);
}

async fn a_dropped_client_frees_its_place(dialect: Dialect) {
    let (builder, waits) = Workshop::server();
    let server = TestServer::start(builder.max_sessions(1)).await;
    let mut tools = dialect.client(&server).await;
    let pause = Pause {
        milliseconds: 60_000,
    };
    let patient = timeout(Duration::from_millis(200), tools.call_tool("wait", &pause)).await;
    assert!(patient.is_err());
    drop(tools);
    eventually("the session ends", || server.server().sessions().is_empty()).await;
    eventually("the call ends", || waits.dropped() == 1).await;
    let mut tools = dialect.client(&server).await;
    assert_eq!(add(&mut tools, 1).await, 1);
}

async fn a_closed_client_has_freed_its_place(dialect: Dialect) {
    let server = TestServer::start(Workshop::server().0.max_sessions(1)).await;
    for _ in 0..20 {
        let mut tools = dialect.client(&server).await;
        assert_eq!(add(&mut tools, 1).await, 1);
        tools.close().await.unwrap();
        assert!(server.server().sessions().is_empty());
    }
}

async fn a_full_server_refuses(dialect: Dialect) {
    let server = TestServer::start(Workshop::server().0.max_sessions(1)).await;
    let mut first = dialect.client(&server).await;
    add(&mut first, 1).await;
    // Where there is a handshake, it is refused; else the first call is.
    let error = match dialect.connect(&endpoint(&server)).await {
        Ok(mut second) => {
            let error = second.list_tools().await.unwrap_err();
            assert!(!second.is_connected());
            error
        }
        Err(error) => error,
    };
    assert!(error.is_capacity(), "{error:?}");
    assert_eq!(error.code(), "CAPACITY_REACHED");
}

async fn a_full_server_is_waited_for(dialect: Dialect) {
    let server = TestServer::start(Workshop::server().0.max_sessions(1)).await;
    let mut first = dialect.client(&server).await;
    add(&mut first, 1).await;
    let patient = endpoint(&server).capacity_timeout(Duration::from_secs(30));
    let waiting = tokio::spawn(async move {
        let mut second = dialect.connect(&patient).await?;
        second.list_tools().await
    });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    first.close().await.unwrap();
    waiting.await.unwrap().unwrap();
}

async fn a_late_call_costs_no_other_its_reply(dialect: Dialect) {
    let server = workshop().await;
    let hasty = endpoint(&server).message_timeout(Some(Duration::from_millis(400)));
    let mut tools = dialect.connect(&hasty).await.unwrap();
    let pause = Pause { milliseconds: 600 };
    let error = tools.call_tool("wait", &pause).await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    assert_eq!(error.tool_failure(), None, "it was the client that gave up");
    assert_eq!(add(&mut tools, 1).await, 1);
}

async fn a_call_that_is_given_up_costs_no_other_its_reply(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    let mut before = 0;
    for round in 0..30 {
        let patience = Duration::from_micros(round * round * 10);
        let given_up = timeout(patience, tools.call_tool("add", &Amount { amount: 1 })).await;
        let sum = add(&mut tools, 100).await;
        let added = sum - before - 100;
        match given_up {
            Ok(output) => assert_eq!(
                (output.unwrap().read::<i64>().unwrap(), added),
                (sum - 100, 1)
            ),
            Err(_) => assert!(added == 0 || added == 1, "{added}"),
        }
        before = sum;
    }
}

async fn a_panic_ends_the_session(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    let error = tools.call_tool("panic", &()).await.unwrap_err();
    assert_eq!(
        error.tool_failure(),
        Some(ToolFailure::Execution),
        "{error:?}"
    );
    let error = tools
        .call_tool("add", &Amount { amount: 1 })
        .await
        .unwrap_err();
    assert!(error.ends_session(), "{error:?}");
    eventually("the session ends", || server.server().sessions().is_empty()).await;
}

async fn a_server_that_stops(dialect: Dialect) {
    let server = workshop().await;
    let mut tools = dialect.client(&server).await;
    add(&mut tools, 1).await;
    server.stop().await;
    let error = tools.list_tools().await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
}

async fn nobody_is_there(dialect: Dialect) {
    let endpoint = Endpoint::new("http://127.0.0.1:1").unwrap();
    let error = dialect.connect(&endpoint).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
    let text = error.to_string();
    assert!(
        text.starts_with("could not connect to http://127.0.0.1:1: "),
        "{text}"
    );
}

async fn an_environment_without_tools(dialect: Dialect) {
    let server = TestServer::start(InlineProbe::server().0).await;
    let error = match dialect.connect(&endpoint(&server)).await {
        Ok(mut tools) => tools.list_tools().await.unwrap_err(),
        Err(error) => error,
    };
    assert!(error.is_unsupported(), "{error:?}");
}

async fn many_tools(dialect: Dialect) {
    let server = TestServer::start(Server::builder().environment("warehouse", || Warehouse)).await;
    let mut tools = dialect.client(&server).await;
    let listed = tools.list_tools().await.unwrap();
    assert_eq!(listed.len(), Warehouse::TOOLS);
    for (number, tool) in listed.iter().enumerate() {
        assert_eq!(tool.name, format!("tool_{number}"));
    }
    let output = tools.call_tool("tool_249", &()).await.unwrap();
    assert_eq!(output.read::<usize>().unwrap(), 249);
}

async fn a_prefix_is_kept(dialect: Dialect) {
    let builder = InlineProbe::server()
        .0
        .environment("warehouse", || Warehouse);
    let server = TestServer::start(builder).await;
    let endpoint = Endpoint::new(&format!("{}/envs/warehouse/", server.url())).unwrap();
    let mut tools = dialect.connect(&endpoint).await.unwrap();
    assert_eq!(tools.list_tools().await.unwrap().len(), Warehouse::TOOLS);
    assert_eq!(tools.endpoint().to_string(), endpoint.to_string());
}
