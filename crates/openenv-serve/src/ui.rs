//! What people read. Data goes to standard output, all else to standard error;
//! colours only where the terminal and `NO_COLOR` allow them.

use std::io::Write;

use anyhow::Result;
use owo_colors::OwoColorize;

use crate::failure::Failure;

/// Prints data, followed by a line break.
pub fn data(text: &str) -> Result<()> {
    writeln!(anstream::stdout().lock(), "{text}")?;
    Ok(())
}

/// Tells people something that is not data.
pub fn note(text: &str) {
    to_stderr(&format!("{text}\n"));
}

/// Asks people for something, on the line that they answer on.
pub fn ask(text: &str) {
    to_stderr(text);
}

/// Prints what the user can do about something.
pub fn hint(text: &str) {
    let hint = "hint:".bold().cyan().to_string();
    to_stderr(&format!("{hint} {text}\n"));
}

/// Prints what may go wrong.
pub fn warn(text: &str) {
    let label = "warning:".bold().yellow().to_string();
    to_stderr(&format!("{label} {text}\n"));
}

/// Prints what went wrong.
pub fn complain(text: &str) {
    let label = "error:".bold().red().to_string();
    to_stderr(&format!("{label} {text}\n"));
}

/// Prints an error with its causes and hints.
pub fn report(error: &anyhow::Error) {
    complain(&error.to_string());
    for cause in error.chain().skip(1) {
        to_stderr(&format!("  caused by:{}\n", below(&cause.to_string())));
    }
    for cause in error.chain() {
        if let Some(failure) = cause.downcast_ref::<Failure>() {
            hint(failure.hint());
        }
    }
}

/// A text behind what it explains; one of several lines, such as a traceback, below it.
fn below(text: &str) -> String {
    if !text.contains('\n') {
        return format!(" {text}");
    }
    let lines = text.trim_end().lines().map(|line| format!("\n    {line}"));
    lines.collect()
}

/// Nobody is left to tell when standard error is closed.
pub(crate) fn to_stderr(text: &str) {
    let _ = anstream::stderr().lock().write_all(text.as_bytes());
}
