//! The log: one line per event on standard error, and what environments say with
//! the step that they say it in.

use std::fmt::{self, Write};
use std::io::stderr;

use anstream::{AutoStream, ColorChoice};
use openenv::SessionLog;
use tracing::field::{Field, Visit};
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt as lines};

use crate::args::LogFormat;
use crate::config::LogConfig;

/// Starts to log; what is logged before is lost.
pub fn start(config: &LogConfig) {
    let to_stderr = lines::layer()
        // A lost log must cost log lines only; reporting it panics when it
        // cannot be written either.
        .log_internal_errors(false)
        .with_writer(stderr);
    let to_stderr = match config.format {
        LogFormat::Text => to_stderr
            .with_ansi(AutoStream::choice(&stderr()) != ColorChoice::Never)
            .with_target(false)
            .boxed(),
        LogFormat::Json => to_stderr.json().flatten_event(true).boxed(),
    };
    // One filter for all: with one for each, nobody could ask whether a level is on.
    tracing_subscriber::registry()
        .with(EnvFilter::new(&config.filter))
        .with(to_stderr)
        .with(ToSession)
        .init();
}

/// Hands what is logged during a call to the log of its session.
struct ToSession;

impl<S: Subscriber> Layer<S> for ToSession {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let Some(log) = SessionLog::current() else {
            return;
        };
        let mut text = Text::default();
        event.record(&mut text);
        log.line(*event.metadata().level(), text.message + &text.fields);
    }
}

/// An event in words.
#[derive(Default)]
struct Text {
    message: String,
    fields: String,
}

impl Visit for Text {
    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        // Writing to a string does not fail.
        let _ = match field.name() {
            "message" => write!(self.message, "{value:?}"),
            name => write!(self.fields, " {name}={value:?}"),
        };
    }
}
