//! What is logged.

use crate::args::{LogArgs, LogFormat};
use crate::vars;

/// What is logged, and in which form.
#[derive(Debug)]
pub struct LogConfig {
    /// Directives as `RUST_LOG` has them. Default: `info`, or `warn` for a command
    /// that is not about its server.
    pub filter: String,
    /// Default: text.
    pub format: LogFormat,
}

impl LogConfig {
    /// `default_filter` is for who asked for nothing.
    pub fn new(args: LogArgs, default_filter: &str) -> Self {
        // The MCP SDK logs every session and every mistake of a client once more.
        let own = |filter: &str| format!("{filter},rmcp=off");
        let filter = match (args.verbose, args.quiet) {
            (0, 0) => args
                .log_level
                .or_else(|| std::env::var(vars::RUST_LOG).ok())
                .unwrap_or_else(|| own(default_filter)),
            (0, 1) => own("warn"),
            (0, _) => own("error"),
            (1, _) => own("info,openenv=debug"),
            (_, _) => "trace".to_owned(),
        };
        Self {
            filter,
            format: args.log_format,
        }
    }

    /// The same as variables, for a server that another program starts.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let format = match self.format {
            LogFormat::Text => "text",
            LogFormat::Json => "json",
        };
        vec![
            (vars::LOG, self.filter.clone()),
            (vars::LOG_FORMAT, format.to_owned()),
        ]
    }
}
