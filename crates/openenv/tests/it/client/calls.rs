//! What every server has to give its clients: each test runs against both.

use std::time::Duration;

use openenv::{EnvClient, EnvPool, Json, ResetOptions, Reward, blocking};
use serde_json::json;
use tokio::time::timeout;

use super::subject::Kind;
use super::{Order, ProbeTypes, Typed, add, slowly};

macro_rules! against_both {
    ($($test:ident),* $(,)?) => {
        mod ours {
            $(
                #[tokio::test]
                async fn $test() {
                    super::$test(super::Kind::Ours).await;
                }
            )*
        }

        mod reference {
            $(
                #[tokio::test]
                #[ignore = "needs the reference package: `cargo xtask test client`"]
                async fn $test() {
                    super::$test(super::Kind::Reference).await;
                }
            )*
        }
    };
}

against_both! {
    a_typed_session,
    a_session_in_json,
    declared_types,
    blocking_outside_and_inside_of_a_runtime,
    attaching_to_a_session,
    a_full_server_refuses,
    a_full_server_is_waited_for,
    errors_leave_the_session_as_it_is,
    a_timeout_does_not_shift_replies,
    cancelled_calls_do_not_shift_replies,
    long_messages_both_ways,
    an_observation_over_the_limit,
    a_pool_answers_in_order,
    schemas_health_and_metadata,
}

async fn a_typed_session(kind: Kind) {
    let server = kind.start().await;
    let mut env = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    let options = ResetOptions::default()
        .with_seed(7)
        .with_episode_id("mine")
        .with("level", 3);
    assert_eq!(env.reset(options).await.unwrap().observation.sum, 0);
    for sum in 1..=3 {
        let step = env.step(&add(1)).await.unwrap();
        assert_eq!(step.observation.sum, sum);
        assert_eq!(step.reward, Some(Reward::Int(1)));
        assert!(!step.is_done());
    }
    let state = env.state().await.unwrap();
    assert_eq!(state.episode_id.as_deref(), Some("mine"));
    assert_eq!(state.step_count, 3);
    env.close().await.unwrap();
}

