//! Side by side with the reference, where it is installed.
//!
//! These tests need a Python with openenv 0.10.0, which `cargo xtask test workers` makes; they are ignored
//! otherwise.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use openenv::{Mode, Server as EnvServer};
use openenv_echo::Echo;
use openenv_validate::{
    Level, PackageOptions, RunningReport, Server, check_package, check_running,
};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{criterion, serve_environment};

/// The reference is slow to start.
const PATIENCE: Duration = Duration::from_mins(2);

/// The Python of the tests.
///
/// # Panics
/// If it is not there.
fn python() -> Command {
    let told = std::env::var_os("OPENENV_TEST_VENVS").map(PathBuf::from);
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2);
    let kept = told.unwrap_or_else(|| workspace.unwrap().join(".venvs"));
    let python = kept.join("openenv-0.10.0/bin/python");
    assert!(
        python.exists(),
        "there is no `{}`: `cargo xtask test workers` makes it and runs these tests",
        python.display()
    );
    Command::new(python)
}

/// Runs a script in Python and reads what it prints as JSON.
async fn run(script: &'static str, arguments: Vec<String>) -> Value {
    let output = tokio::task::spawn_blocking(move || {
        let mut python = python();
        python.arg("-c").arg(script).args(arguments);
        python.output().unwrap()
    });
    let output = output.await.unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {errors}"))
}

const PLAN: &str = r#"{"plan_schema_version":"1","reset":{"episode_id":"planned","seed":7},"actions":[{"message":"a"},{"message":"bc"}]}"#;
const MANIFEST: &str = "\
name: sample
validation:
  reward: {floor_margin: 0.2}
  resources: {cpu: 1, memory_mb: 256, disk_mb: 64, episode_timeout_s: 30}
  capabilities: {verifier: {kind: reward_channel}}
  types: {tags: [test]}
  execution: {}
";

fn package() -> TempDir {
    let root = TempDir::new().unwrap();
    let write = |name: &str, text: &str| {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    write("openenv.yaml", MANIFEST);
    write("validation/runtime.json", PLAN);
    write("server/app.py", "# empty\n");
    write("a-b.txt", "first");
    write("a/b.txt", "second");
    write("ä.txt", "third");
    write("a/__pycache__/c.pyc", "not counted");
    write("outputs/log.txt", "not counted");
    root
}

#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn digests_are_the_same() {
    let root = package();
    let mut options = PackageOptions::default();
    options.level = Level::Static;
    let run_here = check_package(root.path(), &options).await.unwrap();
    let script = "import json, sys, pathlib
from openenv.validation.runner import source_digest
print(json.dumps(source_digest(pathlib.Path(sys.argv[1]))))";
    let theirs = run(script, vec![root.path().display().to_string()]).await;
    assert_eq!(theirs, run_here.report().source_digest);
}

/// The reference reads our reports as its own, and comes to the same verdict for what it knows.
#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn the_reference_reads_our_reports() {
    let root = package();
    let mut reports = Vec::new();
    for level in [Level::Static, Level::Semantic] {
        let mut options = PackageOptions::default();
        options.level = level;
        let run = check_package(root.path(), &options).await.unwrap();
        reports.push(serde_json::to_string(run.report()).unwrap());
    }
    let script = "import json, sys
from openenv.validation.report import ValidationReportV2
from openenv.validation.policy import apply_policy, load_policy
from openenv.validation.types import Lane
verdicts = []
for text in sys.argv[1:]:
    report = ValidationReportV2.model_validate_json(text)
    known = [r for r in report.results if not r.check_id.startswith('live.')]
    verdict = apply_policy(known, load_policy(report.policy_version), Lane.LOCAL)
    verdicts.append([verdict.value, report.verdict.value])
print(json.dumps(verdicts))";
    let verdicts = run(script, reports).await;
    for verdict in verdicts.as_array().unwrap() {
        assert_eq!(verdict[0], verdict[1], "{verdicts}");
    }
}

#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn the_reference_is_content_with_our_server() {
    for mode in [Mode::Simulation, Mode::Production] {
        let builder = EnvServer::builder().environment("echo", Echo::default);
        let url = serve_environment(builder.mode(mode)).await;
        let script = "import json, sys
from openenv.cli._validation import validate_running_environment
print(json.dumps(validate_running_environment(sys.argv[1])))";
        let theirs = run(script, vec![url.clone()]).await;
        assert_eq!(theirs["passed"], true, "{theirs:#}");
        // Ours begins with the same, word for word where a program would look.
        let server = Server::new(&url, Duration::from_secs(5)).unwrap();
        let ours = serde_json::to_value(check_running(&server).await).unwrap();
        for key in [
            "target",
            "validation_type",
            "standard_version",
            "standard_profile",
            "mode",
            "passed",
        ] {
            assert_eq!(ours[key], theirs[key], "{key}");
        }
        for (index, criterion) in theirs["criteria"].as_array().unwrap().iter().enumerate() {
            for key in ["id", "passed", "required", "expected", "actual"] {
                assert_eq!(
                    ours["criteria"][index][key], criterion[key],
                    "{key} of {criterion}"
                );
            }
        }
    }
}

