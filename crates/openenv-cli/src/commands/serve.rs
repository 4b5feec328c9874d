//! `openenv serve`: environments over HTTP and WebSocket until a signal comes.

use anyhow::Result;

use crate::config::ServeConfig;
use crate::ui::progress::Startup;
use crate::{launch, service};

pub(crate) fn run(config: &ServeConfig) -> Result<()> {
    openenv_serve::run(&config.server, async || {
        let startup = Startup::new(config.server.banner);
        let options = config.python.options();
        let launched = launch::all(&config.environments, &options, &startup).await?;
        let services = launched.into_iter();
        Ok(services.map(|it| service::of(it, config)).collect())
    })
}
