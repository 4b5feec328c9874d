//! What is meant: every option resolved, nothing left to check.

use std::time::Duration;

use openenv::Mode;

use crate::args::ServerArgs;
use crate::value::{ControlListen, Web};
use crate::vars;

mod log;

pub use log::LogConfig;

/// How a server serves.
#[derive(Debug, Clone)]
pub struct ServerConfig {
    /// Default: 127.0.0.1.
    pub host: String,
    /// 0 for any free port. Default: 8000.
    pub port: u16,
    /// Default: simulation.
    pub mode: Mode,
    /// Default: with the other routes.
    pub control: Option<ControlListen>,
    /// Default: none but the server's own.
    pub allowed_origins: Vec<String>,
    /// Default: on addresses of this machine, in simulation.
    pub web: Web,
    /// The Hugging Face Space that it runs in. Default: none.
    pub space_id: Option<String>,
    /// `None` for as long as there is room. Default: an hour.
    pub keep_time: Option<Duration>,
    /// In bytes. Default: 32 MiB.
    pub keep_size: usize,
    /// Of each environment. Default: what the library allows.
    pub max_sessions: Option<usize>,
    /// `None` for never. Default: 15 minutes.
    pub session_timeout: Option<Duration>,
    /// Default: zero, a full server refuses.
    pub queue_timeout: Duration,
    /// Default: 30 seconds.
    pub drain_timeout: Duration,
    /// Default: 20 seconds.
    pub keepalive_interval: Option<Duration>,
    /// Default: 20 seconds.
    pub keepalive_timeout: Duration,
    /// In bytes. Default: 100 MiB.
    pub max_message_size: usize,
    /// Default: one for each processor.
    pub workers: Option<usize>,
    /// Whether to ask a running server how it is instead. Default: no.
    pub health_check: bool,
    /// Whether standard input is the socket to serve on. Default: no.
    pub listen_stdin: bool,
    /// Whether to say where things are. Default: yes.
    pub banner: bool,
}

impl ServerConfig {
    /// `banner` says whether a person reads what is said.
    pub fn new(args: ServerArgs, banner: bool) -> Self {
        Self {
            host: args.host,
            port: args.port,
            mode: args.mode,
            control: args.control_listen,
            allowed_origins: args.allow_origin,
            web: web(args.web, args.enable_web_interface.as_deref()),
            space_id: args.space_id,
            keep_time: args.keep_time.0,
            keep_size: args.keep_size.0,
            max_sessions: args.max_sessions,
            session_timeout: args.session_timeout.0,
            queue_timeout: args.queue_timeout.0,
            drain_timeout: args.drain_timeout.0,
            keepalive_interval: args.keepalive_interval.0,
            keepalive_timeout: args.keepalive_timeout.0,
            max_message_size: args.max_message_size.0,
            workers: args.workers,
            health_check: args.health_check,
            listen_stdin: args.listen_stdin,
            banner: banner && !args.no_banner,
        }
    }

    /// The same as variables, for a server that another program starts.
    pub fn variables(&self) -> Vec<(&'static str, String)> {
        let seconds = |time: Duration| time.as_secs_f64().to_string();
        let or_never = |time: Option<Duration>| time.map_or_else(|| "never".to_owned(), seconds);
        let mut variables = vec![
            (vars::HOST, self.host.clone()),
            (vars::PORT, self.port.to_string()),
            (vars::MODE, self.mode.to_string()),
            (vars::ALLOWED_ORIGINS, self.allowed_origins.join(",")),
            (vars::WEB, self.web.to_string()),
            (vars::KEEP_TIME, or_never(self.keep_time)),
            (vars::KEEP_SIZE, self.keep_size.to_string()),
            (vars::SESSION_TIMEOUT, or_never(self.session_timeout)),
            (vars::QUEUE_TIMEOUT, seconds(self.queue_timeout)),
            (vars::DRAIN_TIMEOUT, seconds(self.drain_timeout)),
            (vars::KEEPALIVE_INTERVAL, or_never(self.keepalive_interval)),
            (vars::KEEPALIVE_TIMEOUT, seconds(self.keepalive_timeout)),
            (vars::MAX_MESSAGE_SIZE, self.max_message_size.to_string()),
        ];
        if let Some(control) = &self.control {
            variables.push((vars::CONTROL_LISTEN, control.to_string()));
        }
        if let Some(space) = &self.space_id {
            variables.push((vars::SPACE_ID, space.clone()));
        }
        if let Some(sessions) = self.max_sessions {
            variables.push((vars::MAX_SESSIONS, sessions.to_string()));
        }
        if let Some(workers) = self.workers {
            variables.push((vars::WORKERS, workers.to_string()));
        }
        variables
    }
}

/// What existing images say counts where nothing else was said.
fn web(asked: Web, interface: Option<&str>) -> Web {
    let interface = interface.map(str::to_ascii_lowercase);
    match (asked, interface.as_deref()) {
        (Web::Auto, Some("true" | "1" | "yes")) => Web::Simulation,
        (Web::Auto, Some("false" | "0" | "no")) => Web::Off,
        (asked, _) => asked,
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::*;

    #[derive(Debug, Parser)]
    struct Command {
        #[command(flatten)]
        server: ServerArgs,
    }

    fn read(options: impl IntoIterator<Item = String>) -> ServerConfig {
        let options = ["server".to_owned()].into_iter().chain(options);
        let command = Command::try_parse_from(options).unwrap();
        ServerConfig::new(command.server, true)
    }

    #[test]
    fn every_setting_survives_as_a_variable() {
        let typed = "--host ::1 --port 9 --mode production --control-listen [::1]:8001 \
            --allow-origin https://a.example,https://b.example --max-sessions 7 \
            --session-timeout never --queue-timeout 0.25 --drain-timeout 1.5 \
            --web off --space-id me/env --keep-time never --keep-size 5MiB --keepalive-interval 3 --keepalive-timeout 4 --max-message-size 64MiB --workers 2";
        for typed in [typed, ""] {
            let config = read(typed.split_whitespace().map(str::to_owned));
            let arguments = Command::command();
            let option = |variable: &str| {
                let mut known = arguments.get_arguments();
                let argument = known.find(|known| known.get_env().is_some_and(|it| it == variable));
                argument.and_then(clap::Arg::get_long).unwrap().to_owned()
            };
            let variables = config.variables();
            let set = variables.iter().filter(|(_, value)| !value.is_empty());
            let again = read(set.map(|(name, value)| format!("--{}={value}", option(name))));
            assert_eq!(format!("{again:?}"), format!("{config:?}"));
        }
    }
}
