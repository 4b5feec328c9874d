//! Tools in an episode: what trainers call, on this server and on the reference.

use std::time::Duration;

use openenv::{
    CallTool, Endpoint, EnvClient, EnvPool, EnvTypes, Json, ResetOptions, Reward, ToolClient,
    ToolFailure, ToolObservation, blocking,
};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::subject::Subject;
use super::workshop::{Amount, Pause, Workshop};
use crate::probe::InlineProbe;
use crate::support::TestServer;

macro_rules! against_both {
    ($($test:ident),* $(,)?) => {
        mod ours {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::ours().await).await;
                }
            )*
        }

        mod reference {
            $(
                #[tokio::test]
                #[ignore = "needs the reference package: `cargo xtask test client`"]
                async fn $test() {
                    super::$test(super::reference().await).await;
                }
            )*
        }
    };
}

against_both! {
    calls_belong_to_the_episode,
    steps_that_are_calls_count,
    failures_of_calls,
    failures_of_steps,
    an_agent_has_a_session_of_its_own,
    a_full_server_refuses_agents,
}

async fn ours() -> Subject {
    Subject::ours(Workshop::server().0.max_sessions(2)).await
}

async fn reference() -> Subject {
    Subject::reference("tools_app:app", 2).await
}

/// An environment of tools, as a client without its crate would declare it.
struct Tooled;

impl EnvTypes for Tooled {
    type Action = CallTool;
    type Observation = ToolObservation;
    type ResetObservation = Value;
    type State = Value;
}

async fn begin(subject: &Subject) -> EnvClient<Tooled> {
    let mut env = subject.endpoint().connect().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env
}

fn amount(amount: i64) -> Amount {
    Amount { amount }
}

async fn calls_belong_to_the_episode(subject: Subject) {
    let mut env = begin(&subject).await;
    let tools = env.list_tools().await.unwrap();
    let add = tools.iter().find(|tool| tool.name == "add").unwrap();
    assert_eq!(add.description, "Adds to the sum");
    assert_eq!(add.input_schema["properties"]["amount"]["type"], "integer");
    for sum in [2, 4] {
        let output = env.call_tool("add", &amount(2)).await.unwrap();
        assert_eq!(output.read::<i64>().unwrap(), sum);
    }
    let state = env.state().await.unwrap();
    assert_eq!(state.step_count, 0, "calls are no steps");
    let step = env.step_tool("add", &amount(1)).await.unwrap();
    let output = step.observation.output().unwrap();
    assert_eq!(output.read::<i64>().unwrap(), 5);
    env.reset(ResetOptions::default()).await.unwrap();
    let output = env.call_tool("add", &amount(1)).await.unwrap();
    assert_eq!(output.read::<i64>().unwrap(), 1, "a new episode");
    env.close().await.unwrap();
}

async fn steps_that_are_calls_count(subject: Subject) {
    let mut env = begin(&subject).await;
    let call = CallTool::new("add", &amount(3)).unwrap();
    let step = env.step(&call).await.unwrap();
    assert_eq!(step.reward, Some(Reward::Float(1.0)));
    assert!(!step.is_done());
    assert_eq!(step.observation.tool_name, "add");
    let step = env.step_tool("add", &amount(3)).await.unwrap();
    let output = step.observation.output().unwrap();
    assert_eq!(output.read::<i64>().unwrap(), 6);
    assert_eq!(env.state().await.unwrap().step_count, 2);

    let mut env = subject.endpoint().connect::<Json>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let step = env.step(&call.into()).await.unwrap();
    assert_eq!(step.observation["result"]["data"], 3);
    let step = env.step_tool("add", &json!({ "amount": 4 })).await.unwrap();
    assert_eq!(step.reward, Some(Reward::Float(1.0)));
}

async fn failures_of_calls(subject: Subject) {
    let mut env = begin(&subject).await;
    let told_to = json!({ "text": "told to" });
    for (name, arguments, failure) in [
        ("nothing", json!({}), ToolFailure::NotFound),
        ("add", json!({}), ToolFailure::InvalidArguments),
        (
            "add",
            json!({ "amount": "x" }),
            ToolFailure::InvalidArguments,
        ),
        ("fail", told_to, ToolFailure::Execution),
    ] {
        let error = env.call_tool(name, &arguments).await.unwrap_err();
        assert_eq!(error.tool_failure(), Some(failure), "{name}: {error:?}");
    }
    let error = env.call_tool("add", "text").await.unwrap_err();
    assert!(error.is_validation());
    env.step_tool("add", &amount(1)).await.unwrap();
}

async fn failures_of_steps(subject: Subject) {
    let mut env = begin(&subject).await;
    let told_to = json!({ "text": "told to" });
    for (name, arguments, failure) in [
        ("nothing", json!({}), ToolFailure::NotFound),
        ("fail", told_to, ToolFailure::Execution),
    ] {
        let step = env.step_tool(name, &arguments).await.unwrap();
        assert_eq!(step.reward, Some(Reward::Float(-1.0)));
        assert!(step.is_done());
        let error = step.observation.output().unwrap_err();
        assert_eq!(error.tool_failure(), Some(failure), "{error:?}");
    }
}

