//! The process that forks workers, and all that is heard of it.

use std::collections::{BTreeMap, HashMap};
use std::io::PipeReader;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::UnixListener;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;
use tokio::time::timeout;
use tokio_util::sync::{CancellationToken, DropGuard};
use uuid::Uuid;

use super::frame::{Ask, say};
use super::link::{Arrival, Inbox, Outbox, Role};
use super::output::Output;
use super::process::{Process, how_it_ended};
use super::report::{LoadFailure, Report};
use super::scripts::Scripts;
use super::worker::Worker;
use super::{Interpreter, Project};
use crate::error::{Error, Kind, Result};

/// How long an interpreter may take to start, before it imports anything.
const START: Duration = Duration::from_mins(1);

/// The pause after a process could not be let in.
const ACCEPT_AGAIN: Duration = Duration::from_millis(50);

/// What the processes of one package are started with.
#[derive(Debug)]
pub(super) struct Job {
    pub(super) project: Project,
    pub(super) interpreter: Interpreter,
    pub(super) variables: BTreeMap<String, String>,
    pub(super) isolate: bool,
    pub(super) cache: Option<PathBuf>,
    /// How long importing the package may take.
    pub(super) patience: Duration,
}

/// The processes that make workers.
#[derive(Debug)]
pub(super) struct Nursery {
    job: Arc<Job>,
    /// Told when it forks no more.
    gone: CancellationToken,
    // Killed when dropped. Its descendants end with it.
    _process: Child,
    _leash: Outbox,
    /// Whoever forks: the template, or the nursery itself.
    forks: Outbox,
    arrivals: Arc<Arrivals>,
    output: Arc<Output>,
    // Closes it when dropped.
    _door: DropGuard,
    // Last: the link must not vanish under those who still connect to it.
    _home: TempDir,
}

/// Why there is no nursery.
#[derive(Debug)]
pub(super) enum Failure {
    /// The package cannot be served.
    Load(LoadFailure),
    /// Something else.
    Other(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Other(error)
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::Other(error.into())
    }
}

impl Nursery {
    /// Starts the interpreter and lets it import the package.
    pub(super) async fn start(job: Arc<Job>) -> Result<(Self, Report), Failure> {
        let home = tempfile::Builder::new().prefix("openenv-").tempdir()?;
        let link = home.path().join("link");
        let listener = UnixListener::bind(&link)?;
        let scripts = Scripts::install(job.cache.as_deref(), home.path())?;
        let asked = json!({
            "link": link,
            "standin": scripts.standin,
            "project": job.project,
            "isolate": job.isolate,
            "keep": kept(&job, &scripts, home.path()),
        });
        let (mut process, output) = spawn(&job, &scripts, &asked)?;
        let output = Output::listen(output);
        let arrivals = Arc::new(Arrivals::default());
        let nursery = arrivals.expect(Role::Nursery, 0);
        let template = arrivals.expect(Role::Template, 0);
        let closed = CancellationToken::new();
        tokio::spawn(receive(listener, Arc::downgrade(&arrivals), closed.clone()));
        let door = closed.drop_guard();

        let nursery = tokio::select! {
            arrived = timeout(START, nursery) => arrived.ok().and_then(Result::ok),
            _ = process.wait() => None,
        };
        let Some(mut nursery) = nursery else {
            let what = format!("{} did not start", job.interpreter.path.display());
            return Err(output.explain(&what).await.into());
        };
        let reporting = async {
            let mut template = tokio::select! {
                // It speaks only if it cannot do what it should.
                refusal = report(&mut nursery.inbox) => return Ok((None, refusal)),
                arrived = template => arrived.map_err(|_| Error::new("no template"))?,
            };
            let report = report(&mut template.inbox).await;
            Ok::<_, Error>((Some(template), report))
        };
        let Ok(reported) = timeout(job.patience, reporting).await else {
            let what = format!("importing it took longer than {:?}", job.patience);
            return Err(output.explain(&what).await.into());
        };
        let (template, report) = reported?;
        let report = match report {
            Some(Reported::Loaded(report)) => *report,
            Some(Reported::Failed { error }) => return Err(Failure::Load(error)),
            None => {
                let what = "the process that imported it ended";
                return Err(output.explain(what).await.into());
            }
        };
        let gone = CancellationToken::new();
        let forks = match template {
            Some(template) if report.forks => {
                tokio::spawn(until_gone(template.inbox, gone.clone()));
                template.outbox
            }
            _ => nursery.outbox.clone(),
        };
        tokio::spawn(until_gone(nursery.inbox, gone.clone()));
        let nursery = Self {
            job,
            gone,
            _process: process,
            _leash: nursery.outbox,
            forks,
            arrivals,
            output,
            _door: door,
            _home: home,
        };
        Ok((nursery, report))
    }

