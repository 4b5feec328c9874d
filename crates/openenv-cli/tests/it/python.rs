//! Environments in Python, as the command serves and inspects them.
//!
//! What runs Python needs an interpreter with openenv 0.10.0, which `cargo xtask test workers` makes;
//! it runs these tests, which are ignored otherwise.

mod inspect;
mod processes;
mod refusals;
mod reload;
mod served;
mod templates;
mod validate;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;
use tokio_tungstenite::tungstenite::stream::MaybeTlsStream;
use tokio_tungstenite::tungstenite::{self, Message, WebSocket};

use crate::place::package;
use crate::serving::PATIENCE;

/// The Python of the tests.
fn interpreter() -> PathBuf {
    crate::place::reference("python")
}

/// A command with a cache of its own, by which its processes are known.
struct Bench {
    cache: TempDir,
    python: PathBuf,
}

impl Bench {
    fn new() -> Self {
        Self {
            python: interpreter(),
            cache: TempDir::new().unwrap(),
        }
    }

    /// The command as a user without settings would run it, with this Python.
    fn openenv(&self, command: &str, subject: impl AsRef<Path>) -> Command {
        let mut openenv = crate::serving::openenv(command);
        openenv
            .arg(subject.as_ref())
            .env("XDG_CACHE_HOME", self.cache.path())
            .env("OPENENV_PYTHON", &self.python);
        openenv
    }

    /// Processes of this command's workers.
    fn workers(&self) -> Vec<String> {
        let cache = self.cache.path().to_str().unwrap();
        let processes = fs::read_dir("/proc").unwrap().flatten();
        processes
            .filter_map(|process| fs::read(process.path().join("cmdline")).ok())
            .map(|line| String::from_utf8_lossy(&line).into_owned())
            .filter(|line| line.contains(cache) && line.contains("/worker"))
            .collect()
    }

    #[track_caller]
    fn assert_nothing_is_left(&self) {
        let start = Instant::now();
        while !self.workers().is_empty() {
            let left = self.workers();
            assert!(start.elapsed() < Duration::from_secs(5), "left: {left:#?}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// What a command said, without what differs between machines.
    fn plain(&self, text: &[u8]) -> String {
        let text = String::from_utf8(text.to_vec()).unwrap();
        let version = Command::new(&self.python)
            .args(["-c", "import platform; print(platform.python_version())"])
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let version = String::from_utf8(version.stdout).unwrap();
        let packages = package("").canonicalize().unwrap();
        // Some versions of Python point at what failed.
        let is_pointer = |line: &str| line.contains('^') && line.trim().chars().all(|it| it == '^');
        let lines = text.lines().filter(|line| !is_pointer(line));
        let text: String = lines.flat_map(|line| [line, "\n"]).collect();
        text.replace(packages.to_str().unwrap(), "[packages]")
            .replace(self.python.to_str().unwrap(), "[python]")
            .replace(version.trim(), "[version]")
    }
}

/// A session over the WebSocket of a server.
struct Session(WebSocket<MaybeTlsStream<std::net::TcpStream>>);

impl Session {
    fn open(url: &str) -> Self {
        let url = url.replacen("http", "ws", 1) + "/ws";
        let (socket, _) = tungstenite::connect(url).unwrap();
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE)).unwrap();
        }
        Self(socket)
    }

    fn ask(&mut self, frame: &str) -> serde_json::Value {
        self.0.send(Message::text(frame)).unwrap();
        loop {
            if let Message::Text(answer) = self.0.read().unwrap() {
                return serde_json::from_str(&answer).unwrap();
            }
        }
    }
}

/// A package that has nothing but this application.
fn written(application: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    fs::create_dir(directory.path().join("server")).unwrap();
    fs::write(directory.path().join("server/app.py"), application).unwrap();
    directory
}

fn signal(name: &str, process: u32) {
    let kill = Command::new("kill")
        .args([name, &process.to_string()])
        .status()
        .unwrap();
    assert!(kill.success());
}
