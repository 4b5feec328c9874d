//! One module per subcommand.

pub(crate) mod list;
pub(crate) mod serve;
