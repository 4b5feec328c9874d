//! What tools print.

use std::ffi::OsStr;
use std::io;
use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::process::Command;

use crate::error::{Error, Result};

/// Reads a pipe to its end, line by line.
pub(crate) async fn each_line<R: AsyncRead + Unpin>(
    pipe: Option<R>,
    mut line: impl FnMut(&str),
) -> io::Result<()> {
    let Some(pipe) = pipe else { return Ok(()) };
    let mut lines = BufReader::new(pipe).split(b'\n');
    while let Some(text) = lines.next_segment().await? {
        line(String::from_utf8_lossy(&text).trim_end());
    }
    Ok(())
}

/// What a tool prints, if it succeeds.
pub(crate) async fn read(mut command: Command) -> Result<Vec<u8>> {
    let name = name_of(&command);
    let output = command
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output()
        .await;
    let output = output.map_err(|error| not_run(&name, &error))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let said = said.trim();
    let said = said.strip_prefix("error: ").unwrap_or(said);
    Err(Error::new(format!("`{name}` failed: {said}")))
}

/// The program and its subcommand, for messages.
fn name_of(command: &Command) -> String {
    let command = command.as_std();
    let program = command.get_program();
    let words = std::iter::once(program).chain(command.get_args().take(1));
    let words: Vec<_> = words.map(OsStr::to_string_lossy).collect();
    words.join(" ")
}

pub(crate) fn not_run(name: &str, error: &std::io::Error) -> Error {
    if error.kind() == std::io::ErrorKind::NotFound {
        let program = name.split(' ').next().unwrap_or(name);
        return Error::new(format!(
            "`{program}` is not installed, and environments in Rust need it"
        ))
        .with_hint("https://rustup.rs installs a Rust toolchain");
    }
    Error::new(format!("could not run `{name}`: {error}"))
}
