//! Where the lines of a person come from.

use std::io::{BufRead, IsTerminal, stdin, stdout};

use anyhow::{Context, Result};
use rustyline::DefaultEditor;
use rustyline::error::ReadlineError;

use crate::ui;

/// A terminal with line editing and history, or whatever standard input is.
#[derive(Debug)]
pub(super) enum Prompt {
    Editor(Box<DefaultEditor>),
    /// How many were read.
    Lines(u64),
}

/// What somebody answers.
#[derive(Debug)]
pub(super) enum Answer {
    Line(String),
    /// A line that is no text, and why.
    Unreadable(String),
    /// Ctrl-C.
    Interrupted,
    /// Ctrl-D, or the end of the input.
    End,
}

impl Prompt {
    pub(super) fn new() -> Result<Self> {
        // The editor draws on standard output, which is for data unless it is a
        // terminal.
        if stdin().is_terminal() && stdout().is_terminal() {
            let editor = DefaultEditor::new().context("could not read from the terminal")?;
            return Ok(Self::Editor(Box::new(editor)));
        }
        Ok(Self::Lines(0))
    }

    /// Whether Ctrl-C at the prompt is an answer rather than the end.
    pub(super) fn is_editor(&self) -> bool {
        matches!(self, Self::Editor(_))
    }

    /// Whether a person answers.
    pub(super) fn is_terminal(&self) -> bool {
        self.is_editor() || stdin().is_terminal()
    }

    pub(super) fn ask(&mut self, question: &str) -> Result<Answer> {
        match self {
            Self::Lines(count) => {
                if stdin().is_terminal() {
                    ui::ask(question);
                }
                let mut line = Vec::new();
                stdin()
                    .lock()
                    .read_until(b'\n', &mut line)
                    .context("could not read from standard input")?;
                if line.is_empty() {
                    return Ok(Answer::End);
                }
                *count += 1;
                Ok(match String::from_utf8(line) {
                    Ok(line) => Answer::Line(line),
                    Err(_) => Answer::Unreadable(format!("line {count} is not UTF-8")),
                })
            }
            Self::Editor(editor) => match editor.readline(question) {
                Ok(line) => {
                    // It only saves typing.
                    let _ = editor.add_history_entry(&line);
                    Ok(Answer::Line(line))
                }
                Err(ReadlineError::Interrupted) => Ok(Answer::Interrupted),
                Err(ReadlineError::Eof) => Ok(Answer::End),
                Err(error) => Err(error).context("could not read from the terminal"),
            },
        }
    }
}
