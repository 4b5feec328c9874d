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
    Lines,
}

/// What somebody answers.
#[derive(Debug)]
pub(super) enum Answer {
    Line(String),
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
        Ok(Self::Lines)
    }

    pub(super) fn ask(&mut self, question: &str) -> Result<Answer> {
        match self {
            Self::Lines => {
                if stdin().is_terminal() {
                    ui::ask(question);
                }
                let mut line = String::new();
                let read = stdin()
                    .lock()
                    .read_line(&mut line)
                    .context("could not read from standard input")?;
                Ok(match read {
                    0 => Answer::End,
                    _ => Answer::Line(line),
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