    /// Whether it, or the process that it forks from, has ended.
    pub(super) fn is_gone(&self) -> bool {
        self.gone.is_cancelled()
    }

    /// Another like it.
    pub(super) async fn again(&self) -> Result<Self> {
        let name = &self.job.project.name;
        match Self::start(Arc::clone(&self.job)).await {
            Ok((nursery, _)) => Ok(nursery),
            Err(Failure::Load(failure)) => Err(failure.explain(name, &self.job.interpreter)),
            Err(Failure::Other(error)) => Err(error),
        }
    }

    /// Starts a worker and waits until it can take sessions.
    pub(super) async fn hire(&self, number: u32, patience: Duration) -> Result<Arc<Worker>> {
        // Whoever can reach the link could otherwise pose as the next worker.
        let token = Uuid::new_v4().to_string();
        let arrival = self
            .arrivals
            .expect_with(Role::Worker, number, Some(&token));
        let mut status = self.output.expect(number);
        let asked = json!({ "worker": number, "token": token }).to_string();
        self.forks.send(Ask::Spawn, 0, 0, 0, &[asked.as_bytes()])?;
        let process = OnceLock::new();
        let ready = async {
            let mut arrival = arrival.await.map_err(|_| Error::new("the nursery ended"))?;
            let _ = process.set(arrival.pid.and_then(|pid| Process::find(pid).ok()));
            let ready = arrival.inbox.next().await;
            Ok::<_, Error>(
                ready
                    .filter(|frame| frame.kind == say::REPORT)
                    .map(|_| arrival),
            )
        };
        let failed = |how: &str| {
            Error::of(
                Kind::Execution,
                format!("worker {number} could not be started: it {how}"),
            )
        };
        let arrival = tokio::select! {
            biased;
            ended = &mut status => {
                let how = ended.map_or_else(|_| "ended".to_owned(), how_it_ended);
                return Err(failed(&how));
            }
            () = self.gone.cancelled() => return Err(failed("lost the process it is forked from")),
            ready = timeout(patience, ready) => match ready {
                Err(_) => {
                    if let Some(Some(process)) = process.get() {
                        process.kill();
                    }
                    return Err(failed(&format!("took longer than {patience:?}")));
                }
                Ok(Err(error)) => return Err(error),
                Ok(Ok(None)) => return Err(failed("ended while it started")),
                Ok(Ok(Some(arrival))) => arrival,
            },
        };
        let worker = Worker::employ(arrival, status);
        self.output.attribute(number, Arc::downgrade(&worker));
        tracing::debug!(worker = number, pid = worker.pid(), "worker started");
        Ok(worker)
    }
}

/// The directories without which isolated workers could not even start.
fn kept<'a>(job: &'a Job, scripts: &'a Scripts, home: &'a Path) -> Vec<&'a Path> {
    let mut kept = vec![home, &*job.project.root];
    kept.extend(job.project.paths.iter().map(|path| &**path));
    kept.extend(scripts.worker.parent());
    // `bin/python` is in the directory that has the libraries as well.
    kept.extend(job.interpreter.path.parent().and_then(Path::parent));
    kept
}

