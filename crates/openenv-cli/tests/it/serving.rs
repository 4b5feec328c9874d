//! The real binary, serving.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Longest that anything here may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// The command as a user without any settings would run it.
pub(crate) fn openenv(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_openenv"));
    command
        .args(arguments.split_whitespace())
        .env_clear()
        .env("COLUMNS", "100")
        .stdin(Stdio::null());
    command
}

/// The same, with what cargo needs to be found and to find its things.
pub(crate) fn openenv_with_cargo(arguments: &str) -> Command {
    let mut command = openenv(arguments);
    let needed = ["PATH", "HOME", "CARGO_HOME", "RUSTUP_HOME"].into_iter();
    command.envs(needed.filter_map(|name| Some((name, std::env::var_os(name)?))));
    command
}

/// Waits until something is so.
pub(crate) fn wait_for(what: &str, condition: impl Fn() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < PATIENCE, "never happened: {what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// A running `openenv serve`, killed when dropped.
pub(crate) struct Serving {
    child: Child,
    log: Arc<Mutex<String>>,
    reader: Option<JoinHandle<()>>,
    pub(crate) url: String,
}

impl Serving {
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Read all the time: a full pipe would stop the server.
        let log = Arc::new(Mutex::new(String::new()));
        let pipe = BufReader::new(child.stderr.take().unwrap());
        let reader = thread::spawn({
            let log = Arc::clone(&log);
            move || {
                for line in pipe.lines() {
                    let mut log = log.lock().unwrap();
                    log.push_str(&line.unwrap());
                    log.push('\n');
                }
            }
        });
        let mut url = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut url).unwrap();
        assert!(!url.is_empty(), "did not start:\n{}", log.lock().unwrap());
        Self {
            child,
            log,
            reader: Some(reader),
            url: url.trim().to_owned(),
        }
    }

    /// Sends a request and returns the whole answer.
    pub(crate) fn request(&self, head: &str, body: &str) -> String {
        let mut answer = String::new();
        let mut stream = self.send(head, body);
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// Sends a request without waiting for the answer.
    pub(crate) fn send(&self, head: &str, body: &str) -> TcpStream {
        let address = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        write!(
            stream,
            "{head} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        stream
    }

    /// Waits until the server has said something.
    pub(crate) fn wait_for_log(&self, text: &str) {
        let start = Instant::now();
        while !self.log.lock().unwrap().contains(text) {
            assert!(start.elapsed() < PATIENCE, "never said `{text}`");
            thread::sleep(Duration::from_millis(5));
        }
    }

    #[cfg(target_os = "linux")]
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    pub(crate) fn terminate(&self) {
        let kill = Command::new("kill")
            .args(["-TERM", &self.child.id().to_string()])
            .status()
            .unwrap();
        assert!(kill.success());
    }

    /// Stops the server as an orchestrator does; returns what it had to say.
    pub(crate) fn stop(self) -> (ExitStatus, String) {
        self.terminate();
        self.wait()
    }

    /// Waits for the end; returns what the server had to say.
    pub(crate) fn wait(mut self) -> (ExitStatus, String) {
        let start = Instant::now();
        let status = loop {
            match self.child.try_wait().unwrap() {
                Some(status) => break status,
                None if start.elapsed() > PATIENCE => panic!("did not stop"),
                None => thread::sleep(Duration::from_millis(10)),
            }
        };
        // At the end of the pipe the log is complete.
        self.reader.take().unwrap().join().unwrap();
        (status, self.log.lock().unwrap().clone())
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
