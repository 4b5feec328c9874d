//! What is meant: every option resolved, nothing left to check.

use std::time::Duration;

use openenv::{Mode, ResetOptions};
use openenv_build::Profile;
use openenv_serve::{LogConfig, LogFormat, ServerConfig};
use serde_json::value::RawValue;

use crate::args::{
    Args, BenchArgs, Command, EndpointArgs, InspectArgs, ListArgs, McpArgs, PlayArgs, ServeArgs,
};
use crate::subject::{Place, Subject};
use crate::target::Target;
use crate::value::{ErrorLimit, Header};

mod build;
mod containers;
mod init;
mod python;
mod run;
mod validate;

pub(crate) use build::BuildConfig;
pub(crate) use containers::ContainersConfig;
pub(crate) use init::InitConfig;
pub(crate) use python::PythonConfig;
pub(crate) use run::RunConfig;
pub(crate) use validate::ValidateConfig;

/// What to do, and how to report it.
#[derive(Debug)]
pub(crate) struct Config {
    pub(crate) task: Task,
    pub(crate) log: LogConfig,
}

/// What to do.
#[derive(Debug)]
pub(crate) enum Task {
    Init(InitConfig),
    Serve(ServeConfig),
    Mcp(McpConfig),
    Build(Box<BuildConfig>),
    List(ListConfig),
    Inspect(InspectConfig),
    Play(PlayConfig),
    Bench(BenchConfig),
    Run(RunConfig),
    Containers(ContainersConfig),
    Validate(ValidateConfig),
}

/// How `openenv serve` serves.
#[derive(Debug)]
pub(crate) struct ServeConfig {
    /// At least one, each once; the first answers at `/`. Default: the project here, else echo.
    pub(crate) environments: Vec<Subject>,
    /// How those in Python are run.
    pub(crate) python: PythonConfig,
    pub(crate) server: ServerConfig,
    /// Whether to restart when files change. Default: no.
    pub(crate) reload: bool,
    /// Whether a crate is built optimized. Default: no.
    pub(crate) release: bool,
}

/// What `openenv mcp` serves.
#[derive(Debug)]
pub(crate) struct McpConfig {
    pub(crate) environment: Subject,
    /// Default: production.
    pub(crate) mode: Mode,
    /// How it is run if it is in Python.
    pub(crate) python: PythonConfig,
    /// Whether to say what takes time. Default: yes.
    pub(crate) progress: bool,
}

/// How `openenv list` lists.
#[derive(Debug)]
pub(crate) struct ListConfig {
    /// Whether to print JSON instead of a table. Default: no.
    pub(crate) json: bool,
}

/// What `openenv inspect` looks at.
#[derive(Debug)]
pub(crate) struct InspectConfig {
    pub(crate) place: Place,
    /// Whether to print JSON instead of text. Default: no.
    pub(crate) json: bool,
    pub(crate) python: PythonConfig,
    /// Whether to say what takes time. Default: yes.
    pub(crate) progress: bool,
}

/// Which server a command talks to, and how.
#[derive(Debug)]
pub(crate) struct EndpointConfig {
    pub(crate) target: Target,
    /// Default: none.
    pub(crate) headers: Vec<Header>,
    /// `None` for no limit. Default: a minute.
    pub(crate) message_timeout: Option<Duration>,
    /// How an environment in Python is run that is named instead of a server.
    pub(crate) python: PythonConfig,
    /// How a crate is built that is named instead of a server: quickly to be played, well to be measured.
    pub(crate) profile: Profile,
    /// Whether to say what takes time. Default: yes.
    pub(crate) progress: bool,
}

/// How `openenv play` plays.
#[derive(Debug)]
pub(crate) struct PlayConfig {
    pub(crate) endpoint: EndpointConfig,
    /// Of the first reset and of random actions. Default: none.
    pub(crate) seed: Option<i128>,
    /// Of the first episode. Default: what the server makes up.
    pub(crate) episode_id: Option<String>,
    /// What every reset is asked for: no seed, no name. Default: nothing.
    pub(crate) reset: ResetOptions,
    /// How many steps are random. Default: none, a person plays.
    pub(crate) random: Option<u64>,
    /// Whether random steps are lines of JSON. Default: no.
    pub(crate) json: bool,
}

