//! `openenv serve --reload`: a server from the source as it is, again after every change.
//!
//! The parent has the socket and never closes it, so that no client is refused. A new
//! server is started beside the old one and takes over when it is ready; one that
//! cannot be built or started changes nothing.

use std::io::{IsTerminal, stdout};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::time::Instant;

use anyhow::{Context, Result};
use openenv_serve::value::ControlListen;
use openenv_serve::{Failure, LogConfig, Reserved};
use tokio::runtime;

use super::child::Server;
use super::watch::Watch;
use crate::config::ServeConfig;
use crate::subject::{Place, Subject};
use crate::ui;

pub(super) fn run(config: &ServeConfig, log: &LogConfig) -> Result<()> {
    // One thread: a child is ended with the thread that started it.
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("could not start the runtime")?;
    runtime.block_on(supervise(config, log))
}

async fn supervise(config: &ServeConfig, log: &LogConfig) -> Result<()> {
    if let Some(ControlListen::At { .. }) = &config.server.control {
        return Err(Failure::new(
            "one port can be kept open from server to server, and `--control-listen` is a second",
            "leave out `--control-listen`, or `--reload`",
        )
        .into());
    }
    let roots = roots(&config.environments)?;
    let socket = take_port(config).await?;
    let mut watch = Watch::over(roots)?;
    let mut signal = Box::pin(openenv::shutdown_signal());
    let mut current: Option<Server> = None;
    loop {
        let began = Instant::now();
        let banner = config.server.banner && current.is_none();
        let started = tokio::select! {
            started = Server::start(config, log, &socket, banner) => started,
            () = &mut signal => break,
            changed = watch.change() => {
                tell(&changed?, &config.environments);
                continue;
            }
        };
        match started {
            Ok(server) => match current.replace(server) {
                Some(old) => {
                    ui::note(&format!("reloaded in {:.1?}", began.elapsed()));
                    old.retire().await;
                }
                None => announce(current.as_ref())?,
            },
            Err(error) => {
                ui::report(&error);
                ui::note(match current {
                    Some(_) => "the server goes on as it was, until a file changes",
                    None => "nothing is served until a file changes",
                });
            }
        }
        tokio::select! {
            changed = watch.change() => tell(&changed?, &config.environments),
            ended = ended(&mut current) => {
                ui::complain(&format!("the server ended with {}", ended?));
                ui::note("nothing is served until a file changes");
                current = None;
                tokio::select! {
                    changed = watch.change() => tell(&changed?, &config.environments),
                    () = &mut signal => break,
                }
            }
            () = &mut signal => break,
        }
    }
    if let Some(server) = current {
        tokio::select! {
            () = server.stop(config.server.drain_timeout) => {}
            // To drop it ends it at once.
            () = openenv::shutdown_signal() => {}
        }
    }
    Ok(())
}

async fn take_port(config: &ServeConfig) -> Result<TcpListener> {
    let server = &config.server;
    let reserved = Reserved::take(&server.host, server.port, "--port").await?;
    let listener = reserved.listen()?.into_std();
    listener.context("could not keep the socket of the server")
}

/// For scripts, as a server by itself does.
fn announce(server: Option<&Server>) -> Result<()> {
    match server {
        Some(server) if !stdout().is_terminal() => ui::data(&server.url),
        _ => Ok(()),
    }
}

fn tell(changed: &Path, environments: &[Subject]) {
    let roots = roots(environments).unwrap_or_default();
    let short = roots
        .iter()
        .find_map(|root| changed.strip_prefix(root).ok());
    ui::note(&format!("`{}` changed", short.unwrap_or(changed).display()));
}

/// Never, if there is none.
async fn ended(current: &mut Option<Server>) -> Result<std::process::ExitStatus> {
    match current {
        Some(server) => server.ended().await,
        None => std::future::pending().await,
    }
}

/// The directories whose files make a difference.
fn roots(environments: &[Subject]) -> Result<Vec<PathBuf>> {
    let mut roots = Vec::new();
    for environment in environments {
        let path = match environment {
            Subject::Crate(path) | Subject::Python(Place::Path(path)) => path.clone(),
            Subject::Python(Place::Object(_)) => PathBuf::from("."),
            // Nothing of it can change.
            Subject::Bundled(_) => continue,
        };
        let root = if path.is_file() {
            path.parent().map(Path::to_owned).unwrap_or_default()
        } else {
            path
        };
        let root = std::path::absolute(&root).context("could not find the project")?;
        roots.push(root);
    }
    if roots.is_empty() {
        return Err(Failure::new(
            "a bundled environment has no files that could change",
            "`--reload` is for a project of yours: `openenv serve ./my_env --reload`",
        )
        .into());
    }
    Ok(roots)
}
