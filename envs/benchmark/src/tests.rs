use openenv::Reward;
use schemars::schema_for;

use super::*;

async fn step(environment: &mut Benchmark, action: BenchmarkAction) -> Step<BenchmarkObservation> {
    environment
        .step(action, StepOptions::default())
        .await
        .unwrap()
}

fn wait(seconds: f64) -> BenchmarkAction {
    BenchmarkAction {
        wait_seconds: seconds,
        ..BenchmarkAction::default()
    }
}

#[tokio::test]
async fn reset_starts_counting_again() {
    let mut environment = Benchmark::on("node-1:8000");
    step(&mut environment, wait(0.0)).await;
    let reset = environment.reset(ResetOptions::default()).await.unwrap();
    assert_eq!(reset.observation.step_count, 0);
    assert!(reset.observation.waited_seconds.abs() < f64::EPSILON);
    assert_eq!(reset.observation.host_url, "node-1:8000");
    assert_eq!(reset.reward, Some(Reward::Float(0.0)));
    assert!(!reset.is_done());
}

#[tokio::test(start_paused = true)]
async fn waits_as_long_as_asked() {
    let start = tokio::time::Instant::now();
    let answer = step(&mut Benchmark::default(), wait(3.0)).await;
    assert_eq!(start.elapsed().as_secs(), 3);
    assert!((answer.observation.waited_seconds - 3.0).abs() < f64::EPSILON);
    assert_eq!(answer.observation.step_count, 1);
    assert_eq!(answer.reward, Some(Reward::Float(0.25)));
    assert!(!answer.is_done());
}

#[tokio::test(start_paused = true)]
async fn does_not_wait_for_nonsense_nor_forever() {
    let start = tokio::time::Instant::now();
    for seconds in [-2.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        let answer = step(&mut Benchmark::default(), wait(seconds)).await;
        assert!(answer.observation.waited_seconds.abs() < f64::EPSILON);
        assert_eq!(answer.reward, Some(Reward::Float(1.0)));
    }
    assert!(start.elapsed().is_zero());
    step(&mut Benchmark::default(), wait(1e9)).await;
    assert_eq!(start.elapsed().as_secs(), 3600);
}

#[tokio::test]
async fn works_and_answers_as_much_as_asked() {
    let action = BenchmarkAction {
        work_micros: 2_000,
        payload_bytes: 1_000,
        ..BenchmarkAction::default()
    };
    let start = Instant::now();
    let answer = step(&mut Benchmark::default(), action).await;
    assert!(start.elapsed() >= Duration::from_millis(2));
    assert_eq!(answer.observation.payload.len(), 1_000);
    assert_eq!(answer.observation.pid, process::id());
    assert!(answer.observation.timestamp > 1.7e9);
}

#[test]
fn sessions_have_hashes_of_their_own() {
    let one = Benchmark::default().session_hash;
    let other = Benchmark::default().session_hash;
    assert_ne!(one[..12], other[..12]);
    for hash in [one, other] {
        assert_eq!(hash.len(), 16);
        assert!(hash.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}

#[test]
fn every_field_of_an_action_is_optional() {
    let action: BenchmarkAction = serde_json::from_str("{}").unwrap();
    assert_eq!(action, BenchmarkAction::default());
}

#[test]
fn schemas_carry_the_limits() {
    let schema = schema_for!(BenchmarkAction).to_value();
    let maximum = |field: &str| schema["properties"][field]["maximum"].as_f64();
    assert_eq!(maximum("wait_seconds"), Some(MAX_WAIT_SECONDS));
    assert_eq!(maximum("work_micros"), Some(1e7));
    assert_eq!(maximum("payload_bytes"), Some(16_777_216.0));
    assert!(schema.get("required").is_none());
}
