//! What can be typed after `openenv run`.

use clap::builder::RangedU64ValueParser;
use openenv_serve::value::{ByteSize, PositiveSeconds, Seconds};

use crate::value::TypedVariable;

#[derive(Debug, clap::Args)]
pub(crate) struct RunArgs {
    /// Image to run, as `my-env:latest`
    #[arg(value_name = "IMAGE")]
    pub(crate) image: String,

    /// Variable of the container, as `LEVEL=3`, or `LEVEL` alone to pass on the value it has here;
    /// may be repeated
    #[arg(short = 'e', long = "env", value_name = "NAME[=VALUE]")]
    pub(crate) variables: Vec<TypedVariable>,

    /// Port of this machine that leads to the server; 0 picks a free one. It is reached from this
    /// machine alone
    #[arg(short, long, default_value_t = 0)]
    pub(crate) port: u16,

    /// Port that the server listens on inside of the container
    #[arg(
        long,
        value_name = "PORT",
        default_value_t = 8000,
        value_parser = RangedU64ValueParser::<u16>::new().range(1..)
    )]
    pub(crate) container_port: u16,

    /// Most memory it may use, such as `512MiB`; swap does not make it more [default: no limit]
    #[arg(short, long, value_name = "BYTES")]
    pub(crate) memory: Option<ByteSize>,

    /// Most processors it may keep busy, such as `0.5` [default: no limit]
    #[arg(long, value_name = "NUMBER", value_parser = crate::value::cpus)]
    pub(crate) cpus: Option<f64>,

    /// Most processes and threads it may have [default: no limit]
    #[arg(long, value_name = "NUMBER", value_parser = RangedU64ValueParser::<u32>::new().range(1..))]
    pub(crate) pids: Option<u32>,

    /// Network it is in: `bridge`, `host`, or one that was created
    #[arg(long, value_name = "NAME", default_value = "bridge")]
    pub(crate) network: String,

    /// Let it change no files, except below `/tmp`
    #[arg(long)]
    pub(crate) read_only: bool,

    /// Let it have the engine's default capabilities: for an image that begins as root and then
    /// changes to another user
    #[arg(long)]
    pub(crate) unconfined: bool,

    /// Pull the image if it is not there
    #[arg(long)]
    pub(crate) pull: bool,

    /// How long it may take until it is healthy
    #[arg(long, value_name = "SECONDS", default_value = "30")]
    pub(crate) start_timeout: PositiveSeconds,

    /// How long it may take to end when asked to, before it is killed
    #[arg(long, value_name = "SECONDS", default_value = "10")]
    pub(crate) stop_timeout: Seconds,

    /// Arguments of the image's entry point, or what to run instead of its command
    #[arg(last = true, value_name = "ARG")]
    pub(crate) arguments: Vec<String>,
}