/// The graders of the reference's second level, with our server in the place of a container.
#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn the_graders_of_the_reference_are_content_with_our_server() {
    let root = package();
    let builder = EnvServer::builder().environment("echo", Echo::default);
    let url = serve_environment(builder).await;
    let script = "import json, sys, pathlib
from openenv.validation import run_validation, Level
from openenv.validation.types import ProviderCapability
class Running:
    base_url = sys.argv[2]
    def inspect(self): return {}
    def logs(self, max_bytes=0): return ''
    def stop(self): pass
class Provider:
    name = 'url'
    capabilities = frozenset({ProviderCapability.IMAGE_BUILD})
    supported_network_modes = frozenset({'public'})
    def build(self, root, execution): return 'sha256:' + '0' * 64
    def start(self, spec): return Running()
report = run_validation(pathlib.Path(sys.argv[1]), max_level=Level.RUNTIME, provider=Provider())
print(json.dumps({r.check_id: r.status.value for r in report.results}))";
    let statuses = run(script, vec![root.path().display().to_string(), url]).await;
    for id in [
        "startup",
        "reward_well_formed",
        "observation_schema",
        "state_contract",
    ] {
        assert_eq!(statuses[format!("runtime.{id}")], "pass", "{statuses}");
    }
}

/// A server of the reference, which ends with the test.
struct Uvicorn {
    child: Child,
    url: String,
}

impl Uvicorn {
    /// Starts what serves at the port that it is given, and waits until it does.
    async fn start(command: impl FnOnce(&str) -> Command) -> Self {
        let port = {
            let listener = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
            listener.local_addr().unwrap().port().to_string()
        };
        let mut command = command(&port);
        command.env("PYTHONDONTWRITEBYTECODE", "1");
        let uvicorn = Self {
            child: command.stdin(Stdio::null()).spawn().unwrap(),
            url: format!("http://127.0.0.1:{port}"),
        };
        let begun = Instant::now();
        while std::net::TcpStream::connect(format!("127.0.0.1:{port}")).is_err() {
            assert!(begun.elapsed() < PATIENCE, "the server does not start");
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        uvicorn
    }

    async fn check(&self) -> RunningReport {
        let server = Server::new(&self.url, Duration::from_secs(10)).unwrap();
        check_running(&server).await
    }
}

impl Drop for Uvicorn {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const APP: &str = "import sys, random, uvicorn
from uuid import uuid4
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Add(Action):
    add: int

class Total(Observation):
    total: int = 0

class Counter(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def __init__(self):
        super().__init__()
        self._state = State(episode_id=str(uuid4()), step_count=0)
        self.total = 0
    def reset(self, seed=None, episode_id=None, **kwargs):
        self._state = State(episode_id=episode_id or str(uuid4()), step_count=0)
        self.total = random.Random(seed).randrange(100)
        return Total(total=self.total, done=False, reward=0.0)
    def step(self, action, timeout_s=None, **kwargs):
        self._state.step_count += 1
        self.total += action.add
        return Total(total=self.total, done=False, reward=0.5)
    @property
    def state(self):
        return self._state

app = create_app(Counter, Add, Total, env_name='counter', max_concurrent_envs=int(sys.argv[2]))
uvicorn.run(app, host='127.0.0.1', port=int(sys.argv[1]), log_level='error')
";

/// What is normal for the reference's server is no more than a note.
#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn the_server_of_the_reference_passes() {
    for places in ["4", "1"] {
        let served = Uvicorn::start(|port| {
            let mut command = python();
            command.args(["-c", APP, port, places]);
            command
        });
        let report = served.await.check().await;
        assert!(report.passed, "{:#?}", report.criteria);
        assert!(
            report.summary.failed_criteria.is_empty(),
            "{:#?}",
            report.criteria
        );
        // It ends the session over a message that is no object.
        let bad = criterion(&report, "live.bad_actions");
        assert!(bad.details.is_some(), "{bad:#?}");
        assert!(criterion(&report, "live.determinism").passed);
        if places == "1" {
            assert!(criterion(&report, "live.capacity").passed);
        } else {
            assert!(criterion(&report, "live.isolation").passed);
        }
    }
}

/// Nor is what is normal for its tools.
#[tokio::test]
#[ignore = "needs Python with openenv 0.10.0"]
async fn tools_on_the_server_of_the_reference_pass() {
    let package = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../openenv/tests/fixtures/python/packages/mcp_tools");
    let served = Uvicorn::start(|port| {
        let mut command = python();
        command
            .args(["-m", "uvicorn", "server.app:app", "--host", "127.0.0.1"])
            .args(["--log-level", "error", "--port", port])
            .current_dir(package);
        command
    });
    let report = served.await.check().await;
    assert!(report.passed, "{:#?}", report.criteria);
    // Its schema of what reset returns is that of a tool's call; a tool has no description.
    let failed = &report.summary.failed_criteria;
    let known = ["live.observation_schema", "live.tools"];
    assert_eq!(failed, &known, "{:#?}", report.criteria);
}
