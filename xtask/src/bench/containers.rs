//! A new environment in a container: what its image weighs, and how long it takes to the first answered reset.
//!
//! Ours is the project that `openenv init --lang rust` writes, built by `openenv build`; the reference's is its own
//! project on a small Debian with Python, since no image can be had from a registry everywhere. Its packages are those
//! of the virtual environment of the tests.

use std::{
    fs,
    net::SocketAddr,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use tokio::{runtime::Runtime, time::sleep};

use super::{
    Effort,
    authoring::succeed,
    client::{RESET, Session},
    report::{Figure, Report, Target},
    start::median,
    subject::{Subject, Subjects},
};
use crate::{debian, workspace};

/// A container that takes longer is broken.
const READY_WITHIN: Duration = Duration::from_mins(2);
const POLL_EVERY: Duration = Duration::from_millis(2);

pub(super) fn measure(
    subjects: &Subjects,
    effort: Effort,
    runtime: &Runtime,
    report: &mut Report,
) -> Result<()> {
    let runs = match effort {
        Effort::Quick => 1,
        Effort::Full => 5,
    };
    let images = subjects.try_map(image)?;
    let sizes = images.try_map(|image| {
        let size = docker(&["image", "inspect", "--format", "{{.Size}}", image])?;
        Ok(size.parse::<f64>()? / 1e6)
    })?;
    report.add(Figure::new("image size", "MB", sizes).target(Target::ValueAtMost(25.0)));
    let started = images.try_map(|image| {
        let mut samples = Vec::new();
        for _ in 0..=runs {
            samples.push(start_to_reset(image, runtime)?);
        }
        // The first of all reads the image from disk.
        samples.remove(0);
        Ok(median(samples))
    })?;
    let name = "container start to first reset";
    report.add(Figure::new(name, "ms", started));
    for image in [images.ours, images.reference].into_iter().flatten() {
        docker(&["image", "rm", "--force", &image])?;
    }
    Ok(())
}

/// Writes a new project and builds its image; gives the image's name.
fn image(subject: &Subject) -> Result<String> {
    let directory = workspace::target()
        .join("xtask/container")
        .join(subject.label());
    // It may not be there.
    let _ = fs::remove_dir_all(&directory);
    fs::create_dir_all(&directory)?;
    let tag = format!("openenv-bench:{}", subject.label());
    let mut init = Command::new(subject.command_line());
    init.args(["init", "bench_env", "--output-dir"])
        .arg(&directory);
    let is_reference = subject.label() == "reference";
    if !is_reference {
        init.args(["--lang", "rust"]);
    }
    succeed(&mut init)?;
    let project = directory.join("bench_env");
    if is_reference {
        let site_packages = site_packages(subject)?;
        let base = debian::image()?;
        let dockerfile = format!(
            "FROM {base}\nCOPY . /app/env\n\
             ENV PYTHONPATH=/app/env/packages:/app/env\nWORKDIR /app/env\nEXPOSE 8000\n\
             CMD [\"python3\", \"-m\", \"uvicorn\", \"server.app:app\", \"--host\", \"0.0.0.0\", \
             \"--port\", \"8000\"]\n"
        );
        fs::write(project.join("server/Dockerfile"), dockerfile)?;
        succeed(
            Command::new("cp")
                .arg("-r")
                .arg(site_packages)
                .arg(project.join("packages")),
        )?;
    }
    let mut build = Command::new(subject.command_line());
    build.arg("build").arg(&project).args(["--tag", &tag]);
    // The first release build of everything, on a target directory of its own.
    build.env("CARGO_TARGET_DIR", workspace::target().join("xtask/image"));
    succeed(&mut build)?;
    Ok(tag)
}

/// Where the packages of the reference are.
fn site_packages(subject: &Subject) -> Result<PathBuf> {
    let script = "import sysconfig; print(sysconfig.get_path('purelib'))";
    let path = succeed(Command::new(subject.program()).args(["-c", script]))?;
    Ok(path.into())
}

/// Milliseconds from `docker run` to the answer to a reset.
fn start_to_reset(image: &str, runtime: &Runtime) -> Result<f64> {
    let begin = Instant::now();
    let container = docker(&["run", "--detach", "--publish", "127.0.0.1::8000", image])?;
    let outcome = runtime.block_on(first_reset(&container, begin));
    docker(&["rm", "--force", "--volumes", &container])?;
    outcome
}

async fn first_reset(container: &str, begin: Instant) -> Result<f64> {
    let address: SocketAddr = docker(&["port", container, "8000"])?
        .parse()
        .context("the container has no port")?;
    while begin.elapsed() < READY_WITHIN {
        if let Ok(mut session) = Session::connect(address, 0).await
            && session.ask(&RESET).await.is_ok()
        {
            return Ok(begin.elapsed().as_secs_f64() * 1e3);
        }
        sleep(POLL_EVERY).await;
    }
    bail!("the container answered no reset within {READY_WITHIN:?}")
}

fn docker(arguments: &[&str]) -> Result<String> {
    succeed(Command::new("docker").args(arguments))
}
