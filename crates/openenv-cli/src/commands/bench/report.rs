//! What was measured: tables for people, JSON for programs.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::Duration;

use anyhow::Result;
use hdrhistogram::Histogram;
use indicatif::HumanCount;
use serde::Serialize;

use super::Measured;
use super::plan::Plan;
use crate::config::Load;
use crate::ui;

/// The names of its fields are those of the JSON document: programs rely on them.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    url: String,
    /// Whether the server runs in this process.
    in_process: bool,
    mode: &'static str,
    sessions: usize,
    threads: usize,
    /// How long was measured, until the last reply: less than asked for if it was
    /// interrupted, more if the last replies took long.
    duration_s: f64,
    requested_duration_s: f64,
    interrupted: bool,
    /// Sessions that were let in.
    opened: usize,
    open_per_s: Option<f64>,
    /// Held sessions that took a step at the end; nothing if none were held.
    alive: Option<usize>,
    steps: u64,
    /// Steps divided by the duration; not measured while sessions are held.
    steps_per_s: Option<f64>,
    resets: u64,
    step_us: Times,
    reset_us: Times,
    connect_us: Times,
    /// Processor time of this side.
    client_cpu_us_per_step: Option<f64>,
    errors: BTreeMap<String, u64>,
    /// What the first error of each code said.
    error_texts: BTreeMap<String, String>,
    error_count: u64,
    reconnects: u64,
}

/// The distribution of a time, in microseconds; nothing if it was never taken.
#[derive(Debug, Serialize)]
struct Times {
    p50: Option<f64>,
    p90: Option<f64>,
    p99: Option<f64>,
    max: Option<f64>,
    mean: Option<f64>,
}

impl Report {
    pub(super) fn new(plan: &Plan, measured: &Measured, in_process: bool) -> Self {
        let Measured { tally, interrupted } = measured;
        let steps = tally.steps.len();
        let closed_loop = plan.load == Load::ClosedLoop;
        let per_second = |count: u64, time: Duration| {
            (!time.is_zero()).then(|| rounded_rate(number(count) / time.as_secs_f64()))
        };
        Self {
            url: plan.endpoint.to_string(),
            in_process,
            mode: match plan.load {
                Load::ClosedLoop => "closed-loop",
                Load::Hold => "hold",
            },
            sessions: plan.sessions,
            threads: plan.threads,
            duration_s: rounded(tally.window.as_secs_f64(), 6),
            requested_duration_s: plan.duration.as_secs_f64(),
            interrupted: *interrupted,
            opened: tally.opened,
            open_per_s: per_second(tally.opened as u64, tally.opening),
            alive: (!closed_loop).then_some(tally.alive),
            steps,
            steps_per_s: per_second(steps, tally.window).filter(|_| closed_loop),
            resets: tally.resets.len(),
            step_us: Times::of(&tally.steps),
            reset_us: Times::of(&tally.resets),
            connect_us: Times::of(&tally.connects),
            client_cpu_us_per_step: tally
                .processor_time
                .filter(|_| closed_loop && steps > 0)
                .map(|time| rounded(time.as_secs_f64() * 1e6 / number(steps), 2)),
            errors: tally
                .errors
                .iter()
                .map(|(code, errors)| (code.clone(), errors.count))
                .collect(),
            error_texts: tally
                .errors
                .iter()
                .map(|(code, errors)| (code.clone(), errors.first.clone()))
                .collect(),
            error_count: tally.error_count(),
            reconnects: tally.reconnects,
        }
    }

    pub(super) fn print_json(&self) -> Result<()> {
        ui::data(&serde_json::to_string_pretty(self)?)
    }

