//! What can be typed about a server.

use clap::builder::{
    BoolishValueParser, PossibleValuesParser, RangedU64ValueParser, TypedValueParser,
};
use openenv::Mode;

use crate::value::{ByteSize, ControlListen, PositiveSeconds, Seconds, SecondsOrNever, Web};
use crate::vars;

/// The options of a server.
#[derive(Debug, Clone, clap::Args)]
pub struct ServerArgs {
    /// Host name or address to listen on; `0.0.0.0` listens on every interface
    #[arg(long, default_value = "127.0.0.1", env = vars::HOST, hide_env_values = true)]
    pub host: String,

    /// Port to listen on; 0 picks a free one
    #[arg(short, long, default_value_t = 8000, env = vars::PORT, hide_env_values = true)]
    pub port: u16,

    /// Who the server is for: `simulation` to train, `production` for agents that call
    /// tools, without the HTTP routes that control the episode
    #[arg(
        long,
        default_value = "simulation",
        env = vars::MODE,
        hide_env_values = true,
        ignore_case = true,
        value_parser = modes()
    )]
    pub mode: Mode,

    /// Address of its own for the routes that control sessions, as `127.0.0.1:8001`,
    /// or `off` for none of them; `--port` then has nothing but tools [default: with
    /// the others]
    #[arg(
        long,
        value_name = "HOST:PORT",
        env = vars::CONTROL_LISTEN,
        hide_env_values = true
    )]
    pub control_listen: Option<ControlListen>,

    /// Origins of web pages that may use the server, as `https://app.example`, besides
    /// its own; `*` for all
    #[arg(
        long,
        value_name = "ORIGIN",
        env = vars::ALLOWED_ORIGINS,
        hide_env_values = true,
        value_delimiter = ','
    )]
    pub allow_origin: Vec<String>,

    /// Whether people get a page at `/web` to try and watch the environment: `auto` on
    /// addresses of this machine, `simulation` on every address, but not for production
    #[arg(
        long,
        value_name = "WHEN",
        default_value = "auto",
        env = vars::WEB,
        hide_env_values = true,
        ignore_case = true,
        value_enum
    )]
    pub web: Web,

    /// The same, as existing images say it
    #[arg(long, hide = true, env = vars::ENABLE_WEB_INTERFACE)]
    pub enable_web_interface: Option<String>,

    /// Space of Hugging Face that the server runs in
    #[arg(long, hide = true, env = vars::SPACE_ID)]
    pub space_id: Option<String>,

    /// How long the page keeps an episode after its end, or `never` to let none go for
    /// its age
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "3600",
        env = vars::KEEP_TIME,
        hide_env_values = true
    )]
    pub keep_time: SecondsOrNever,

    /// How much of the episodes of each environment the page keeps, as `32MiB`
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "32MiB",
        env = vars::KEEP_SIZE,
        hide_env_values = true
    )]
    pub keep_size: ByteSize,

    /// Most sessions of each environment at the same time; one in Python that is not concurrent gets
    /// a process for each [default: 65536, or 1 for an environment that is not concurrent]
    #[arg(
        long,
        value_name = "N",
        env = vars::MAX_SESSIONS,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub max_sessions: Option<usize>,

    /// Idle time after which a session without a socket ends, or `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "900",
        env = vars::SESSION_TIMEOUT,
        hide_env_values = true
    )]
    pub session_timeout: SecondsOrNever,

    /// How long a new session waits for a free place when the server is full
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "0",
        env = vars::QUEUE_TIMEOUT,
        hide_env_values = true
    )]
    pub queue_timeout: Seconds,

    /// How long running calls have to end when the server stops
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "30",
        env = vars::DRAIN_TIMEOUT,
        hide_env_values = true
    )]
    pub drain_timeout: Seconds,

    /// Time between two pings of a WebSocket, or `never`
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        env = vars::KEEPALIVE_INTERVAL,
        hide_env_values = true
    )]
    pub keepalive_interval: SecondsOrNever,

    /// How long the answer to a ping may take before the session counts as lost
    #[arg(
        long,
        value_name = "SECONDS",
        default_value = "20",
        env = vars::KEEPALIVE_TIMEOUT,
        hide_env_values = true
    )]
    pub keepalive_timeout: PositiveSeconds,

    /// Largest message that is accepted, as `1000000`, `64MiB` or `1GB`
    #[arg(
        long,
        value_name = "BYTES",
        default_value = "100MiB",
        env = vars::MAX_MESSAGE_SIZE,
        hide_env_values = true
    )]
    pub max_message_size: ByteSize,

    /// Threads that serve connections [default: one for each processor]
    #[arg(
        long,
        value_name = "N",
        env = vars::WORKERS,
        hide_env_values = true,
        value_parser = RangedU64ValueParser::<usize>::new().range(1..=1024)
    )]
    pub workers: Option<usize>,

    /// Ask the server that runs at this host and port whether it is well, and serve nothing; the exit
    /// code tells, for the health check of a container
    #[arg(long)]
    pub health_check: bool,

    /// Serve on the socket that is standard input: whoever gave it keeps the port while servers come
    /// and go
    #[arg(long, hide = true)]
    pub listen_stdin: bool,

    /// Do not say where things are: whoever started the server does
    #[arg(
        long,
        hide = true,
        env = vars::NO_BANNER,
        value_parser = BoolishValueParser::new()
    )]
    pub no_banner: bool,
}

/// Reads a mode.
pub fn modes() -> impl TypedValueParser<Value = Mode> {
    PossibleValuesParser::new(["simulation", "production"]).try_map(|mode| mode.parse::<Mode>())
}
