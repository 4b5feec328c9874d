//! Reports, as people read them: a line for each check, and below what is to be done.

use std::fmt::Write;
use std::time::Duration;

use openenv_validate::{CheckResult, PackageReport, RunningReport, Status, Verdict};
use owo_colors::OwoColorize;

use crate::ui;

/// What a line begins with.
#[derive(Clone, Copy)]
enum Mark {
    Pass,
    Warn,
    Fail,
}

impl Mark {
    fn shown(self) -> String {
        match self {
            Self::Pass => "pass".green().to_string(),
            Self::Warn => "WARN".yellow().to_string(),
            Self::Fail => "FAIL".red().bold().to_string(),
        }
    }
}

/// A check, as a line.
struct Line<'a> {
    mark: Mark,
    id: &'a str,
    text: String,
}

/// Something to be done, below the lines.
struct Finding<'a> {
    id: &'a str,
    facts: Vec<(&'static str, String)>,
}

pub(super) fn running(report: &RunningReport, took: Duration) -> String {
    let mut text = String::new();
    let _ = writeln!(
        text,
        "{}  {}, {}",
        report.target.bold(),
        report.mode,
        report.standard_profile
    );
    let mark = |passed: bool, required: bool| match (passed, required) {
        (true, _) => Mark::Pass,
        (false, true) => Mark::Fail,
        (false, false) => Mark::Warn,
    };
    let lines: Vec<Line<'_>> = report
        .criteria
        .iter()
        .map(|criterion| Line {
            mark: mark(criterion.passed, criterion.required),
            id: criterion.id,
            text: criterion.description.to_owned(),
        })
        .collect();
    let mut findings = Vec::new();
    for criterion in report.criteria.iter().filter(|criterion| !criterion.passed) {
        let notes = criterion
            .details
            .iter()
            .map(|details| ("note", details.clone()));
        if criterion.findings.is_empty() {
            let written = |value: &Option<serde_json::Value>| {
                value
                    .as_ref()
                    .map_or_else(|| "nothing".to_owned(), ToString::to_string)
            };
            let facts = [
                ("expected", written(&criterion.expected)),
                ("seen", written(&criterion.actual)),
            ];
            findings.push(Finding {
                id: criterion.id,
                facts: facts.into_iter().chain(notes).collect(),
            });
            continue;
        }
        for found in &criterion.findings {
            findings.push(Finding {
                id: criterion.id,
                facts: vec![
                    ("expected", found.expected.clone()),
                    ("seen", found.seen.clone()),
                    ("fix", found.fix.clone()),
                ],
            });
        }
    }
    let silent = report.criteria.iter().all(|criterion| !criterion.passed);
    if silent && findings.len() > 1 {
        // All for one reason, which the first one tells.
        findings.truncate(1);
    }
    let not_run: Vec<(&str, &str)> = report
        .not_run
        .iter()
        .map(|check| (check.id, check.reason.as_str()))
        .collect();
    let notes: Vec<(&str, &str)> = report
        .criteria
        .iter()
        .filter(|criterion| criterion.passed && criterion.id.starts_with("live."))
        .filter_map(|criterion| Some((criterion.id, criterion.details.as_deref()?)))
        .collect();
    body(&mut text, &lines, &not_run, &notes, &findings);
    let verdict = if report.passed {
        Verdict::Pass
    } else {
        Verdict::Fail
    };
    let warned = report.summary.passed_count < report.summary.total_count;
    let verdict = match verdict {
        Verdict::Pass if warned => Verdict::Warn,
        verdict => verdict,
    };
    end(&mut text, verdict, &lines, not_run.len(), took);
    text
}

/// Why nothing was run that should have been, if so.
fn nothing_ran(report: &PackageReport) -> Option<&str> {
    let mut results = report.results.iter();
    let startup = results.find(|result| result.check_id == "runtime.startup")?;
    let reason = startup.evidence.first().map(String::as_str);
    reason.filter(|_| startup.status == Status::Skip)
}