    pub(super) fn print(&self) -> Result<()> {
        let place = if self.in_process {
            " (in this process, which it shares with the load)"
        } else {
            ""
        };
        let threads = ui::counted(self.threads as u64, "thread");
        let rate = |rate: Option<f64>| rate.map_or_else(|| "-".to_owned(), readable_rate);
        let mut errors = HumanCount(self.error_count).to_string();
        for (code, count) in &self.errors {
            let _ = write!(errors, ", {code} {}", HumanCount(*count));
        }
        let mut rows = vec![
            ("server", format!("{}{place}", self.url)),
            (
                "load",
                format!("{}, {}, {threads}", self.mode, self.duration()),
            ),
            (
                "sessions",
                format!(
                    "{} of {}, opened at {}/s",
                    HumanCount(self.opened as u64),
                    HumanCount(self.sessions as u64),
                    rate(self.open_per_s)
                ),
            ),
        ];
        if let Some(alive) = self.alive {
            let [alive, opened] = [alive, self.opened].map(|count| HumanCount(count as u64));
            rows.push(("alive", format!("{alive} of {opened}")));
        }
        rows.push(("steps", HumanCount(self.steps).to_string()));
        if let Some(steps_per_s) = self.steps_per_s {
            rows.push(("steps/s", readable_rate(steps_per_s)));
        }
        if let Some(time) = self.client_cpu_us_per_step {
            // Near 100 %, this side is what was measured.
            let whole = self.duration_s * number(self.threads as u64);
            let share = time * number(self.steps) / 1e4 / whole;
            let of = if self.threads == 1 {
                "its thread"
            } else {
                "its threads"
            };
            rows.push((
                "client CPU",
                format!("{time:.1} µs/step, {share:.0} % of {of}"),
            ));
        }
        rows.push(("resets", HumanCount(self.resets).to_string()));
        rows.push(("errors", errors));
        rows.push(("reconnects", HumanCount(self.reconnects).to_string()));
        let rows = rows.iter().map(|(name, value)| [*name, value.as_str()]);
        ui::table(["FIGURE", "VALUE"], rows)?;
        ui::data("")?;
        let times = [
            ("step", &self.step_us),
            ("reset", &self.reset_us),
            ("connect", &self.connect_us),
        ];
        let rows: Vec<_> = times
            .map(|(name, times)| {
                let [p50, p90, p99, max, mean] = times.cells();
                [name.to_owned(), p50, p90, p99, max, mean]
            })
            .into();
        let rows = rows.iter().map(|row| row.each_ref().map(String::as_str));
        ui::table(["TIME", "P50", "P90", "P99", "MAX", "MEAN"], rows)
    }

    /// How long was measured, and how long was asked for where that differs.
    fn duration(&self) -> String {
        let (measured, asked) = (self.duration_s, self.requested_duration_s);
        if (measured - asked).abs() < 0.1 {
            return format!("{measured:.1} s");
        }
        format!("{measured:.1} s ({asked:.1} s asked for)")
    }
}

impl Times {
    fn of(histogram: &Histogram<u64>) -> Self {
        let taken =
            |nanoseconds: f64| (!histogram.is_empty()).then(|| rounded(nanoseconds / 1e3, 1));
        let quantile = |quantile| taken(number(histogram.value_at_quantile(quantile)));
        Self {
            p50: quantile(0.5),
            p90: quantile(0.9),
            p99: quantile(0.99),
            max: taken(number(histogram.max())),
            mean: taken(histogram.mean()),
        }
    }

    fn cells(&self) -> [String; 5] {
        [self.p50, self.p90, self.p99, self.max, self.mean]
            .map(|time| time.map_or_else(|| "-".to_owned(), readable))
    }
}

/// Three digits and the unit that fits.
fn readable(microseconds: f64) -> String {
    let (value, unit) = match microseconds {
        time if time < 1e3 => (time, "µs"),
        time if time < 1e6 => (time / 1e3, "ms"),
        time => (time / 1e6, "s"),
    };
    match value {
        value if value < 10.0 => format!("{value:.2} {unit}"),
        value if value < 100.0 => format!("{value:.1} {unit}"),
        value => format!("{value:.0} {unit}"),
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a rate for people, never negative"
)]
fn readable_rate(rate: f64) -> String {
    match rate {
        0.0 => "0".to_owned(),
        rate if rate < 10.0 => format!("{rate:.2}"),
        rate if rate < 100.0 => format!("{rate:.1}"),
        rate => HumanCount(rate.round() as u64).to_string(),
    }
}

/// Slow ones need more digits.
fn rounded_rate(rate: f64) -> f64 {
    rounded(rate, if rate < 10.0 { 4 } else { 1 })
}

/// More digits than the measurement has are noise.
fn rounded(value: f64, digits: i32) -> f64 {
    let scale = 10_f64.powi(digits);
    (value * scale).round() / scale
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts and nanoseconds of an hour are far below 2^53"
)]
fn number(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_three_digits() {
        for (microseconds, expected) in [
            (0.5, "0.50 µs"),
            (42.25, "42.2 µs"),
            (999.0, "999 µs"),
            (1_234.0, "1.23 ms"),
            (56_789.0, "56.8 ms"),
            (2_500_000.0, "2.50 s"),
        ] {
            assert_eq!(readable(microseconds), expected);
        }
    }

    #[test]
    fn slow_rates_have_decimals() {
        for (rate, expected) in [
            (0.0, "0"),
            (0.0667, "0.07"),
            (12.34, "12.3"),
            (91_156.4, "91,156"),
        ] {
            assert_eq!(readable_rate(rate), expected);
        }
    }

    #[test]
    fn nothing_is_not_zero() {
        let times = Times::of(&Histogram::new(3).unwrap());
        assert_eq!(times.p50, None);
        assert_eq!(times.cells()[4], "-");
    }
}
