//! A bare WebSocket echo loop: what a client could reach if it did nothing but send and receive.

use std::{
    io::{BufRead as _, BufReader},
    net::SocketAddr,
    process::{Child, ChildStdout, Command, Stdio},
    time::{Duration, Instant},
};

use anyhow::{Context as _, Result, ensure};
use futures_util::{SinkExt as _, StreamExt as _};
use tokio::{
    net::{TcpListener, TcpStream},
    runtime,
    task::JoinSet,
};
use tokio_tungstenite::{
    accept_async_with_config, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

/// What is sent back and forth: as long as a usual step.
const TEXT: &str = r#"{"type":"step","data":{"message":"a message of usual length"}}"#;

/// Either end of the loop, each a process of its own so that it can have a processor of its own.
#[derive(Debug, clap::Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    end: End,
}

#[derive(Debug, clap::Subcommand)]
enum End {
    Serve,
    Drive {
        address: SocketAddr,
        sessions: usize,
        seconds: f64,
    },
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let runtime = runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    match arguments.end {
        End::Serve => runtime.block_on(serve()),
        End::Drive {
            address,
            sessions,
            seconds,
        } => {
            let duration = Duration::from_secs_f64(seconds);
            let rate = runtime.block_on(drive(address, sessions, duration))?;
            println!("{rate}");
            Ok(())
        }
    }
}

/// Both ends with a small read buffer, which is what makes them fast (snapview/tungstenite-rs#547).
fn config() -> WebSocketConfig {
    WebSocketConfig::default().read_buffer_size(4096)
}

async fn serve() -> Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        tokio::spawn(async move {
            let Ok(mut socket) = accept_async_with_config(stream, Some(config())).await else {
                return;
            };
            while let Some(Ok(message)) = socket.next().await {
                if !message.is_text() || socket.send(message).await.is_err() {
                    return;
                }
            }
        });
    }
}

/// Messages per second.
async fn drive(address: SocketAddr, sessions: usize, duration: Duration) -> Result<f64> {
    let mut sockets = Vec::new();
    for _ in 0..sessions {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        let url = format!("ws://{address}/");
        let (socket, _) = client_async_with_config(url, stream, Some(config())).await?;
        sockets.push(socket);
    }
    let begin = Instant::now();
    let mut tasks = JoinSet::new();
    for mut socket in sockets {
        tasks.spawn(async move {
            let mut count: u64 = 0;
            while begin.elapsed() < duration {
                socket.send(Message::text(TEXT)).await?;
                let reply = socket.next().await.context("the connection ended")??;
                ensure!(reply.is_text(), "the reply is no text");
                count += 1;
            }
            Ok(count)
        });
    }
    let counts: Vec<Result<u64>> = tasks.join_all().await;
    let wall = begin.elapsed();
    let mut total = 0;
    for count in counts {
        total += count?;
    }
    Ok(total as f64 / wall.as_secs_f64())
}

/// The serving end on a processor of its own, ended when dropped.
#[derive(Debug)]
pub(super) struct EchoServer {
    child: Child,
    address: String,
}

impl EchoServer {
    pub(super) fn start(processor: usize) -> Result<Self> {
        let mut child = on_processor(processor, std::env::current_exe()?)
            .args(["bare-loop", "serve"])
            .stdout(Stdio::piped())
            .spawn()
            .context("could not start the bare loop")?;
        let output: ChildStdout = child.stdout.take().expect("its output is piped");
        let mut address = String::new();
        BufReader::new(output).read_line(&mut address)?;
        Ok(Self {
            child,
            address: address.trim().to_owned(),
        })
    }

    /// Messages per second that one processor drives.
    pub(super) fn drive(
        &self,
        processor: usize,
        sessions: usize,
        duration: Duration,
    ) -> Result<f64> {
        let output = on_processor(processor, std::env::current_exe()?)
            .args(["bare-loop", "drive", &self.address])
            .args([sessions.to_string(), duration.as_secs_f64().to_string()])
            .stderr(Stdio::inherit())
            .output()?;
        ensure!(output.status.success(), "the bare loop failed");
        Ok(String::from_utf8(output.stdout)?.trim().parse()?)
    }
}

impl Drop for EchoServer {
    fn drop(&mut self) {
        // Both fail only when the process has ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command that may use one processor only.
pub(super) fn on_processor(processor: usize, program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new("taskset");
    command
        .args(["--cpu-list", &processor.to_string()])
        .arg(program);
    command
}
