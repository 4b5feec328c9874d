//! A server as a process on this machine.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::future::pending;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use futures_util::future::BoxFuture;
use tokio::time::sleep;

use super::group::Group;
use super::output::{Output, Reading};
use super::{Provider, START_TIMEOUT, until_healthy};
use crate::client::Endpoint;
use crate::error::{Error, Kind, Result};

/// Where the server is to listen.
const HOST: Ipv4Addr = Ipv4Addr::LOCALHOST;

/// How long a server may take to end when asked to, unless told otherwise.
pub(super) const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// How often it is looked after a server that runs.
const LOOK: Duration = Duration::from_millis(100);

/// How many ports to try if others take them first.
const ATTEMPTS: usize = 4;

/// A server as a process on this machine.
///
/// ```no_run
/// # async fn example() -> openenv::Result<()> {
/// use openenv::provider::{Process, Provider};
///
/// let mut server = Process::new("openenv").args(["serve", "echo", "--port", "{port}"]);
/// let endpoint = server.start().await?;
/// println!("listening on {endpoint}");
/// server.stop().await?;
/// # Ok(())
/// # }
/// ```
///
/// # Where it listens
///
/// On a free port of the loopback interface, or the one that [`port`](Self::port)
/// names. The command learns of it in two ways: `{port}` and `{host}` stand for it in arguments
/// and in values of variables, and the variables `PORT` and `HOST` have it unless
/// [`env`](Self::env) sets them.
///
/// # How it ends
///
/// The process and all that it starts are one process group. [`stop`](Provider::stop) asks
/// the group to end (SIGTERM) and kills it after the [`stop_timeout`](Self::stop_timeout). Without
/// that nothing is left behind either: dropping the `Process`, or the future of
/// `start` or `stop`, kills the group at once; and should this program be
/// killed, a small shell that waits for just that ends the group. Only what
/// moves to a group of its own (a daemon) is not ended.
///
/// A server that ends by itself stays as it is until `stop` is called; to
/// [`start`](Provider::start) what was started and not stopped is an error.
pub struct Process {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(OsString, OsString)>,
    directory: Option<PathBuf>,
    port: u16,
    start_timeout: Duration,
    stop_timeout: Duration,
    show_output: bool,
    output: Output,
    running: Option<Running>,
}

/// A server that runs, and what reads its output.
#[derive(Debug)]
struct Running {
    group: Group,
    reading: Reading,
}

/// Why an attempt failed.
enum Failure {
    /// The command ended; with another port it might not.
    Ended(Error),
    Other(Error),
}

impl Process {
    /// A server that `program` starts: a path, or a name to look up in `PATH`.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            variables: Vec::new(),
            directory: None,
            port: 0,
            start_timeout: START_TIMEOUT,
            stop_timeout: STOP_TIMEOUT,
            show_output: false,
            output: Output::default(),
            running: None,
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, arguments: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }

    /// Sets an environment variable, besides those that are inherited.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), value.into()));
        self
    }

    /// The directory to run in; that of this program by default.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.directory = Some(directory.into());
        self
    }

    /// The port to listen on; 0, the default, is any that is free.
    #[must_use]
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// How long it may take until it is healthy; 30 seconds by default.
    #[must_use]
    pub fn start_timeout(mut self, limit: Duration) -> Self {
        self.start_timeout = limit;
        self
    }

    /// How long it may take to end when asked to; 10 seconds by default.
    #[must_use]
    pub fn stop_timeout(mut self, limit: Duration) -> Self {
        self.stop_timeout = limit;
        self
    }

    /// Whether its output appears on standard error as well; `false` by default.
    #[must_use]
    pub fn show_output(mut self, show: bool) -> Self {
        self.show_output = show;
        self
    }

    /// The end of what it wrote since the last start, at most 64 KiB.
    ///
    /// Standard output and standard error in the order they were written, and
    /// what is not UTF-8 replaced. Stays readable after it has ended.
    pub fn output(&self) -> String {
        self.output.text()
    }

    async fn launch(&mut self) -> Result<Endpoint> {
        if self.running.is_some() {
            let program = self.program.display();
            return Err(Error::new(format!(
                "`{program}` was started already; stop it first"
            )));
        }
        let mut attempt = 1;
        loop {
            let port = self.choose_port()?;
            match self.attempt(port).await {
                Ok((endpoint, running)) => {
                    self.running = Some(running);
                    return Ok(endpoint);
                }
                Err(Failure::Ended(_))
                    if self.port == 0 && attempt < ATTEMPTS && is_taken(port) =>
                {
                    tracing::debug!(port, "taken by another process meanwhile, trying another");
                    attempt += 1;
                }
                Err(Failure::Ended(error) | Failure::Other(error)) => return Err(error),
            }
        }
    }

    /// Starts the server on this port. Holds all that it starts, so that dropping ends it.
    async fn attempt(&mut self, port: u16) -> Result<(Endpoint, Running), Failure> {
        let endpoint = Endpoint::new(&format!("http://{HOST}:{port}")).map_err(Failure::Other)?;
        let Running { mut group, reading } = self
            .spawn(port)
            .map_err(|error| Failure::Other(self.not_spawned(&error)))?;
        let health = tokio::select! {
            health = until_healthy(&endpoint, self.start_timeout) => Some(health),
            () = group.ended() => None,
        };
        match health {
            // If it has ended, somebody else gave the answer.
            Some(Ok(())) if !group.has_ended() => Ok((endpoint, Running { group, reading })),
            Some(Err(error)) => {
                let command = self.command_line(port);
                let output = self.output.told();
                group
                    .stop(self.stop_timeout)
                    .await
                    .map_err(Failure::Other)?;
                let message = format!("{error}, though `{command}` runs; {output}");
                Err(Failure::Other(Error::of(Kind::Timeout, message)))
            }
            Some(Ok(())) | None => {
                let status = group.bury().map_or_else(
                    || "its exit status is not known".to_owned(),
                    |status| status.to_string(),
                );
                reading.finish().await;
                Err(Failure::Ended(Error::new(format!(
                    "`{}` ended before it was healthy: {status}; {}",
                    self.command_line(port),
                    self.output.told()
                ))))
            }
        }
    }

    fn spawn(&mut self, port: u16) -> io::Result<Running> {
        self.output = Output::default();
        let (writer, reading) = self.output.collect(self.show_output)?;
        let mut command = Command::new(&self.program);
        command
            .args(self.filled_arguments(port))
            .env("HOST", HOST.to_string())
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(writer.try_clone()?)
            .stderr(writer);
        for (name, value) in &self.variables {
            command.env(name, fill(value, port));
        }
        if let Some(directory) = &self.directory {
            command.current_dir(directory);
        }
        let group = Group::spawn(command, self.stop_timeout)?;
        Ok(Running { group, reading })
    }

    fn not_spawned(&self, error: &io::Error) -> Error {
        let program = self.program.display();
        // The system does not say which of the two is missing.
        if error.kind() == io::ErrorKind::NotFound
            && let Some(directory) = &self.directory
            && !directory.is_dir()
        {
            return Error::configuration(format!(
                "could not start `{program}`: there is no directory `{}`",
                directory.display()
            ));
        }
        Error::configuration(format!("could not start `{program}`: {error}"))
    }

    fn choose_port(&self) -> Result<u16> {
        if self.port == 0 {
            let listener = TcpListener::bind((HOST, 0))?;
            return Ok(listener.local_addr()?.port());
        }
        // Otherwise whoever listens there would be taken for the server.
        if is_taken(self.port) {
            let (program, port) = (self.program.display(), self.port);
            return Err(Error::configuration(format!(
                "could not start `{program}`: port {port} is in use by another process"
            )));
        }
        Ok(self.port)
    }

    fn filled_arguments(&self, port: u16) -> impl Iterator<Item = OsString> {
        self.arguments
            .iter()
            .map(move |argument| fill(argument, port))
    }

    /// The command as one would type it, for messages.
    fn command_line(&self, port: u16) -> String {
        let mut line = self.program.display().to_string();
        for argument in self.filled_arguments(port) {
            let argument = argument.display().to_string();
            line.push(' ');
            if argument.is_empty() || argument.contains(char::is_whitespace) {
                line.extend(["'", &argument, "'"]);
            } else {
                line.push_str(&argument);
            }
        }
        line
    }
}