pub(super) fn package(report: &PackageReport, took: Duration) -> String {
    let mut text = String::new();
    let levels: Vec<_> = report.levels_run.iter().map(|level| level.name()).collect();
    let _ = writeln!(
        text,
        "{}  {}, policy {}",
        report.target.bold(),
        levels.join(" and "),
        report.policy_version
    );
    let looked = |result: &&CheckResult| result.status != Status::Skip;
    let mark = |result: &CheckResult| match result.status {
        Status::Pass | Status::Skip => Mark::Pass,
        Status::Fail if result.measured.get("required") == Some(&false.into()) => Mark::Warn,
        Status::Fail | Status::Error => Mark::Fail,
    };
    let lines: Vec<Line<'_>> = report
        .results
        .iter()
        .filter(looked)
        .map(|result| Line {
            mark: mark(result),
            id: &result.check_id,
            text: match result.status {
                Status::Pass => result.evidence.first().cloned().unwrap_or_default(),
                Status::Fail => "see below".to_owned(),
                Status::Skip | Status::Error => "could not be looked at, see below".to_owned(),
            },
        })
        .collect();
    let findings: Vec<Finding<'_>> = report
        .results
        .iter()
        .filter(looked)
        .filter(|result| result.status != Status::Pass)
        .map(|result| {
            let seen = result.evidence.iter().map(|line| ("seen", line.clone()));
            let fix = result.remediation.iter().map(|fix| ("fix", fix.clone()));
            Finding {
                id: &result.check_id,
                facts: seen.chain(fix).collect(),
            }
        })
        .collect();
    let not_run: Vec<(&str, &str)> = report
        .results
        .iter()
        .filter(|result| result.status == Status::Skip)
        .map(|result| {
            let reason = result.evidence.first().map_or("", String::as_str);
            (result.check_id.as_str(), reason)
        })
        .collect();
    let notes: Vec<(&str, &str)> = report
        .results
        .iter()
        .filter(|result| result.status == Status::Pass)
        .flat_map(|result| {
            let notes = result.evidence.iter().skip(1);
            notes.map(|note| (result.check_id.as_str(), note.as_str()))
        })
        .collect();
    body(&mut text, &lines, &not_run, &notes, &findings);
    if let Some(reason) = nothing_ran(report) {
        let told = "The environment was not run, so nothing is known of how it behaves".bold();
        let _ = writeln!(text, "\n{told}\n  {reason}");
    }
    end(&mut text, report.verdict, &lines, not_run.len(), took);
    text
}

fn body(
    text: &mut String,
    lines: &[Line<'_>],
    not_run: &[(&str, &str)],
    notes: &[(&str, &str)],
    findings: &[Finding<'_>],
) {
    let width = lines.iter().map(|line| line.id.len()).max();
    let width = width.unwrap_or_default();
    for line in lines {
        let (mark, id) = (line.mark.shown(), line.id);
        let _ = writeln!(text, "  {mark}  {id:<width$}  {}", line.text.dimmed());
    }
    listed(text, "Not run", not_run);
    listed(text, "Notes", notes);
    for finding in findings {
        let _ = writeln!(text, "\n{}", finding.id.bold());
        let mut last = "";
        for (label, fact) in &finding.facts {
            let shown = if *label == last { "" } else { label };
            let _ = writeln!(text, "  {shown:<8}  {fact}");
            last = label;
        }
    }
}

/// What is said of checks, under a heading; those of which the same is said share a line.
fn listed(text: &mut String, heading: &str, said: &[(&str, &str)]) {
    if said.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{}", heading.bold());
    let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
    for (id, what) in said {
        match lines.iter_mut().find(|(known, _)| known == what) {
            Some((_, ids)) => ids.push(id),
            None => lines.push((what, vec![id])),
        }
    }
    for (what, ids) in lines {
        let _ = writeln!(text, "  {}: {what}", ids.join(", "));
    }
}

fn end(text: &mut String, verdict: Verdict, lines: &[Line<'_>], not_run: usize, took: Duration) {
    let count = |wanted: fn(Mark) -> bool| {
        u64::try_from(lines.iter().filter(|line| wanted(line.mark)).count()).unwrap_or_default()
    };
    let failed = count(|mark| matches!(mark, Mark::Fail));
    let warned = count(|mark| matches!(mark, Mark::Warn));
    let passed = count(|mark| matches!(mark, Mark::Pass));
    let shown = match verdict {
        Verdict::Pass => "PASS".green().bold().to_string(),
        Verdict::Warn => "WARN".yellow().bold().to_string(),
        Verdict::Fail => "FAIL".red().bold().to_string(),
    };
    let mut counts = vec![format!("{passed} passed")];
    if warned > 0 {
        counts.push(ui::counted(warned, "warning"));
    }
    if failed > 0 {
        counts.push(format!("{failed} failed"));
    }
    if not_run > 0 {
        counts.push(format!("{not_run} not run"));
    }
    let seconds = took.as_secs_f64();
    let _ = write!(text, "\n{shown}  {} in {seconds:.2} s", counts.join(", "));
}
