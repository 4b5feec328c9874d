//! From an idea to a container, and what the Python package makes of the image.

use std::fs;
use std::process::{Command, Stdio};

use tempfile::TempDir;

use crate::place::{reference, workspace};
use crate::serving::{Serving, openenv_with_cargo, wait_for};

/// Drives the image named by its argument as a trainer does, and prints what it sees.
const TRAINER: &str = r#"
import sys
from openenv import GenericEnvClient

with GenericEnvClient.from_docker_image(sys.argv[1]).sync() as env:
    env.reset(seed=7, episode_id="journey")
    result = env.step({"number": 50})
    state = env.state()
    print(result.observation["guesses_left"], result.reward, state["episode_id"], state["step_count"])
"#;

/// What a command prints; it has to succeed.
fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{said}\n{complained}");
    said.trim().to_owned()
}

/// The command with what cargo and the engine need of the environment.
fn command(arguments: &str) -> Command {
    let mut command = openenv_with_cargo(arguments);
    command
        .envs(std::env::var_os("DOCKER_HOST").map(|host| ("DOCKER_HOST", host)))
        // Kept from one run to the next: it is the same source each time.
        .env("CARGO_TARGET_DIR", workspace().join("target/journey"));
    command
}

/// An image that goes away with the test.
struct Image(String);

impl Drop for Image {
    fn drop(&mut self) {
        let _ = Command::new("docker")
            .args(["image", "rm", "--force", &self.0])
            .output();
    }
}

#[test]
#[ignore = "needs a Docker engine: `cargo xtask test docker`"]
fn a_new_crate_becomes_an_image_that_the_python_package_accepts() {
    let place = TempDir::new().unwrap();
    let project = place.path().join("journey_env");
    succeed(command("init journey_env --lang rust --output-dir").arg(place.path()));
    let image = Image(format!("openenv-journey-{}:latest", std::process::id()));
    // As all the rest, but for the time that the compiler takes.
    let built = succeed(
        command("build --profile dev --tag")
            .arg(&image.0)
            .arg(&project),
    );
    assert_eq!(built, image.0);

    // Our own checks, within the limits that the project declares.
    let report = succeed(command("validate --image").arg(&image.0).arg(&project));
    assert!(report.contains("pass  runtime.startup"), "{report}");
    assert!(!report.contains("fail"), "{report}");

    // Who interrupts them leaves nothing behind.
    let of_image = |arguments: &str| {
        let mut listing = Command::new("docker");
        listing.args(arguments.split(' '));
        succeed(listing.args(["--filter", &format!("ancestor={}", image.0)]))
    };
    let checking = command("validate --image")
        .arg(&image.0)
        .arg(&project)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    wait_for("the container is there", || {
        !of_image("ps --quiet").is_empty()
    });
    succeed(Command::new("kill").args(["-TERM", &checking.id().to_string()]));
    let interrupted = checking.wait_with_output().unwrap();
    assert_eq!(interrupted.status.code(), Some(130), "{interrupted:?}");
    assert_eq!(of_image("ps --quiet --all"), "");

    // Those of the reference, which builds an image of its own on ours.
    let checked = place.path().join("checked");
    fs::create_dir_all(checked.join("validation")).unwrap();
    for file in ["openenv.yaml", "validation/runtime.json"] {
        fs::copy(project.join(file), checked.join(file)).unwrap();
    }
    fs::write(checked.join("Dockerfile"), format!("FROM {}\n", image.0)).unwrap();
    let report = succeed(
        Command::new(reference("openenv"))
            .arg("validate")
            .arg(&checked)
            .args(["--level", "runtime"]),
    );
    for check in [
        "runtime.startup",
        "runtime.reward_well_formed",
        "runtime.observation_schema",
        "runtime.state_contract",
    ] {
        let line = report.lines().find(|line| line.contains(check));
        assert!(line.is_some_and(|line| line.contains("PASS")), "{report}");
    }

    // Its provider starts the image, and its client plays.
    let mut trainer = Command::new(reference("python"));
    let seen = succeed(trainer.args(["-c", TRAINER, &image.0]));
    assert_eq!(seen, "6 0.0 journey 1");

    // And its URL check takes the container for what it is.
    let mut run = command("run --read-only");
    run.arg(&image.0);
    let server = Serving::start(run);
    let report = succeed(
        Command::new(reference("openenv"))
            .args(["validate", "--url"])
            .arg(&server.url),
    );
    assert!(report.contains("Verdict: PASS"), "{report}");
    let (status, stderr) = server.stop();
    assert_eq!(status.code(), Some(0), "{stderr}");
}