impl Provider for Process {
    fn start(&mut self) -> BoxFuture<'_, Result<Endpoint>> {
        Box::pin(self.launch())
    }

    fn stop(&mut self) -> BoxFuture<'_, Result<()>> {
        Box::pin(async move {
            if let Some(Running { group, reading }) = self.running.take() {
                group.stop(self.stop_timeout).await?;
                reading.finish().await;
            }
            Ok(())
        })
    }

    fn ended(&mut self) -> BoxFuture<'_, Error> {
        Box::pin(async move {
            let Some(running) = &mut self.running else {
                return pending().await;
            };
            // Nobody is in a hurry: it may be for hours.
            while !running.group.has_ended() {
                sleep(LOOK).await;
            }
            let program = self.program.display();
            Error::new(format!("`{program}` ended; {}", self.output.told()))
        })
    }
}

/// Without the values of variables, which may be secret.
impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let variables: Vec<_> = self.variables.iter().map(|(name, _)| name).collect();
        f.debug_struct("Process")
            .field("program", &self.program)
            .field("arguments", &self.arguments)
            .field("variables", &variables)
            .field("directory", &self.directory)
            .field("port", &self.port)
            .field("start_timeout", &self.start_timeout)
            .field("stop_timeout", &self.stop_timeout)
            .field("running", &self.running)
            .finish_non_exhaustive()
    }
}

/// Puts the address where the placeholders are.
fn fill(text: &OsStr, port: u16) -> OsString {
    match text.to_str() {
        Some(text) => text
            .replace("{port}", &port.to_string())
            .replace("{host}", &HOST.to_string())
            .into(),
        None => text.to_owned(),
    }
}

/// Whether somebody listens there already.
pub(super) fn is_taken(port: u16) -> bool {
    // Other systems than Linux let one have the loopback address of a port that another process
    // has everywhere. What else there is against a port is the server's to report.
    let everywhere = (!cfg!(target_os = "linux")).then_some(Ipv4Addr::UNSPECIFIED);
    [HOST].into_iter().chain(everywhere).any(|address| {
        let bound = TcpListener::bind((address, port));
        bound.is_err_and(|error| error.kind() == io::ErrorKind::AddrInUse)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_become_the_address() {
        let process = Process::new("serve").args(["--bind={host}:{port}", "{other}", "a b", ""]);
        assert_eq!(
            process.command_line(8123),
            "serve --bind=127.0.0.1:8123 {other} 'a b' ''"
        );
    }

    #[test]
    fn values_of_variables_are_not_shown() {
        let process = Process::new("serve").env("TOKEN", "secret");
        let shown = format!("{process:?}");
        assert!(
            shown.contains("TOKEN") && !shown.contains("secret"),
            "{shown}"
        );
    }
}
