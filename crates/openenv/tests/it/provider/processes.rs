//! Processes, as the system sees them.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Stdio};

use openenv::provider::Process;

use super::script;
use crate::examples;
use crate::support::eventually;

/// The ids in lines such as `pid 17`.
pub(super) fn ids(output: &str) -> Vec<u32> {
    let lines = output.lines().filter_map(|line| line.strip_prefix("pid "));
    lines.map(|id| id.parse().unwrap()).collect()
}

/// The ids that a server has told, of which there are `count`.
pub(super) async fn ids_of(process: &Process, count: usize) -> Vec<u32> {
    let told = || ids(&process.output());
    eventually("the ids are told", || told().len() == count).await;
    told()
}

/// Whether a process runs; one that has ended and is not collected does not.
pub(super) fn runs(id: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{id}/stat")) else {
        return false;
    };
    let state = status.rsplit_once(") ").unwrap().1;
    !state.starts_with(['Z', 'X'])
}

pub(super) async fn until_gone(ids: &[u32]) {
    assert!(!ids.is_empty());
    eventually("all processes are gone", || !ids.iter().any(|id| runs(*id))).await;
}

/// A file for a process to leave a note in, before its output can be read.
pub(super) struct Note {
    pub(super) path: PathBuf,
}

impl Note {
    pub(super) fn new(name: &str) -> Self {
        let name = format!("{name}-{}", std::process::id());
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        Self { path }
    }

    pub(super) fn text(&self) -> String {
        fs::read_to_string(&self.path).unwrap_or_default()
    }
}

impl Drop for Note {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// The guards that a process has.
fn guards_of(parent: u32) -> Vec<u32> {
    let is_guard = |id: &u32| {
        let status = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        // After the name: the state, then the parent.
        let rest = status.rsplit_once(") ").unwrap_or_default().1;
        rest.split(' ').nth(1) == Some(&parent.to_string()) && command.contains("openenv-guard")
    };
    let entries = fs::read_dir("/proc").unwrap();
    let ids = entries.filter_map(|entry| entry.unwrap().file_name().to_str()?.parse().ok());
    ids.filter(is_guard).collect()
}

/// The example `launch`: a program that runs a server, seen from outside.
pub(super) struct Program {
    pub(super) child: Child,
    pub(super) stderr: BufReader<ChildStderr>,
    /// The server and the guard.
    pub(super) ids: Vec<u32>,
}

impl Program {
    pub(super) fn start() -> Self {
        let mut child = Command::new(examples::path("launch"))
            .args(["sh", "-c", &script(""), "sh"])
            .arg(examples::path("server"))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut said).unwrap();
        assert!(said.starts_with("healthy at http://127.0.0.1:"), "{said}");
        let mut shown = String::new();
        let mut stderr = BufReader::new(child.stderr.take().unwrap());
        stderr.read_line(&mut shown).unwrap();
        let mut ids = ids(&shown);
        ids.extend(guards_of(child.id()));
        assert!(ids.len() == 2 && ids.iter().all(|id| runs(*id)), "{ids:?}");
        Self { child, stderr, ids }
    }
}

/// The guard sees to the rest.
impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends a signal to a process of the test's own.
pub(super) fn signal(name: &str, id: u32) {
    let sent = Command::new("kill")
        .args(["-s", name, &id.to_string()])
        .status();
    assert!(sent.unwrap().success());
}