/// How `openenv bench` measures.
#[derive(Debug)]
pub(crate) struct BenchConfig {
    pub(crate) endpoint: EndpointConfig,
    /// At least one. Default: 16.
    pub(crate) sessions: usize,
    /// Default: 10 seconds.
    pub(crate) duration: Duration,
    /// Time over which the opening is spread. Default: zero, as fast as possible.
    pub(crate) ramp: Duration,
    /// Default: the simplest that the schema allows.
    pub(crate) action: Option<Box<RawValue>>,
    /// Default: a closed loop.
    pub(crate) load: Load,
    /// At least one, at most one for each session. Default: 1.
    pub(crate) threads: usize,
    /// Of the first reset. Default: none.
    pub(crate) seed: Option<i128>,
    /// Default: any error is one too many.
    pub(crate) max_errors: ErrorLimit,
    /// Whether to print JSON instead of tables. Default: no.
    pub(crate) json: bool,
    /// Whether to show how far it is, if there is a terminal. Default: yes.
    pub(crate) progress: bool,
}

/// What the sessions of a measurement do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Load {
    /// Each sends its next step as soon as it has the answer to the last.
    ClosedLoop,
    /// Each waits, and shows at the end that it is alive.
    Hold,
}

impl From<Args> for Config {
    fn from(args: Args) -> Self {
        let for_people = args.log.log_format == LogFormat::Text && args.log.quiet == 0;
        let default_filter = match &args.command {
            Command::Serve(_) | Command::Run(_) => "info",
            // About a server, or none: what it logs is not what was asked for.
            _ => "warn",
        };
        Self {
            task: match args.command {
                Command::Init(init) => Task::Init(InitConfig::new(init, for_people)),
                Command::Serve(serve) => Task::Serve(ServeConfig::new(serve, for_people)),
                Command::Mcp(mcp) => Task::Mcp(McpConfig::new(mcp, for_people)),
                Command::Build(build) => {
                    Task::Build(Box::new(BuildConfig::new(*build, for_people)))
                }
                Command::List(ListArgs { json }) => Task::List(ListConfig { json }),
                Command::Inspect(inspect) => Task::Inspect(InspectConfig::new(inspect, for_people)),
                Command::Play(play) => Task::Play(PlayConfig::new(play, for_people)),
                Command::Bench(bench) => Task::Bench(BenchConfig::new(bench, for_people)),
                Command::Run(run) => Task::Run(RunConfig::new(run, for_people)),
                Command::Containers(containers) => Task::Containers(containers.into()),
                Command::Validate(validate) => {
                    Task::Validate(ValidateConfig::new(validate, for_people))
                }
            },
            log: LogConfig::new(args.log, default_filter),
        }
    }
}

impl ServeConfig {
    fn new(args: ServeArgs, banner: bool) -> Self {
        let mut environments: Vec<Subject> = Vec::new();
        for environment in args.environments {
            if !environments.iter().any(|known| known.is_same(&environment)) {
                environments.push(environment);
            }
        }
        if environments.is_empty() {
            environments.push(Subject::here());
        }
        Self {
            environments,
            python: args.python.into(),
            server: ServerConfig::new(args.server, banner),
            reload: args.reload,
            release: args.release,
        }
    }
}

impl McpConfig {
    fn new(args: McpArgs, progress: bool) -> Self {
        Self {
            environment: args.environment,
            mode: args.mode,
            python: PythonConfig::from(args.python).for_one_session(),
            progress,
        }
    }
}

impl InspectConfig {
    fn new(args: InspectArgs, progress: bool) -> Self {
        Self {
            place: args.place,
            json: args.json,
            python: PythonConfig::from(args.python).for_one_session(),
            progress,
        }
    }
}

