//! What can be typed after `openenv build`.

use std::path::PathBuf;
use std::str::FromStr;

use openenv_build::Tag;

use crate::vars;

/// The end of the year 9999: the times of an image have years of four digits.
const LAST_SECOND: u64 = 253_402_300_799;

#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
pub(crate) struct BuildArgs {
    /// Directory of the environment
    #[arg(value_name = "DIR", default_value = ".")]
    pub(crate) directory: PathBuf,

    /// Name of the image, as `maze` or `registry.example/maze:1.2`; may be given several times
    /// [default: `openenv-NAME` and `NAME`]
    #[arg(short, long, value_name = "TAG", value_parser = tag)]
    pub(crate) tag: Vec<Tag>,

    /// Write the image to a file that `docker load` reads, compressed if its name ends in `.gz` or
    /// `.tgz`; that of a package in Rust is then made without an engine
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Image to build on [default: nothing for a package in Rust, `python:3.12-slim` for one in
    /// Python]
    #[arg(long, value_name = "IMAGE")]
    pub(crate) base: Option<String>,

    /// Build this Dockerfile instead
    #[arg(
        short = 'f',
        long,
        value_name = "FILE",
        conflicts_with_all = [
            "base", "profile", "offline", "locked", "server", "wheels", "full", "no_check"
        ]
    )]
    pub(crate) dockerfile: Option<PathBuf>,

    /// Directory with the files that the Dockerfile takes [default: that of the environment]
    #[arg(short, long, value_name = "DIR", requires = "dockerfile")]
    pub(crate) context: Option<PathBuf>,

    /// Value for the commands of the build, as `PIP_INDEX_URL=https://…`, or a variable by its name
    /// alone; may be given several times. It is not in the image, unless a Dockerfile puts it there,
    /// but in the engine's cache of the build
    #[arg(long, value_name = "NAME=VALUE", value_parser = build_arg)]
    pub(crate) build_arg: Vec<(String, String)>,

    /// Label for the image; may be given several times
    #[arg(long, value_name = "NAME=VALUE", value_parser = pair)]
    pub(crate) label: Vec<(String, String)>,

    /// Use nothing that was built before
    #[arg(long)]
    pub(crate) no_cache: bool,

    /// Network that the commands of the build have: `host`, `none` or a name [default: the
    /// engine's]
    #[arg(long, value_name = "NAME")]
    pub(crate) network: Option<String>,

    /// Address of the container engine [default: Docker's socket]
    #[arg(long, value_name = "URL", env = vars::DOCKER_HOST, hide_env_values = true)]
    pub(crate) engine: Option<String>,

    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,

    /// Time that the files of the image have, in seconds since 1970 [default: a fixed one]
    #[arg(
        long,
        value_name = "SECONDS",
        env = vars::SOURCE_DATE_EPOCH,
        value_parser = clap::value_parser!(u64).range(..=LAST_SECOND),
        hide_env_values = true,
        hide = true
    )]
    pub(crate) source_date_epoch: Option<u64>,

    /// Profile of cargo [default: release]
    #[arg(long, value_name = "NAME", help_heading = "Packages in Rust")]
    pub(crate) profile: Option<String>,

    /// Make no use of a network to compile
    #[arg(long, help_heading = "Packages in Rust")]
    pub(crate) offline: bool,

    /// Require that `Cargo.lock` is there and fits
    #[arg(long, help_heading = "Packages in Rust")]
    pub(crate) locked: bool,

    /// Server to put into the image: an `openenv` for Linux that runs on the base
    /// [default: this program]
    #[arg(long, value_name = "FILE", help_heading = "Packages in Python")]
    pub(crate) server: Option<PathBuf>,

    /// Install from the wheels in this directory, and from no index
    #[arg(long, value_name = "DIR", help_heading = "Packages in Python")]
    pub(crate) wheels: Option<PathBuf>,

    /// Install `openenv` with all that it requires, instead of the light stand-in
    #[arg(long, help_heading = "Packages in Python")]
    pub(crate) full: bool,

    /// Do not import the package at the end of the build
    #[arg(long, help_heading = "Packages in Python")]
    pub(crate) no_check: bool,
}

fn tag(text: &str) -> Result<Tag, openenv_build::Error> {
    Tag::from_str(text)
}

fn pair(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err("write it as `NAME=VALUE`".to_owned()),
    }
}

/// A name alone stands for the variable, as everywhere with Docker.
fn build_arg(text: &str) -> Result<(String, String), String> {
    if text.contains('=') {
        return pair(text);
    }
    match std::env::var(text) {
        Ok(value) if !text.is_empty() => Ok((text.to_owned(), value)),
        _ => Err("there is no such variable: write it as `NAME=VALUE`".to_owned()),
    }
}