async fn a_session_in_json(kind: Kind) {
    let server = kind.start().await;
    let mut env = EnvClient::<Json>::connect(server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let step = env.step(&json!({"add": 5})).await.unwrap();
    assert_eq!(step.observation["sum"], 5);
    assert_eq!(env.state().await.unwrap().state["step_count"], 1);
    env.close().await.unwrap();
}

async fn declared_types(kind: Kind) {
    let server = kind.start().await;
    let mut env = server.endpoint().connect::<ProbeTypes>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    assert_eq!(env.step(&add(2)).await.unwrap().observation.sum, 2);
}

async fn blocking_outside_and_inside_of_a_runtime(kind: Kind) {
    fn play(url: &str) {
        let mut env = blocking::EnvClient::<Typed>::connect(url).unwrap();
        env.reset(ResetOptions::default()).unwrap();
        assert_eq!(env.step(&add(2)).unwrap().observation.sum, 2);
        assert_eq!(env.state().unwrap().step_count, 1);
        env.close().unwrap();
        let mut pool = blocking::EnvPool::<Typed>::connect(url, 3).unwrap();
        pool.reset(|_| ResetOptions::default());
        let steps = pool.step(&[add(1), add(2), add(3)]).unwrap();
        let sums: Vec<_> = steps
            .into_iter()
            .map(|step| step.unwrap().observation.sum)
            .collect();
        assert_eq!(sums, [1, 2, 3]);
        pool.close().unwrap();
    }
    let server = kind.start().await;
    let url = server.url().to_owned();
    // The server of the test lives on this runtime's only thread.
    tokio::task::spawn_blocking(move || {
        play(&url);
        tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap()
            .block_on(async { play(&url) });
    })
    .await
    .unwrap();
}

async fn attaching_to_a_session(kind: Kind) {
    let server = kind.start().await;
    let id = server.create_session().await;
    let mut env = server.endpoint().attach::<Typed>(&id).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.step(&add(5)).await.unwrap();
    env.close().await.unwrap();
    let mut env = server.endpoint().attach::<Typed>(&id).await.unwrap();
    let sum = env.step(&add(1)).await.unwrap().observation.sum;
    assert_eq!(sum, 6, "the session went on");
    let mut nobody = server.endpoint().attach::<Typed>("nobody").await.unwrap();
    let error = nobody.step(&add(1)).await.unwrap_err();
    assert!(error.is_session(), "{error:?}");
    assert_eq!(error.to_string(), "Unknown session_id: nobody");
}

async fn a_full_server_refuses(kind: Kind) {
    let server = kind.start_with(1).await;
    let mut first = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    first.reset(ResetOptions::default()).await.unwrap();
    let mut second = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    let error = second.reset(ResetOptions::default()).await.unwrap_err();
    assert!(error.is_capacity(), "{error:?}");
    assert_eq!(error.code(), "CAPACITY_REACHED");
    let error = second.reset(ResetOptions::default()).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
    first.close().await.unwrap();
    second.reconnect().await.unwrap();
    second.reset(ResetOptions::default()).await.unwrap();
}

async fn a_full_server_is_waited_for(kind: Kind) {
    let server = kind.start_with(1).await;
    let mut first = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    first.reset(ResetOptions::default()).await.unwrap();
    let patient = server.endpoint().capacity_timeout(Duration::from_secs(30));
    let mut second = patient.connect::<Typed>().await.unwrap();
    let waiting = tokio::spawn(async move { second.reset(ResetOptions::default()).await });
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert!(!waiting.is_finished());
    first.close().await.unwrap();
    waiting.await.unwrap().unwrap();
}

async fn errors_leave_the_session_as_it_is(kind: Kind) {
    let server = kind.start().await;
    let mut env = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    env.step(&add(5)).await.unwrap();
    let told_to = Order {
        fail: Some("told to".to_owned()),
        ..Order::default()
    };
    let error = env.step(&told_to).await.unwrap_err();
    assert!(error.is_execution(), "{error:?}");
    assert_eq!(error.to_string(), "told to");
    let too_long = Order {
        fail: Some("x".repeat(101)),
        ..Order::default()
    };
    let error = env.step(&too_long).await.unwrap_err();
    assert!(error.is_validation(), "{error:?}");
    assert_eq!(error.violations()[0].kind, "string_too_long");
    let text = error.to_string();
    assert!(text.starts_with("Invalid message: fail: "), "{text}");
    assert_eq!(env.step(&add(1)).await.unwrap().observation.sum, 6);
}

async fn a_timeout_does_not_shift_replies(kind: Kind) {
    let server = kind.start().await;
    let hasty = server
        .endpoint()
        .message_timeout(Some(Duration::from_millis(400)));
    let mut env = hasty.connect::<Typed>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let error = env.step(&slowly(1, 700)).await.unwrap_err();
    assert!(error.is_timeout(), "{error:?}");
    let step = env.step(&add(10)).await.unwrap();
    assert_eq!(step.reward, Some(Reward::Int(10)));
    assert_eq!(step.observation.sum, 11, "the late step was taken");
    assert_eq!(env.state().await.unwrap().step_count, 2);
}

async fn cancelled_calls_do_not_shift_replies(kind: Kind) {
    let server = kind.start().await;
    let mut env = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let mut sum = 0;
    for round in 0..60 {
        // From "before it is sent" to "long after the reply".
        let patience = Duration::from_micros(round * round * 4);
        let amount = i64::try_from(round).unwrap() + 1;
        let patient = timeout(patience, env.step(&slowly(amount, round % 4))).await;
        if let Ok(step) = patient {
            let step = step.unwrap();
            assert_eq!(step.reward, Some(Reward::Int(amount)));
            sum = step.observation.sum;
        } else {
            let step = env.step(&add(1000)).await.unwrap();
            assert_eq!(step.reward, Some(Reward::Int(1000)));
            let taken = step.observation.sum - sum - 1000;
            assert!(taken == 0 || taken == amount, "{taken} of {amount}");
            sum = step.observation.sum;
        }
    }
    assert!(env.is_connected());
}

async fn long_messages_both_ways(kind: Kind) {
    const LENGTH: usize = 64 << 20;
    let server = kind.start().await;
    let mut env = EnvClient::<Typed>::connect(server.url()).await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let long = Order {
        repeat: LENGTH,
        ..Order::default()
    };
    let step = env.step(&long).await.unwrap();
    assert_eq!(step.observation.text.len(), LENGTH);
    let refused = Order {
        fail: Some("y".repeat(16 << 20)),
        ..Order::default()
    };
    let error = env.step(&refused).await.unwrap_err();
    assert!(error.is_validation(), "{error}");
    assert_eq!(env.step(&add(1)).await.unwrap().observation.sum, 1);
}

async fn an_observation_over_the_limit(kind: Kind) {
    let server = kind.start().await;
    let small = server.endpoint().max_message_size(1 << 20);
    let mut env = small.connect::<Typed>().await.unwrap();
    env.reset(ResetOptions::default()).await.unwrap();
    let long = Order {
        repeat: 2 << 20,
        ..Order::default()
    };
    let error = env.step(&long).await.unwrap_err();
    assert!(error.is_connection(), "{error:?}");
    assert!(error.to_string().contains("max_message_size"), "{error}");
}

async fn a_pool_answers_in_order(kind: Kind) {
    const SESSIONS: u8 = 24;
    let server = kind.start().await;
    let mut pool = EnvPool::<Typed>::connect(server.url(), usize::from(SESSIONS))
        .await
        .unwrap();
    for outcome in pool
        .reset(|seed| ResetOptions::default().with_seed(seed as u64))
        .await
    {
        outcome.unwrap();
    }
    let mut actions: Vec<_> = (0..SESSIONS)
        .map(|number| slowly(number.into(), 20))
        .collect();
    actions[7].fail = Some("told to".to_owned());
    actions[3].sleep_ms = 300;
    let outcomes = pool.step(&actions).await.unwrap();
    assert_eq!(outcomes.len(), usize::from(SESSIONS));
    for (number, outcome) in (0..).zip(outcomes) {
        match outcome {
            Ok(step) => assert_eq!(step.observation.sum, number),
            Err(error) => {
                assert_eq!(number, 7);
                assert_eq!(error.to_string(), "told to");
            }
        }
    }
    let counts: Vec<_> = pool
        .state()
        .await
        .into_iter()
        .map(|state| state.unwrap().step_count)
        .collect();
    // The one that failed took its step as well, or not: servers differ.
    let others = (0..SESSIONS).zip(counts).filter(|(number, _)| *number != 7);
    assert!(others.into_iter().all(|(_, count)| count == 1));
    let error = pool.step(&actions[1..]).await.unwrap_err();
    assert!(error.is_validation());
    assert_eq!(
        error.violations()[0].to_string(),
        "actions: there are 23 actions for 24 sessions"
    );
    let options = |_| ResetOptions::default();
    let begun = pool.reset_only(&[9, 2], options).await.unwrap();
    assert!(begun.len() == 2 && begun.iter().all(Result::is_ok));
    let sums: Vec<_> = pool.step(&vec![add(1); 24]).await.unwrap();
    let sums: Vec<_> = sums
        .into_iter()
        .map(|step| step.unwrap().observation.sum)
        .collect();
    assert_eq!(sums[..4], [1, 2, 1, 4]);
    assert_eq!(sums[8..11], [9, 1, 11]);
    for sessions in [&[24][..], &[1, 1]] {
        let error = pool.reset_only(sessions, options).await.unwrap_err();
        assert!(error.is_validation());
    }
    assert!(pool.reconnect().await.is_empty(), "no session was lost");
    pool.close().await.unwrap();
}

async fn schemas_health_and_metadata(kind: Kind) {
    let server = kind.start().await;
    let endpoint = server.endpoint();
    endpoint.health().await.unwrap();
    let schemas = endpoint.schemas().await.unwrap();
    assert_eq!(schemas.action["properties"]["add"]["type"], "integer");
    assert!(endpoint.metadata().await.unwrap()["name"].is_string());
}
