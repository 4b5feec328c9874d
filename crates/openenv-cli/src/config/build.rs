//! How `openenv build` builds.

use std::collections::BTreeMap;
use std::path::PathBuf;

use openenv_build::{Profile, Tag};

use crate::args::BuildArgs;

/// How `openenv build` builds.
#[derive(Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag by itself")]
pub(crate) struct BuildConfig {
    /// Default: this one.
    pub(crate) directory: PathBuf,
    /// Default: those of the environment.
    pub(crate) tags: Vec<Tag>,
    /// Default: none, the image is given to an engine.
    pub(crate) output: Option<PathBuf>,
    /// Default: nothing, or an image with Python.
    pub(crate) base: Option<String>,
    /// Default: none, the image is made as it has to be.
    pub(crate) dockerfile: Option<PathBuf>,
    /// Default: the directory.
    pub(crate) context: PathBuf,
    /// Default: none.
    pub(crate) build_args: BTreeMap<String, String>,
    /// Default: those that say what it is.
    pub(crate) labels: BTreeMap<String, String>,
    /// Default: no.
    pub(crate) no_cache: bool,
    /// Default: the engine's.
    pub(crate) network: Option<String>,
    /// Default: the usual socket.
    pub(crate) engine: Option<String>,
    /// Whether to print JSON instead of a name. Default: no.
    pub(crate) json: bool,
    /// In seconds since 1970. Default: a fixed day.
    pub(crate) created: Option<u64>,
    /// Default: release.
    pub(crate) profile: Option<Profile>,
    /// Default: no.
    pub(crate) offline: bool,
    /// Default: no.
    pub(crate) locked: bool,
    /// Default: this program.
    pub(crate) server: Option<PathBuf>,
    /// Default: none, an index is asked.
    pub(crate) wheels: Option<PathBuf>,
    /// Whether the real `openenv` is installed. Default: no.
    pub(crate) full: bool,
    /// Whether a package in Python has to be importable. Default: yes.
    pub(crate) check: bool,
    /// Whether to tell what happens as it happens. Default: yes.
    pub(crate) progress: bool,
}

impl BuildConfig {
    pub(super) fn new(args: BuildArgs, progress: bool) -> Self {
        Self {
            context: args.context.unwrap_or_else(|| args.directory.clone()),
            directory: args.directory,
            tags: args.tag,
            output: args.output,
            base: args.base,
            dockerfile: args.dockerfile,
            build_args: args.build_arg.into_iter().collect(),
            labels: args.label.into_iter().collect(),
            no_cache: args.no_cache,
            network: args.network,
            engine: args.engine,
            json: args.json,
            created: args.source_date_epoch,
            profile: args.profile.map(|name| match name.as_str() {
                "dev" => Profile::Dev,
                "release" => Profile::Release,
                _ => Profile::Named(name),
            }),
            offline: args.offline,
            locked: args.locked,
            server: args.server,
            wheels: args.wheels,
            full: args.full,
            check: !args.no_check,
            progress,
        }
    }
}
