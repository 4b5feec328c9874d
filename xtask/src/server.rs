//! A server process on a free loopback port, ended when dropped.

use std::{
    fs::{self, File},
    io::{Read as _, Write as _},
    net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, bail, ensure};

use crate::workspace;

/// The reference imports for half a minute on a busy machine.
const READY_WITHIN: Duration = Duration::from_mins(2);
/// How often a starting server is asked whether it is healthy.
const POLL_EVERY: Duration = Duration::from_millis(1);
const ANSWER_WITHIN: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    address: SocketAddr,
    started_in: Duration,
}

impl Server {
    /// Runs `command --port <free>` and waits for its first healthy answer.
    ///
    /// What the server prints goes to `target/xtask/<label>.log`.
    pub(crate) fn start(mut command: Command, label: &str) -> Result<Self> {
        let logs = workspace::target().join("xtask");
        fs::create_dir_all(&logs)?;
        let log_path = logs.join(format!("{label}.log"));
        let log = File::create(&log_path)
            .with_context(|| format!("could not write `{}`", log_path.display()))?;

        let address = free_address()?;
        command
            .args(["--host", "127.0.0.1", "--port"])
            .arg(address.port().to_string())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log);
        let begin = Instant::now();
        let child = command
            .spawn()
            .with_context(|| format!("could not start {command:?}"))?;
        let mut server = Self {
            child,
            address,
            started_in: Duration::ZERO,
        };
        while !is_healthy(address) {
            if let Some(status) = server.child.try_wait()? {
                bail!(
                    "the server ended with {status} before it was healthy, see `{}`",
                    log_path.display()
                );
            }
            if begin.elapsed() > READY_WITHIN {
                bail!(
                    "the server was not healthy within {READY_WITHIN:?}, see `{}`",
                    log_path.display()
                );
            }
            thread::sleep(POLL_EVERY);
        }
        server.started_in = begin.elapsed();
        Ok(server)
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// From the start of the process to its first healthy answer.
    pub(crate) fn started_in(&self) -> Duration {
        self.started_in
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Both fail only when the process has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Another process may take the port before the server does; the server then ends and says so.
fn free_address() -> Result<SocketAddr> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).context("no free port")?;
    Ok(listener.local_addr()?)
}

fn is_healthy(address: SocketAddr) -> bool {
    get(address, "/health").is_ok()
}

/// The body that a server answers a GET with.
pub(crate) fn get(address: SocketAddr, path: &str) -> Result<String> {
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(ANSWER_WITHIN))?;
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .with_context(|| format!("`{path}` was not answered"))?;
    ensure!(
        head.starts_with("HTTP/1.1 200 "),
        "`{path}` was answered with {head}"
    );
    Ok(body.to_owned())
}
