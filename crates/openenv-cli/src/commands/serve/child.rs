//! A server as a child that serves on the socket of its parent.

use std::ffi::OsString;
use std::net::TcpListener;
use std::os::fd::OwnedFd;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use openenv_serve::LogConfig;
use rustix::process::{Pid, Signal, kill_process};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};
use tokio::time::timeout;

use super::profile;
use crate::config::ServeConfig;
use crate::program::Program;
use crate::subject::Subject;
use crate::ui;

/// How long a server may take to end when a newer one has taken over.
const PATIENCE: Duration = Duration::from_secs(5);

/// A server that is ready.
#[derive(Debug)]
pub(super) struct Server {
    child: Child,
    /// Where it is.
    pub(super) url: String,
}

impl Server {
    /// Starts what the options say, from the source as it is now, and waits until it serves.
    ///
    /// Dropping the future, or the server, ends it.
    pub(super) async fn start(
        config: &ServeConfig,
        log: &LogConfig,
        socket: &TcpListener,
        banner: bool,
    ) -> Result<Self> {
        let mut command = match config.environments.as_slice() {
            [Subject::Crate(directory)] => {
                let program = Program::build(directory, profile(config)).await?;
                let mut command = Command::from(program.command(log));
                command
                    .envs(config.server.variables())
                    .args(own_options(banner));
                command
            }
            _ => this_again(banner)?,
        };
        let socket = socket
            .try_clone()
            .context("could not share the socket of the server")?;
        command
            // Its own group: Ctrl-C is for the parent, which then asks the server to stop.
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(socket)))
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().context("could not start the server")?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut lines = BufReader::new(output).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            // What comes before, or later, an environment has printed.
            if line.starts_with("http://") {
                tokio::spawn(async move {
                    while let Ok(Some(line)) = lines.next_line().await {
                        ui::note(&line);
                    }
                });
                return Ok(Self { child, url: line });
            }
            ui::note(&line);
        }
        let status = child.wait().await?;
        Err(anyhow!(
            "the server ended with {status} before it was ready"
        ))
    }

    /// How it ended, once it has.
    pub(super) async fn ended(&mut self) -> Result<ExitStatus> {
        Ok(self.child.wait().await?)
    }

    /// Asks it to end, and ends it if it does not.
    pub(super) async fn stop(mut self, patience: Duration) {
        let pid = self.child.id().and_then(|id| i32::try_from(id).ok());
        if let Some(pid) = pid.and_then(Pid::from_raw) {
            // It may be gone already.
            let _ = kill_process(pid, Signal::TERM);
        }
        if timeout(patience, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }

    /// Makes room for a newer one.
    pub(super) async fn retire(self) {
        self.stop(PATIENCE).await;
    }
}

/// What a server is told by its parent.
fn own_options(banner: bool) -> impl Iterator<Item = &'static str> {
    let silence = (!banner).then_some("--no-banner");
    ["--listen-stdin"].into_iter().chain(silence)
}

/// This command as it was typed, but for what makes it restart.
fn this_again(banner: bool) -> Result<Command> {
    let this: PathBuf = std::env::current_exe().context("could not find this program")?;
    let typed = std::env::args_os().skip(1).filter(|it| it != "--reload");
    let mut words: Vec<OsString> = typed.collect();
    // Right behind the name of the command, since behind a `--` there are no options.
    let behind = words
        .iter()
        .position(|it| it == "serve")
        .map_or(0, |at| at + 1);
    words.splice(behind..behind, own_options(banner).map(OsString::from));
    let mut command = Command::new(this);
    command.args(words);
    Ok(command)
}
