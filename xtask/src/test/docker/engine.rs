//! A container engine: the one of this machine, or one that lasts as long as the suite.

use std::{
    env, fs,
    fs::File,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail};
use bollard::{API_DEFAULT_VERSION, Docker};

use crate::{
    system::{self, output, succeeds},
    workspace,
};

const USUAL_SOCKET: &str = "unix:///var/run/docker.sock";
/// Longer than a daemon takes to set up its network on a slow machine.
const READY_WITHIN: Duration = Duration::from_mins(1);
const STOPPED_WITHIN: Duration = Duration::from_secs(30);
const POLL_EVERY: Duration = Duration::from_millis(100);
const ANSWER_WITHIN: u64 = 120;

/// An engine that answers.
#[derive(Debug)]
pub(super) struct Engine {
    address: String,
    /// The daemon, if it was started for the suite; it ends with this.
    _daemon: Option<Daemon>,
}

/// A daemon with all that it keeps.
#[derive(Debug)]
struct Daemon {
    child: Child,
    directory: PathBuf,
}

impl Engine {
    /// The engine that answers, or one that is started; otherwise why there can be none here.
    pub(super) async fn ensure() -> Result<Result<Self, String>> {
        let host = env::var("DOCKER_HOST").ok().filter(|host| !host.is_empty());
        let address = host.unwrap_or_else(|| USUAL_SOCKET.to_owned());
        if answers(&address).await {
            return Ok(Ok(Self {
                address,
                _daemon: None,
            }));
        }
        if output("dockerd", &["--version"]).is_none()
            && let Err(reason) = system::install(&["docker.io"])
        {
            return Ok(Err(format!("there is no Docker engine: {reason}")));
        }
        // To install it may have started it.
        if answers(&address).await {
            return Ok(Ok(Self {
                address,
                _daemon: None,
            }));
        }
        if output("id", &["-u"]).is_none_or(|id| id.trim() != "0") {
            return Ok(Err(format!(
                "no engine answers at `{address}`, and only root can start one"
            )));
        }
        Self::start().await.map(Ok)
    }

    async fn start() -> Result<Self> {
        // A short path: that of a socket must not be long.
        let directory = env::temp_dir().join(format!("openenv-docker-{}", std::process::id()));
        fs::create_dir_all(&directory)?;
        let address = format!("unix://{}", directory.join("docker.sock").display());
        let logs = workspace::target().join("xtask");
        fs::create_dir_all(&logs)?;
        let log_path = logs.join("dockerd.log");
        let log = File::create(&log_path)?;
        println!("starting `dockerd`, see `{}`", log_path.display());
        let child = Command::new("dockerd")
            .args(["--host", &address, "--data-root"])
            .arg(directory.join("data"))
            .arg("--exec-root")
            .arg(directory.join("exec"))
            .arg("--pidfile")
            .arg(directory.join("pid"))
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .spawn()
            .context("could not start `dockerd`")?;
        let mut daemon = Daemon { child, directory };
        let begin = Instant::now();
        while !answers(&address).await {
            let ended = daemon.child.try_wait()?;
            if ended.is_some() || begin.elapsed() > READY_WITHIN {
                bail!("`dockerd` does not work here, see `{}`", log_path.display());
            }
            thread::sleep(POLL_EVERY);
        }
        Ok(Self {
            address,
            _daemon: Some(daemon),
        })
    }

    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) async fn api(&self) -> Result<Docker> {
        connect(&self.address).await
    }
}

/// As an engine wants to be stopped: its mounts and rules go as well.
impl Drop for Daemon {
    fn drop(&mut self) {
        let begin = Instant::now();
        let id = self.child.id().to_string();
        if let Ok(None) = self.child.try_wait() {
            succeeds(Command::new("kill").args(["-TERM", &id]));
        }
        while let Ok(None) = self.child.try_wait() {
            if begin.elapsed() > STOPPED_WITHIN {
                let _ = self.child.kill();
            }
            thread::sleep(POLL_EVERY);
        }
        unmount(&self.directory);
        if let Err(error) = fs::remove_dir_all(&self.directory) {
            eprintln!("could not remove `{}`: {error}", self.directory.display());
        }
    }
}

/// Takes away what an engine leaves mounted below a directory: the network of `host`, for one.
fn unmount(directory: &Path) {
    let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
    let paths = mounts.lines().filter_map(|line| line.split(' ').nth(1));
    let below: Vec<_> = paths
        .filter(|path| Path::new(path).starts_with(directory))
        .collect();
    // The last one may lie on another.
    for path in below.into_iter().rev() {
        succeeds(Command::new("umount").arg(path));
    }
}

async fn answers(address: &str) -> bool {
    connect(address).await.is_ok()
}

async fn connect(address: &str) -> Result<Docker> {
    let docker = if address.starts_with("unix://") {
        Docker::connect_with_unix(address, ANSWER_WITHIN, API_DEFAULT_VERSION)
    } else {
        Docker::connect_with_http(address, ANSWER_WITHIN, API_DEFAULT_VERSION)
    };
    Ok(docker?.negotiate_version().await?)
}
