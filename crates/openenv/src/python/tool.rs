//! Running the tools that make virtual environments.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::Path;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader, Split};
use tokio::process::Command;

/// How many lines of a tool an error shows.
const SHOWN_LINES: usize = 20;

/// Variables that would send a tool elsewhere than it is told.
const MISLEADING: [&str; 9] = [
    "CONDA_PREFIX",
    "PIP_PREFIX",
    "PIP_TARGET",
    "PIP_USER",
    "PYTHONHOME",
    "PYTHONPATH",
    "UV_PROJECT_ENVIRONMENT",
    "UV_SYSTEM_PYTHON",
    "VIRTUAL_ENV",
];

/// How a tool failed.
#[derive(Debug)]
pub(super) struct Failure {
    /// How it ended, or why it did not start
    pub(super) how: String,
    /// Its last lines
    pub(super) lines: Vec<String>,
}

/// A command of a tool.
///
/// It holds the lock as its standard input: should this program be killed, the tool
/// and what it has started keep others from a directory that they still write to.
pub(super) fn command(
    program: &Path,
    search_path: &OsStr,
    directory: &Path,
    lock: &File,
) -> io::Result<Command> {
    let mut command = Command::new(program);
    for name in MISLEADING {
        command.env_remove(name);
    }
    command
        .env("PATH", search_path)
        .current_dir(directory)
        .stdin(lock.try_clone()?)
        .kill_on_drop(true);
    Ok(command)
}

/// Runs a tool to its end, and tells of its lines as they come.
pub(super) async fn run(mut command: Command, tell: &(dyn Fn(&str) + Sync)) -> Result<(), Failure> {
    let not_run = |error: io::Error| Failure {
        how: error.to_string(),
        lines: Vec::new(),
    };
    command.stdout(std::process::Stdio::piped());
    command.stderr(std::process::Stdio::piped());
    let mut child = command.spawn().map_err(not_run)?;
    let mut output = child.stdout.take().map(split);
    let mut errors = child.stderr.take().map(split);
    let mut last = VecDeque::with_capacity(SHOWN_LINES);
    while output.is_some() || errors.is_some() {
        let line = tokio::select! {
            line = next(&mut output), if output.is_some() => line,
            line = next(&mut errors), if errors.is_some() => line,
        };
        if let Some(line) = line.filter(|line| !line.is_empty()) {
            tell(&line);
            if last.len() == SHOWN_LINES {
                last.pop_front();
            }
            last.push_back(line);
        }
    }
    let status = child.wait().await.map_err(not_run)?;
    if status.success() {
        return Ok(());
    }
    Err(Failure {
        how: status.to_string(),
        lines: last.into(),
    })
}

impl Failure {
    /// The end of a sentence that tells the last lines.
    pub(super) fn told(&self) -> String {
        if self.lines.is_empty() {
            return self.how.clone();
        }
        format!(
            "{}; its last output:\n  {}",
            self.how,
            self.lines.join("\n  ")
        )
    }

    /// Whether it says so.
    pub(super) fn says(&self, text: &str) -> bool {
        self.lines.iter().any(|line| line.contains(text))
    }

    /// The distribution that it failed at, as far as that can be told from its words.
    pub(super) fn culprit(&self) -> Option<String> {
        let beginnings = [
            // pip
            "No matching distribution found for ",
            "Could not find a version that satisfies the requirement ",
            "Failed building wheel for ",
            "Failed to build ",
            "Cannot install ",
            "Invalid requirement: ",
            // uv
            "Failed to download ",
            "Failed to parse: ",
            "Failed to fetch: ",
            "Because only ",
            "Because there is no version of ",
            "Because there are no versions of ",
            "Because ",
        ];
        let after = |beginning: &str| {
            let line = self.lines.iter().find(|line| line.contains(beginning))?;
            let (_, rest) = line.split_once(beginning)?;
            let ends = |it: char| it.is_whitespace() || matches!(it, ',' | ';' | ')');
            let name = rest.trim_start_matches(['`', '\'', '"']);
            let name = name
                .split(ends)
                .next()?
                .trim_end_matches(['`', '\'', '"', ':', '.']);
            (!name.is_empty()).then(|| name.to_owned())
        };
        beginnings.into_iter().find_map(after)
    }
}

type Lines<R> = Split<BufReader<R>>;

fn split<R: AsyncRead + Unpin>(pipe: R) -> Lines<R> {
    BufReader::new(pipe).split(b'\n')
}

/// The next line; at the end the pipe is let go.
async fn next<R: AsyncRead + Unpin>(lines: &mut Option<Lines<R>>) -> Option<String> {
    if let Ok(Some(line)) = lines.as_mut()?.next_segment().await {
        let text = String::from_utf8_lossy(&line);
        // What a bar of progress wrote over does not count.
        let shown = text.trim_end().rsplit('\r').next().unwrap_or_default();
        return Some(shown.to_owned());
    }
    *lines = None;
    None
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn failure(line: &str) -> Failure {
        Failure {
            how: "exit status: 1".to_owned(),
            lines: vec!["Collecting maze".to_owned(), line.to_owned()],
        }
    }

    #[test]
    fn the_failing_requirement_is_found_in_what_is_said() {
        for (line, culprit) in [
            (
                "ERROR: No matching distribution found for nosuch==1.0",
                Some("nosuch==1.0"),
            ),
            (
                "ERROR: Could not find a version that satisfies the requirement a>1 (from versions: 1)",
                Some("a>1"),
            ),
            ("  ERROR: Failed building wheel for broken", Some("broken")),
            (
                "  × Failed to build `broken==0.1 @ file:///a`",
                Some("broken==0.1"),
            ),
            (
                "  ╰─▶ Because nosuch was not found in the package registry and you require nosuch,",
                Some("nosuch"),
            ),
            (
                "  ╰─▶ Because only maze<=2 is available and you require maze>=3",
                Some("maze<=2"),
            ),
            ("the disk is full", None),
        ] {
            assert_eq!(failure(line).culprit().as_deref(), culprit, "{line}");
        }
    }

    #[tokio::test]
    async fn lines_are_told_as_they_come_and_the_last_are_kept() {
        let mut command = Command::new("sh");
        let script = "for i in $(seq 30); do echo out $i; done; printf 'a\\rb\\n\\377' >&2; exit 3";
        command.args(["-c", script]);
        let told = Mutex::new(Vec::new());
        let tell = |line: &str| told.lock().unwrap().push(line.to_owned());
        let failure = run(command, &tell).await.unwrap_err();
        assert_eq!(failure.how, "exit status: 3");
        assert_eq!(failure.lines.len(), SHOWN_LINES);
        let told = told.into_inner().unwrap();
        assert_eq!(told.len(), 32);
        assert!(told.contains(&"b".to_owned()) && told.contains(&"\u{fffd}".to_owned()));
    }
}