async fn an_agent_has_a_session_of_its_own(subject: Subject) {
    let connect = async || subject.endpoint().connect_tools().await.unwrap();
    let add = async |tools: &mut ToolClient, by| -> i64 {
        tools
            .call_tool("add", &amount(by))
            .await
            .unwrap()
            .read()
            .unwrap()
    };
    let (mut one, mut other) = (connect().await, connect().await);
    assert!(one.list_tools().await.unwrap().len() > 1);
    assert_eq!(add(&mut one, 1).await, 1);
    assert_eq!(add(&mut other, 10).await, 10);
    assert_eq!(add(&mut one, 1).await, 2);
    let error = one.call_tool("nothing", &()).await.unwrap_err();
    assert_eq!(error.tool_failure(), Some(ToolFailure::NotFound));
    one.close().await.unwrap();
    let patient = subject.endpoint().capacity_timeout(Duration::from_secs(30));
    let mut one = patient.connect_tools().await.unwrap();
    assert_eq!(add(&mut one, 1).await, 1);
}

async fn a_full_server_refuses_agents(subject: Subject) {
    let endpoint = subject.endpoint();
    let mut first = endpoint.connect_tools().await.unwrap();
    let mut second = endpoint.connect_tools().await.unwrap();
    first.list_tools().await.unwrap();
    second.list_tools().await.unwrap();
    let mut third = endpoint.connect_tools().await.unwrap();
    let error = third.list_tools().await.unwrap_err();
    assert!(error.is_capacity(), "{error:?}");
}

/// The environment's own type is enough, though it has no actions.
#[tokio::test]
async fn a_typed_client_of_an_environment_without_actions() {
    let subject = ours().await;
    let mut env = subject.endpoint().connect::<Workshop>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let call = CallTool::new("add", &amount(7)).unwrap();
    let step = env.step(&call).await.unwrap();
    let output = step.observation.output().unwrap();
    assert_eq!(output.read::<i64>().unwrap(), 7);
    let mut pool = EnvPool::<Workshop>::connect(subject.url(), 1)
        .await
        .unwrap();
    pool.reset(|_| ResetOptions::default()).await;
    let steps = pool.step(&[call]).await.unwrap();
    let step = steps.into_iter().next().unwrap().unwrap();
    assert_eq!(step.reward, Some(Reward::Float(1.0)));
}

#[tokio::test]
async fn a_call_that_is_given_up_does_not_shift_replies() {
    let subject = ours().await;
    let mut env = begin(&subject).await;
    let pause = Pause { milliseconds: 300 };
    let hasty = timeout(Duration::from_millis(50), env.call_tool("wait", &pause));
    assert!(hasty.await.is_err());
    let step = env.step_tool("add", &amount(1)).await.unwrap();
    assert_eq!(step.observation.tool_name, "add");
    assert_eq!(env.state().await.unwrap().step_count, 1);
}

#[tokio::test]
async fn an_environment_without_tools() {
    let server = TestServer::start(InlineProbe::server().0).await;
    let mut env = EnvClient::<Json>::connect(&server.url()).await.unwrap();
    let error = env.list_tools().await.unwrap_err();
    assert!(error.is_unsupported(), "{error:?}");
    let error = env.call_tool("add", &amount(1)).await.unwrap_err();
    assert!(error.is_unsupported(), "{error:?}");
    env.reset(ResetOptions::default()).await.unwrap();
}

#[tokio::test]
async fn without_async() {
    let subject = ours().await;
    let url = subject.url().to_owned();
    let play = move || {
        let mut env = blocking::EnvClient::<Workshop>::connect(&url).unwrap();
        env.reset(ResetOptions::default()).unwrap();
        assert_eq!(env.list_tools().unwrap()[0].name, "add");
        let output = env.call_tool("add", &amount(2)).unwrap();
        assert_eq!(output.read::<i64>().unwrap(), 2);
        let step = env.step_tool("add", &amount(2)).unwrap();
        assert_eq!(step.reward, Some(Reward::Float(1.0)));
        env.close().unwrap();
        let endpoint = Endpoint::new(&url).unwrap();
        for tools in [
            blocking::ToolClient::connect(&url),
            blocking::ToolClient::connect_mcp(&endpoint),
        ] {
            let mut tools = tools.unwrap();
            assert_eq!(tools.list_tools().unwrap()[0].name, "add");
            let output = tools.call_tool("add", &amount(2)).unwrap();
            assert_eq!(output.read::<i64>().unwrap(), 2);
            tools.close().unwrap();
        }
    };
    tokio::task::spawn_blocking(play).await.unwrap();
}