impl EndpointConfig {
    fn new(args: EndpointArgs, profile: Profile, progress: bool) -> Self {
        Self {
            target: args.target,
            headers: args.headers,
            message_timeout: args.message_timeout.0,
            python: args.python.into(),
            profile,
            progress,
        }
    }
}

impl PlayConfig {
    fn new(args: PlayArgs, progress: bool) -> Self {
        let mut reset = ResetOptions::default();
        for argument in args.reset_arguments {
            reset = reset.with(argument.name, argument.value);
        }
        let endpoint = EndpointConfig::new(args.endpoint, Profile::Dev, progress);
        Self {
            endpoint: EndpointConfig {
                python: endpoint.python.for_one_session(),
                ..endpoint
            },
            seed: args.seed,
            episode_id: args.episode_id,
            reset,
            random: args.random,
            json: args.json,
        }
    }
}

impl BenchConfig {
    fn new(args: BenchArgs, progress: bool) -> Self {
        Self {
            endpoint: EndpointConfig::new(args.endpoint, Profile::Release, progress),
            sessions: args.sessions,
            duration: args.duration.0,
            ramp: args.ramp.0,
            action: args.action,
            load: if args.hold {
                Load::Hold
            } else {
                Load::ClosedLoop
            },
            threads: args.threads.min(args.sessions),
            seed: args.seed,
            max_errors: args.max_errors,
            json: args.json,
            progress,
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    fn serve(arguments: &str) -> (ServeConfig, LogConfig) {
        let arguments = arguments.split_whitespace();
        let args = Args::try_parse_from(["openenv", "serve"].into_iter().chain(arguments)).unwrap();
        let config = Config::from(args);
        match config.task {
            Task::Serve(serve) => (serve, config.log),
            _ => panic!("expected `serve`"),
        }
    }

    #[test]
    fn environments_are_served_once_in_the_order_given() {
        let (config, _) = serve("benchmark echo_env benchmark");
        let names: Vec<_> = config.environments.iter().map(Subject::argument).collect();
        assert_eq!(names, ["benchmark", "echo"]);
        let (config, _) = serve("./maze maze.world:World ./maze");
        assert_eq!(config.environments.len(), 2);
    }

    #[test]
    fn options_are_resolved() {
        let (config, _) = serve(
            "--mode PRODUCTION --max-sessions 7 --session-timeout never --max-message-size 64MiB",
        );
        assert_eq!(config.server.mode, Mode::Production);
        assert_eq!(config.server.max_sessions, Some(7));
        assert_eq!(config.server.session_timeout, None);
        assert_eq!(config.server.max_message_size, 64 << 20);
    }

    #[test]
    fn flags_shift_the_log_level() {
        assert_eq!(serve("-v").1.filter, "info,openenv=debug,rmcp=off");
        assert_eq!(serve("-vv").1.filter, "trace");
        assert_eq!(serve("-q").1.filter, "warn,rmcp=off");
        assert_eq!(serve("--log-level debug").1.filter, "debug");
        assert_eq!(serve("--log-level debug -qq").1.filter, "error,rmcp=off");
    }

    #[test]
    fn no_thread_is_without_a_session() {
        let arguments = ["openenv", "bench", "echo", "-n", "3", "--threads", "8"];
        let args = Args::try_parse_from(arguments).unwrap();
        let Task::Bench(config) = Config::from(args).task else {
            panic!("expected `bench`");
        };
        assert_eq!(config.threads, 3);
    }

    #[test]
    fn seeds_can_be_negative() {
        for typed in [&["--seed", "-5"][..], &["--seed=-5"]] {
            let arguments = ["openenv", "play", "echo"].iter().chain(typed);
            let Task::Play(config) = Config::from(Args::try_parse_from(arguments).unwrap()).task
            else {
                panic!("expected `play`");
            };
            assert_eq!(config.seed, Some(-5));
        }
    }

    #[test]
    fn the_banner_is_for_people_only() {
        assert!(serve("").0.server.banner);
        assert!(!serve("-q").0.server.banner);
        assert!(!serve("--log-format json").0.server.banner);
    }
}
