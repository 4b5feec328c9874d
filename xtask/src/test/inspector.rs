//! The command line of the MCP Inspector, which is a client in TypeScript, over both transports.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use super::{
    mcp::REFERENCE_IS_NO_MCP_SERVER,
    suite::{Context, Outcome},
};
use crate::{node, server::Server, system::succeeds, workspace};

const VERSION: &str = "2.12.0";

/// The program, with a home of its own: it keeps settings there.
struct Inspector {
    directory: PathBuf,
}

pub(super) fn run(context: &Context) -> Result<Outcome> {
    if context.against_reference() {
        return Ok(Outcome::Skipped(REFERENCE_IS_NO_MCP_SERVER.into()));
    }
    let inspector = match Inspector::set_up()? {
        Ok(inspector) => inspector,
        Err(reason) => return Ok(Outcome::Skipped(reason)),
    };
    let binary = context.binary()?;
    let mut serve = Command::new(&binary);
    serve.args(["serve", "documents"]);
    let server = Server::start(serve, "inspector")?;
    over_http(&inspector, &format!("{}/mcp", server.url()))?;
    over_stdio(&inspector, &binary)?;
    Ok(Outcome::Passed)
}

fn over_http(inspector: &Inspector, url: &str) -> Result<()> {
    let target = [url, "--transport", "http"];
    let listed = inspector.ask(&target, "tools/list", &[])?;
    let tools = listed["tools"].as_array().context("no list of tools")?;
    ensure!(
        tools.iter().any(|tool| tool["name"] == "submit_answer"),
        "tools are missing: {listed}"
    );

    let search = ["search", "query=owl", "limit=1"];
    let found = inspector.ask(&target, "tools/call", &search)?;
    ensure!(
        found["structuredContent"]["hits"][0]["id"] == "barn-owl" && found["isError"] == false,
        "the search found {found}"
    );

    let failed = inspector.ask(&target, "tools/call", &["read", "id=nothing"])?;
    let complaint = failed["content"][0]["text"].as_str().unwrap_or_default();
    ensure!(
        failed["isError"] == true && complaint.contains("there is no document `nothing`"),
        "a failure was answered with {failed}"
    );
    Ok(())
}

fn over_stdio(inspector: &Inspector, binary: &Path) -> Result<()> {
    let binary = binary.to_str().context("the path is no text")?;
    let call = ["echo_with_length", "message=hello"];
    let measured = inspector.ask(&[binary, "mcp", "echo"], "tools/call", &call)?;
    ensure!(
        measured["structuredContent"] == serde_json::json!({ "message": "hello", "length": 5 }),
        "over standard input and output the answer was {measured}"
    );
    Ok(())
}

impl Inspector {
    /// Installs it inside the repository, or says why it cannot be had here.
    fn set_up() -> Result<Result<Self, String>> {
        if let Err(reason) = node::ensure() {
            return Ok(Err(reason));
        }
        let directory = workspace::root().join(".venvs/mcp-inspector");
        let stamp = directory.join("version");
        let inspector = Self { directory };
        if fs::read_to_string(&stamp).is_ok_and(|present| present == VERSION) {
            return Ok(Ok(inspector));
        }
        println!("setting up `{}`", inspector.directory.display());
        if inspector.directory.exists() {
            fs::remove_dir_all(&inspector.directory)?;
        }
        fs::create_dir_all(inspector.home())?;
        let mut install = Command::new("npm");
        install
            .args(["install", "--silent", "--no-package-lock", "--no-audit"])
            // They build its web pages, which nobody opens here.
            .args(["--no-fund", "--ignore-scripts", "--prefix"])
            .arg(&inspector.directory)
            .arg(format!("@modelcontextprotocol/inspector@{VERSION}"));
        if !succeeds(&mut install) {
            return Ok(Err("could not install the MCP Inspector with npm".into()));
        }
        fs::write(&stamp, VERSION)
            .with_context(|| format!("could not write `{}`", stamp.display()))?;
        Ok(Ok(inspector))
    }

    /// One request to a server, and its result; `call` is a tool and its arguments.
    fn ask(&self, target: &[&str], method: &str, call: &[&str]) -> Result<Value> {
        let mut command = Command::new(self.directory.join("node_modules/.bin/mcp-inspector"));
        command
            .arg("--cli")
            .args(target)
            .args(["--method", method])
            .env("HOME", self.home())
            .env("NO_PROXY", "127.0.0.1,localhost");
        if let Some((tool, arguments)) = call.split_first() {
            command.args(["--tool-name", tool]);
            for argument in arguments {
                command.args(["--tool-arg", argument]);
            }
        }
        println!("{method} {}", call.join(" "));
        let finished = command.output().context("could not run the inspector")?;
        // Its exit code also tells that a tool failed, which is an answer here.
        serde_json::from_slice(&finished.stdout).with_context(|| {
            let errors = String::from_utf8_lossy(&finished.stderr);
            format!("{method} ended with {}: {errors}", finished.status)
        })
    }

    fn home(&self) -> PathBuf {
        self.directory.join("home")
    }
}
