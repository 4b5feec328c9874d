//! `openenv validate` of packages in Python.

use std::fs;

use serde_json::Value;

use super::{Bench, package, written};

const MANIFEST: &str = "\
name: counter
app: server.app:app
validation:
  reward: {floor_margin: 0.2}
  resources: {cpu: 1, memory_mb: 512, disk_mb: 64, episode_timeout_s: 20}
  capabilities: {verifier: {kind: reward_channel}}
  types: {tags: [test]}
";

const APPLICATION: &str = "\
import random
from openenv.core.env_server import Action, Environment, Observation, State, create_app

class Add(Action):
    add: int

class Total(Observation):
    total: int = 0

class Counter(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id, step_count=0)
        self.total = random.Random(seed).randrange(100)
        return Total(total=self.total, reward=0.0, done=False)

    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        self.total += action.add
        return Total(total=self.total, reward=0.5, done=False)

    @property
    def state(self):
        return self._state

app = create_app(Counter, Add, Total, env_name='counter', max_concurrent_envs=4)
";

fn statuses(bench: &Bench, root: &std::path::Path) -> (Value, Option<i32>) {
    let output = bench.openenv("validate --json", root).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {stderr}"));
    let results = report["results"].as_array().unwrap().iter();
    let statuses = results.map(|result| {
        let id = result["check_id"].as_str().unwrap().to_owned();
        (id, result.clone())
    });
    (statuses.collect(), output.status.code())
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_package_is_run_and_played_with() {
    let bench = Bench::new();
    let root = written(APPLICATION);
    fs::write(root.path().join("openenv.yaml"), MANIFEST).unwrap();
    let (results, code) = statuses(&bench, root.path());
    for id in [
        "static.manifest",
        "runtime.startup",
        "runtime.reward_well_formed",
        "runtime.observation_schema",
        "runtime.state_contract",
        "runtime.seed_control",
        "runtime.episode_determinism",
        "runtime.episode_isolation",
        "live.bad_actions",
        "live.close",
    ] {
        assert_eq!(results[id]["status"], "pass", "{}", results[id]);
    }
    assert_eq!(code, Some(0));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn a_package_that_cannot_be_imported_fails() {
    let bench = Bench::new();
    let (results, code) = statuses(&bench, &package("broken_import"));
    assert_eq!(results["runtime.startup"]["status"], "fail");
    assert_eq!(code, Some(1));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn what_sessions_share_is_found() {
    let bench = Bench::new();
    let shared = APPLICATION.replace("self.total", "Counter.total");
    let root = written(&shared);
    fs::write(root.path().join("openenv.yaml"), MANIFEST).unwrap();
    let (results, code) = statuses(&bench, root.path());
    let isolation = &results["runtime.episode_isolation"];
    assert_eq!(isolation["status"], "fail", "{isolation}");
    assert_eq!(code, Some(1));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn one_session_is_all_that_a_package_may_have() {
    let bench = Bench::new();
    let root = written(&APPLICATION.replace("max_concurrent_envs=4", "max_concurrent_envs=1"));
    fs::write(root.path().join("openenv.yaml"), MANIFEST).unwrap();
    let (results, code) = statuses(&bench, root.path());
    assert_eq!(results["runtime.episode_isolation"]["status"], "skip");
    assert_eq!(results["live.capacity"]["status"], "pass");
    assert_eq!(code, Some(0));
    bench.assert_nothing_is_left();
}

#[test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
fn errors_that_were_provoked_are_not_logged() {
    let bench = Bench::new();
    let root = written(&APPLICATION.replace(
        "        self._state.step_count += 1\n",
        "        self._state.step_count += 1\n        assert self._state.step_count < 2\n",
    ));
    fs::write(root.path().join("openenv.yaml"), MANIFEST).unwrap();
    let output = bench.openenv("validate", root.path()).output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(!stderr.contains("Traceback"), "{stderr}");
    bench.assert_nothing_is_left();
}
