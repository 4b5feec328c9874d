//! How far something is, on one line of the terminal.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

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
