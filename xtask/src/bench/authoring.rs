//! What an author waits for: a new project, and whether a running environment is in order.

use std::{
    path::Path,
    process::{Command, Stdio},
    time::Instant,
};

use anyhow::{Context as _, Result, ensure};

use super::{
    Effort,
    report::{Figure, Report, Target},
    start::median,
    subject::{Subject, Subjects},
};
use crate::workspace;

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let runs = match effort {
        Effort::Quick => 1,
        Effort::Full => 5,
    };
    let milliseconds = subjects.try_map(|subject| {
        let server = subject.start("echo", 512)?;
        let mut samples = Vec::new();
        // The first of all reads the program from disk.
        init_and_validate(subject, &server.url())?;
        for _ in 0..runs {
            samples.push(init_and_validate(subject, &server.url())?);
        }
        Ok(median(samples))
    })?;
    let figure = Figure::new("init and validate", "ms", milliseconds);
    report.add(figure.target(Target::ValueAtMost(1000.0)));
    Ok(())
}

/// Milliseconds for both commands, one after the other.
fn init_and_validate(subject: &Subject, url: &str) -> Result<f64> {
    let directory = workspace::target().join("xtask").join("init");
    // It may not be there.
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory)?;
    let command = subject.command_line();
    let begin = Instant::now();
    succeed(
        Command::new(&command)
            .args(["init", "bench_env", "--output-dir"])
            .arg(&directory),
    )?;
    succeed(Command::new(&command).args(["validate", "--url", url]))?;
    let taken = begin.elapsed();
    ensure!(
        Path::new(&directory)
            .join("bench_env/openenv.yaml")
            .is_file(),
        "no project was written"
    );
    Ok(taken.as_secs_f64() * 1e3)
}

/// Runs a command silently; what it says is for who asks why it failed.
pub(super) fn succeed(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("could not run {command:?}"))?;
    ensure!(
        output.status.success(),
        "{command:?} ended with {}: {}{}",
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
