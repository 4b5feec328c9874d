//! The log: one line per event on standard error.

use std::io::stderr;

use anstream::{AutoStream, ColorChoice};
use tracing_subscriber::EnvFilter;

use crate::args::LogFormat;
use crate::config::LogConfig;

/// Starts to log; what is logged before is lost.
pub fn start(config: &LogConfig) {
    let subscriber = tracing_subscriber::fmt()
        .with_env_filter(EnvFilter::new(&config.filter))
        // A lost log must cost log lines only; reporting it panics when it
        // cannot be written either.
        .log_internal_errors(false)
        .with_writer(stderr);
    match config.format {
        LogFormat::Text => subscriber
            .with_ansi(AutoStream::choice(&stderr()) != ColorChoice::Never)
            .with_target(false)
            .init(),
        LogFormat::Json => subscriber.json().flatten_event(true).init(),
    }
}
