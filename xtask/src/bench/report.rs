//! The figures as a table for people and as JSON for programs.

use std::{fs, path::PathBuf};

use anyhow::{Context as _, Result};
use serde::Serialize;

use super::{output_of, subject::Pair};
use crate::workspace;

/// What a figure should be. Printed next to it, never enforced.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Target {
    /// Ours at least this many times the reference's.
    RatioAtLeast(f64),
    /// Ours at most this fraction of the reference's.
    RatioAtMost(f64),
    /// Ours at most this.
    ValueAtMost(f64),
}

/// One measured quantity.
#[derive(Debug, Serialize)]
pub(super) struct Figure {
    name: String,
    unit: &'static str,
    ours: Option<f64>,
    reference: Option<f64>,
    ratio: Option<f64>,
    target: Option<Target>,
    target_met: Option<bool>,
}

#[derive(Debug, Serialize)]
pub(super) struct Report {
    date: String,
    machine: Machine,
    quick: bool,
    /// How the program was built that the figures call ours.
    build: &'static str,
    figures: Vec<Figure>,
    notes: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Machine {
    processor: String,
    cores: usize,
    kernel: String,
}

impl Figure {
    pub(super) fn new(name: &str, unit: &'static str, values: Pair<f64>) -> Self {
        let ratio = match (values.ours, values.reference) {
            (Some(ours), Some(reference)) if reference > 0.0 => Some(ours / reference),
            _ => None,
        };
        Self {
            name: name.to_owned(),
            unit,
            ours: values.ours,
            reference: values.reference,
            ratio,
            target: None,
            target_met: None,
        }
    }

    pub(super) fn target(mut self, target: Target) -> Self {
        self.target = Some(target);
        self.target_met = match target {
            Target::RatioAtLeast(limit) => self.ratio.map(|ratio| ratio >= limit),
            Target::RatioAtMost(limit) => self.ratio.map(|ratio| ratio <= limit),
            Target::ValueAtMost(limit) => self.ours.map(|ours| ours <= limit),
        };
        self
    }

    fn row(&self) -> String {
        let ratio = self.ratio.map_or_else(String::new, format_ratio);
        let target = match self.target {
            None => String::new(),
            Some(Target::RatioAtLeast(limit)) => format!(">= {}", format_ratio(limit)),
            Some(Target::RatioAtMost(limit)) => format!("<= {}", format_ratio(limit)),
            Some(Target::ValueAtMost(limit)) => format!("<= {limit}"),
        };
        let met = match self.target_met {
            None => "",
            Some(true) => "met",
            Some(false) => "missed",
        };
        let row = format!(
            "{:<40} {:>12} {:>12} {:<10} {ratio:>9}  {target:<10} {met}",
            self.name,
            format_value(self.ours),
            format_value(self.reference),
            self.unit,
        );
        row.trim_end().to_owned()
    }
}

impl Report {
    pub(super) fn new(quick: bool, build: &'static str) -> Self {
        let processor = fs::read_to_string("/proc/cpuinfo")
            .ok()
            .and_then(|content| {
                let line = content
                    .lines()
                    .find(|line| line.starts_with("model name"))?;
                Some(line.split_once(':')?.1.trim().to_owned())
            })
            .unwrap_or_default();
        Self {
            date: output_of("date", &["-u", "+%Y-%m-%dT%H%M%SZ"]),
            machine: Machine {
                processor,
                cores: std::thread::available_parallelism().map_or(0, usize::from),
                kernel: output_of("uname", &["-r"]),
            },
            quick,
            build,
            figures: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Keeps a figure, and shows it at once: a full run takes minutes.
    pub(super) fn add(&mut self, figure: Figure) {
        eprintln!("  {}", figure.row());
        self.figures.push(figure);
    }

    /// Keeps a remark that the figures need to be understood.
    pub(super) fn note(&mut self, note: String) {
        eprintln!("  note: {note}");
        self.notes.push(note);
    }

    pub(super) fn print(&self) {
        println!(
            "\n{} cores, {}, Linux {}, our build: {}{}",
            self.machine.cores,
            self.machine.processor,
            self.machine.kernel,
            self.build,
            if self.quick { ", quick" } else { "" },
        );
        println!(
            "{:<40} {:>12} {:>12} {:<10} {:>9}  {:<10}",
            "figure", "ours", "reference", "unit", "ratio", "target"
        );
        for figure in &self.figures {
            println!("{}", figure.row());
        }
        for note in &self.notes {
            println!("note: {note}");
        }
    }

    pub(super) fn write(&self) -> Result<PathBuf> {
        let directory = workspace::root().join("bench-results");
        fs::create_dir_all(&directory)?;
        let path = directory.join(format!("{}.json", self.date));
        fs::write(&path, serde_json::to_string_pretty(self)?)
            .with_context(|| format!("could not write `{}`", path.display()))?;
        Ok(path)
    }
}

/// `20x`, `57.6x`, `0.87x`, or `1/12.3` for much less than one.
fn format_ratio(ratio: f64) -> String {
    let short = |value: f64| {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
    };
    if (0.5..1.0).contains(&ratio) {
        format!("{ratio:.2}x")
    } else if ratio >= 1.0 || ratio <= 0.0 {
        format!("{}x", short(ratio))
    } else {
        format!("1/{}", short(1.0 / ratio))
    }
}

/// Enough digits to compare, no more.
fn format_value(value: Option<f64>) -> String {
    match value {
        None => "-".into(),
        Some(value) if value.fract() == 0.0 || value >= 1000.0 => format!("{value:.0}"),
        Some(value) if value >= 10.0 => format!("{value:.1}"),
        Some(value) => format!("{value:.3}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_read_as_people_say_them() {
        assert_eq!(format_ratio(20.0), "20x");
        assert_eq!(format_ratio(57.64), "57.6x");
        assert_eq!(format_ratio(0.866), "0.87x");
        assert_eq!(format_ratio(0.01), "1/100");
        assert_eq!(format_ratio(0.08), "1/12.5");
    }

    #[test]
    fn a_target_on_the_ratio_needs_both_sides() {
        let values = |ours, reference| Pair { ours, reference };
        let judged = |values, target| Figure::new("f", "", values).target(target).target_met;
        let at_least = Target::RatioAtLeast(20.0);
        assert_eq!(judged(values(Some(40.0), Some(1.0)), at_least), Some(true));
        assert_eq!(judged(values(Some(10.0), Some(1.0)), at_least), Some(false));
        assert_eq!(judged(values(Some(40.0), None), at_least), None);
        let at_most = Target::ValueAtMost(0.0);
        assert_eq!(judged(values(Some(0.0), None), at_most), Some(true));
    }
}
