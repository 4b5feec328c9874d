//! What people read. Data goes to standard output, all else to standard error;
//! colours only where the terminal and `NO_COLOR` allow them.

use anyhow::Result;
use indicatif::HumanCount;
pub(crate) use openenv_serve::ui::{ask, complain, data, hint, note, report, warn};
use owo_colors::OwoColorize;

pub(crate) mod fields;
pub(crate) mod progress;

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