fn spawn(job: &Job, scripts: &Scripts, asked: &Value) -> Result<(Child, PipeReader)> {
    let (output, into) = std::io::pipe()?;
    let mut command = Command::new(&job.interpreter.path);
    command
        // What a package prints while it is imported is written at once, and once only.
        .arg("-u")
        .arg(&scripts.worker)
        .arg(asked.to_string())
        .envs(&job.variables)
        .stdin(Stdio::null())
        .stdout(into.try_clone()?)
        .stderr(into)
        // Ctrl-C in a terminal is for the server, which ends the workers in its own time.
        .process_group(0)
        .kill_on_drop(true);
    let child = command.spawn().map_err(|error| {
        let python = job.interpreter.path.display();
        Error::configuration(format!("could not start {python}: {error}"))
    })?;
    Ok((child, output))
}

/// What a process reports of the package.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Reported {
    Failed { error: LoadFailure },
    Loaded(Box<Report>),
}

async fn report(inbox: &mut Inbox) -> Option<Reported> {
    loop {
        let frame = inbox.next().await?;
        if frame.kind == say::REPORT {
            return serde_json::from_slice(&frame.payload)
                .inspect_err(|error| tracing::error!(%error, "a report makes no sense"))
                .ok();
        }
    }
}

async fn until_gone(mut inbox: Inbox, gone: CancellationToken) {
    while inbox.next().await.is_some() {}
    gone.cancel();
}

/// Processes that are expected to introduce themselves.
#[derive(Debug, Default)]
struct Arrivals {
    expected: Mutex<HashMap<(Role, u32), Expected>>,
}

#[derive(Debug)]
struct Expected {
    arrive: oneshot::Sender<Arrival>,
    token: Option<String>,
}

impl Arrivals {
    fn expect(&self, role: Role, number: u32) -> oneshot::Receiver<Arrival> {
        self.expect_with(role, number, None)
    }

    fn expect_with(
        &self,
        role: Role,
        number: u32,
        token: Option<&str>,
    ) -> oneshot::Receiver<Arrival> {
        let (arrive, arrived) = oneshot::channel();
        let token = token.map(str::to_owned);
        let mut expected = self.expected();
        // Nobody waits any more for some who never came.
        expected.retain(|_, other| !other.arrive.is_closed());
        expected.insert((role, number), Expected { arrive, token });
        arrived
    }

    fn welcome(&self, arrival: Arrival) {
        let key = (arrival.hello.role, arrival.hello.worker);
        let mut expected = self.expected();
        match expected.remove(&key) {
            Some(one) if one.token == arrival.hello.token => {
                // Who is not waited for any more is let go by dropping it.
                let _ = one.arrive.send(arrival);
            }
            Some(other) => {
                tracing::warn!(
                    worker = key.1,
                    "a process posed as a worker and was turned away"
                );
                expected.insert(key, other);
            }
            None => {}
        }
    }

    fn expected(&self) -> MutexGuard<'_, HashMap<(Role, u32), Expected>> {
        self.expected.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Lets processes in for as long as there is a nursery.
async fn receive(listener: UnixListener, arrivals: Weak<Arrivals>, closed: CancellationToken) {
    while let Some(accepted) = closed.run_until_cancelled(listener.accept()).await {
        let stream = match accepted {
            Ok((stream, _)) => stream,
            Err(error) => {
                // Too many open files, as a rule: that passes.
                tracing::warn!(%error, "could not let a process in");
                tokio::time::sleep(ACCEPT_AGAIN).await;
                continue;
            }
        };
        let arrivals = Weak::clone(&arrivals);
        tokio::spawn(async move {
            match timeout(START, Arrival::greet(stream)).await {
                Ok(Ok(arrival)) => {
                    if let Some(arrivals) = arrivals.upgrade() {
                        arrivals.welcome(arrival);
                    }
                }
                Ok(Err(error)) => tracing::warn!(%error, "a process was turned away"),
                Err(_) => tracing::warn!("a process did not introduce itself in time"),
            }
        });
    }
}
