//! What people read. Data goes to standard output, all else to standard error;
//! colours only where the terminal and `NO_COLOR` allow them.

use std::io::Write;

use anyhow::Result;
use indicatif::HumanCount;
use owo_colors::OwoColorize;

use crate::failure::Failure;

pub(crate) mod banner;
pub(crate) mod progress;
pub(crate) mod served;

/// Prints data, followed by a line break.
pub(crate) fn data(text: &str) -> Result<()> {
    writeln!(anstream::stdout().lock(), "{text}")?;
    Ok(())
}

/// Prints a table whose last column is as wide as it needs to be.
pub(crate) fn table<'a, const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [&'a str; N]>,
) -> Result<()> {
    data(&columns(header, rows))
}

/// A table as text, without the last line break.
pub(crate) fn columns<'a, const N: usize>(
    header: [&str; N],
    rows: impl Iterator<Item = [&'a str; N]>,
) -> String {
    let rows: Vec<_> = rows.collect();
    let mut widths = header.map(str::len);
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |cells: &[&str; N]| {
        let cells = cells.iter().zip(widths);
        let line: Vec<_> = cells
            .map(|(cell, width)| format!("{cell:<width$}"))
            .collect();
        line.join("  ").trim_end().to_owned()
    };
    let mut lines = vec![line(&header).bold().to_string()];
    lines.extend(rows.iter().map(line));
    lines.join("\n")
}

/// Such as `1 step` or `2 steps`.
pub(crate) fn counted(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", HumanCount(count)),
    }
}

/// Tells people something that is not data.
pub(crate) fn note(text: &str) {
    to_stderr(&format!("{text}\n"));
}

/// Asks people for something, on the line that they answer on.
pub(crate) fn ask(text: &str) {
    to_stderr(text);
}

/// Prints what the user can do about something.
pub(crate) fn hint(text: &str) {
    let hint = "hint:".bold().cyan().to_string();
    to_stderr(&format!("{hint} {text}\n"));
}

/// Prints what may go wrong.
pub(crate) fn warn(text: &str) {
    let label = "warning:".bold().yellow().to_string();
    to_stderr(&format!("{label} {text}\n"));
}

/// Prints what went wrong.
pub(crate) fn complain(text: &str) {
    let label = "error:".bold().red().to_string();
    to_stderr(&format!("{label} {text}\n"));
}

/// Prints an error with its causes and hints.
pub(crate) fn report(error: &anyhow::Error) {
    complain(&error.to_string());
    for cause in error.chain().skip(1) {
        to_stderr(&format!("  caused by: {}\n", below(&cause.to_string())));
    }
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            hint(failure.hint());
        }
    }
}

/// A text of several lines, such as a traceback, below what it explains.
fn below(text: &str) -> String {
    if !text.contains('\n') {
        return text.to_owned();
    }
    let lines = text.trim_end().lines().map(|line| format!("\n    {line}"));
    lines.collect()
}

/// Nobody is left to tell when standard error is closed.
fn to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
