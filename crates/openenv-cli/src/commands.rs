//! One module per subcommand.

pub(crate) mod bench;
pub(crate) mod build;
pub(crate) mod containers;
pub(crate) mod init;
pub(crate) mod inspect;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod play;
pub(crate) mod run;
pub(crate) mod serve;
pub(crate) mod validate;
