//! The web page of this server and that of the reference, in the same browser.

use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use serde::Deserialize;

use super::{
    Effort,
    report::{Figure, Report, Target},
    subject::{Pair, Subjects},
};
use crate::{
    browser,
    venv::{Setup, WEB},
    workspace,
};

/// Steps of the session that the page follows.
const FOLLOWED: u32 = 10_000;

/// What the script prints.
#[derive(Debug, Deserialize)]
struct Measured {
    bytes: f64,
    requests: f64,
    usable_ms: f64,
    step_ms: f64,
    follow: Option<Growth>,
}

/// How much more memory there is in use after a session was followed.
#[derive(Debug, Deserialize)]
struct Growth {
    heap_mib: f64,
    server_mib: f64,
}

pub(super) fn measure(subjects: &Subjects, effort: Effort, report: &mut Report) -> Result<()> {
    let venv = match WEB.set_up()? {
        Setup::Ready(venv) => venv,
        Setup::Unavailable(reason) => bail!("nothing to drive a browser with: {reason}"),
    };
    let chromium = browser::ensure().map_err(anyhow::Error::msg)?;
    let (runs, steps) = match effort {
        Effort::Quick => ("2", "10"),
        Effort::Full => ("5", "30"),
    };
    let measured = subjects.try_map(|subject| {
        let server = subject.start_with_page("echo")?;
        let mut script = Command::new(venv.program("python"));
        script
            .arg(workspace::root().join("bench/web/measure.py"))
            .arg(format!("{}/web/", server.url()))
            .args(["--runs", runs, "--steps", steps])
            .env("OPENENV_CHROMIUM", chromium);
        if subject.label() == "ours" {
            // The page of the reference cannot follow a session.
            script
                .args(["--follow", &FOLLOWED.to_string(), "--process-id"])
                .arg(server.process_id().to_string());
        }
        let output = script.output().context("could not run the browser")?;
        ensure!(
            output.status.success(),
            "the page could not be measured: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        Ok(serde_json::from_slice::<Measured>(&output.stdout)?)
    })?;

    let kib = measured.map(|measured| measured.bytes / 1024.0);
    report.add(Figure::new("web, on the wire", "KiB", kib).target(Target::RatioAtMost(0.25)));
    let requests = measured.map(|measured| measured.requests);
    report.add(Figure::new("web, requests", "", requests).target(Target::RatioAtMost(0.1)));
    let usable = measured.map(|measured| measured.usable_ms);
    report.add(Figure::new("web, usable after", "ms", usable));
    let step = measured.map(|measured| measured.step_ms);
    report.add(
        Figure::new("web, step, click to result", "ms", step).target(Target::RatioAtMost(0.1)),
    );
    let growth = |of: fn(&Growth) -> f64| Pair {
        ours: grown(measured.ours.as_ref(), of),
        reference: grown(measured.reference.as_ref(), of),
    };
    let heap = growth(|growth| growth.heap_mib);
    report.add(Figure::new("web, follow 10,000 steps, page", "MiB", heap));
    let server = growth(|growth| growth.server_mib);
    report.add(Figure::new(
        "web, follow 10,000 steps, server",
        "MiB",
        server,
    ));
    Ok(())
}

fn grown(measured: Option<&Measured>, of: fn(&Growth) -> f64) -> Option<f64> {
    measured?.follow.as_ref().map(of)
}
