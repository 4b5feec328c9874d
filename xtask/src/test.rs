//! `cargo xtask test`: every suite in order, then a table of how they went.

mod cargo;
mod client;
mod docker;
mod inspector;
mod mcp;
mod python;
mod standin;
mod suite;
mod validate;
mod web;
mod workers;

use std::{env, process::ExitCode, time::Instant};

use anyhow::{Result, bail};

use suite::{Context, Outcome, Report, Suite};

#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    /// Suites to run [default: all]
    names: Vec<String>,
    /// Print the names of the suites and stop
    #[arg(long)]
    list: bool,
    /// Let the Python suites judge the reference server instead of this one
    #[arg(long)]
    against_reference: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<ExitCode> {
    let suites = suite::all();
    if arguments.list {
        for suite in &suites {
            println!("{}", suite.name());
        }
        return Ok(ExitCode::SUCCESS);
    }

    let selected = select(suites, &arguments.names)?;
    let skips_fail = env::var("CI").is_ok_and(|value| value == "true");
    let context = Context::new(arguments.against_reference);
    let mut reports = Vec::new();
    for suite in selected {
        println!("\n=== {} ===", suite.name());
        let begin = Instant::now();
        let outcome = match suite.run(&context) {
            Ok(Outcome::Skipped(reason)) if skips_fail => {
                Outcome::Failed(format!("skipped, which CI does not accept: {reason}"))
            }
            Ok(outcome) => outcome,
            Err(error) => Outcome::Failed(format!("{error:#}")),
        };
        reports.push(Report {
            name: suite.name(),
            outcome,
            duration: begin.elapsed(),
        });
    }
    Ok(summarise(&reports))
}

fn select(suites: Vec<Suite>, names: &[String]) -> Result<Vec<Suite>> {
    if names.is_empty() {
        return Ok(suites);
    }
    for name in names {
        if !suites.iter().any(|suite| suite.name() == *name) {
            bail!("no suite is called `{name}`\nhint: `cargo xtask test --list` names them");
        }
    }
    Ok(suites
        .into_iter()
        .filter(|suite| names.contains(&suite.name()))
        .collect())
}

fn summarise(reports: &[Report]) -> ExitCode {
    println!("\n{:<28} {:<8} {:>9}", "suite", "result", "time");
    let (mut passed, mut failed, mut skipped) = (0, 0, 0);
    for report in reports {
        let (result, reason) = match &report.outcome {
            Outcome::Passed => {
                passed += 1;
                ("passed", "")
            }
            Outcome::Failed(reason) => {
                failed += 1;
                ("FAILED", reason.as_str())
            }
            Outcome::Skipped(reason) => {
                skipped += 1;
                ("skipped", reason.as_str())
            }
        };
        let seconds = report.duration.as_secs_f64();
        println!("{:<28} {result:<8} {seconds:>7.1} s  {reason}", report.name);
    }
    let skipped = match skipped {
        0 => String::new(),
        count => format!(", {count} skipped"),
    };
    println!("\n{passed} passed, {failed} failed{skipped}");
    if failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
