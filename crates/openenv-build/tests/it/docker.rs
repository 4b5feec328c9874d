//! Images in a real engine.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use openenv_build::{Engine, Progress, Tag};

mod context;
mod native;

/// How long a container may take until it answers.
const PATIENCE: Duration = Duration::from_mins(1);

#[expect(clippy::print_stdout, reason = "it is shown if the test fails")]
fn tell(progress: Progress<'_>) {
    println!("{progress:?}");
}

async fn engine() -> Engine {
    Engine::connect(None).await.unwrap()
}

/// The directory for what takes long to make.
fn kept() -> PathBuf {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/images");
    std::fs::create_dir_all(&directory).unwrap();
    directory.canonicalize().unwrap()
}

/// What `docker` prints.
fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "docker {arguments:?}: {said}");
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

/// The name of an image of this test run alone; the image is gone with it.
#[derive(Debug)]
struct TestTag(Tag);

impl TestTag {
    fn new(name: &str) -> Self {
        let id = std::process::id();
        Self(format!("openenv-test-{name}:{id}").parse().unwrap())
    }

    fn tags(&self) -> Vec<Tag> {
        vec![self.0.clone()]
    }

    fn inspect(&self, format: &str) -> String {
        docker(&["image", "inspect", "--format", format, self.0.as_str()])
    }
}

impl Drop for TestTag {
    fn drop(&mut self) {
        let mut command = Command::new("docker");
        let _ = command.args(["rmi", "--force", self.0.as_str()]).output();
    }
}

/// A container that may do as little as possible; gone at the end.
#[derive(Debug)]
struct Container {
    id: String,
}

impl Container {
    fn start(tag: &TestTag, options: &[&str]) -> Self {
        let mut arguments = vec!["run", "--detach", "--publish", "127.0.0.1::8000"];
        arguments.extend(["--read-only", "--cap-drop", "ALL", "--tmpfs", "/tmp"]);
        arguments.extend(["--security-opt", "no-new-privileges", "--pids-limit", "256"]);
        arguments.extend(["--health-interval", "1s"]);
        arguments.extend(options);
        arguments.push(tag.0.as_str());
        Self {
            id: docker(&arguments),
        }
    }

    fn url(&self) -> String {
        let port = docker(&["port", &self.id, "8000/tcp"]);
        format!("http://{}", port.lines().next().unwrap())
    }

    /// Asks until it answers.
    fn ask(&self, path: &str, body: Option<&str>) -> String {
        let url = format!("{}{path}", self.url());
        let begin = Instant::now();
        loop {
            let mut command = Command::new("curl");
            command.args(["--silent", "--show-error", "--max-time", "20", &url]);
            if let Some(body) = body {
                command.args(["--header", "content-type: application/json", "--data", body]);
            }
            let output = command.output().unwrap();
            if output.status.success() && !output.stdout.is_empty() {
                return String::from_utf8(output.stdout).unwrap();
            }
            assert!(begin.elapsed() < PATIENCE, "no answer; {}", self.logs());
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    fn logs(&self) -> String {
        let output = Command::new("docker").args(["logs", &self.id]).output();
        let output = output.unwrap();
        String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned()
    }

    fn until_healthy(&self) {
        let begin = Instant::now();
        let format = "{{.State.Health.Status}}";
        while docker(&["inspect", "--format", format, &self.id]) != "healthy" {
            assert!(begin.elapsed() < PATIENCE, "{}", self.logs());
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// The exit code after it was asked to stop.
    fn stop(&self) -> String {
        docker(&["stop", "--time", "10", &self.id]);
        docker(&["inspect", "--format", "{{.State.ExitCode}}", &self.id])
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let mut command = Command::new("docker");
        let _ = command
            .args(["rm", "--force", "--volumes", &self.id])
            .output();
    }
}
