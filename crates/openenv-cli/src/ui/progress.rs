//! How far something is, on one line of the terminal.

use std::io::{IsTerminal, stderr};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::ui;

/// How often a line that waits is drawn.
const TICK: Duration = Duration::from_millis(100);

/// A line that is drawn over and over; nothing where there is no terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    pub(crate) fn new(shown: bool) -> Self {
        let target = if shown {
            ProgressDrawTarget::stderr()
        } else {
            ProgressDrawTarget::hidden()
        };
        let style = ProgressStyle::with_template("{prefix:<8} [{bar:30}] {msg}")
            .expect("the template is valid")
            .progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(Some(0), target).with_style(style);
        Self { bar }
    }

    /// What is being done, how much of it, and a remark.
    pub(crate) fn show(&self, what: &'static str, done: u64, of: u64, remark: String) {
        self.bar.set_prefix(what);
        self.bar.set_length(of);
        self.bar.set_position(done.min(of));
        self.bar.set_message(remark);
    }

    pub(crate) fn clear(&self) {
        self.bar.finish_and_clear();
    }
}

/// What is done before something can begin: one line that changes at a terminal,
/// a line each elsewhere.
#[derive(Debug)]
pub(crate) struct Startup {
    form: Form,
}

#[derive(Debug)]
enum Form {
    Spinner(ProgressBar),
    Lines,
    Log,
}

impl Startup {
    /// `for_people` tells it to people, and else to the log.
    pub(crate) fn new(for_people: bool) -> Self {
        let form = if !for_people {
            Form::Log
        } else if stderr().is_terminal() {
            let style = ProgressStyle::with_template("{spinner} {wide_msg} {elapsed}")
                .expect("the template is valid");
            let bar = ProgressBar::new_spinner().with_style(style);
            Form::Spinner(bar)
        } else {
            Form::Lines
        };
        Self { form }
    }

    pub(crate) fn tell(&self, line: &str) {
        match &self.form {
            Form::Spinner(bar) => {
                bar.enable_steady_tick(TICK);
                bar.set_message(line.to_owned());
            }
            Form::Lines => ui::note(line),
            Form::Log => tracing::info!("{line}"),
        }
    }

    /// Makes room for other text.
    pub(crate) fn clear(&self) {
        if let Form::Spinner(bar) = &self.form {
            bar.finish_and_clear();
        }
    }
}

impl Drop for Startup {
    fn drop(&mut self) {
        self.clear();
    }
}
