//! Tools: how they are declared, and what happens to calls that no tool can take.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::episode::{Episode, shortened};
use crate::finding::{Findings, Problem};
use crate::script::Script;
use crate::server::Server;
use crate::tools::{Listing, Tool, request};

/// Names that the protocol needs for itself.
const RESERVED: [&str; 5] = ["close", "get_state", "reset", "state", "step"];
/// Characters of a tool's name, as the Model Context Protocol has it.
const LONGEST_NAME: usize = 128;
/// A tool that nobody has.
const UNKNOWN_TOOL: &str = "openenv_validate_unknown_tool";

/// Looks at the declarations and makes calls that must fail.
pub(super) async fn check(server: &Server, script: &Script, listing: &Listing) -> Findings {
    let mut findings = declarations(listing);
    let tools = listing.tools();
    if tools.is_empty() {
        return findings;
    }
    let mut episode = match Episode::begin(server, &script.reset).await {
        Ok(episode) => episode,
        Err(failure) => {
            let note = format!(
                "no tool was called, as there was no session: {}",
                failure.seen
            );
            findings.notes.push(note);
            return findings;
        }
    };
    findings
        .call(
            &mut episode,
            UNKNOWN_TOOL,
            &json!({}),
            "the call of a tool that is not there",
        )
        .await;
    let particular = tools.iter().find(|tool| {
        let required = tool.schema["required"].as_array();
        required.is_some_and(|names| !names.is_empty())
    });
    match particular {
        Some(tool) => {
            let what = format!("the call of `{}` without its arguments", tool.name);
            findings
                .call(&mut episode, &tool.name, &json!({}), &what)
                .await;
        }
        None => findings
            .notes
            .push("no tool requires arguments, so none was called without".to_owned()),
    }
    if let Err(failure) = episode.state().await {
        findings.problems.push(Problem::required(
            "the session goes on after a tool that failed",
            failure.seen,
            "answer a failed call with an error and keep the socket open",
        ));
    }
    episode.end().await;
    findings
}

/// Looks at the declarations alone.
pub(super) fn declarations(listing: &Listing) -> Findings {
    let tools = match listing {
        Listing::Tools(tools) => tools,
        Listing::None(why) => return Findings::not_run(why.clone()),
        Listing::Broken(why) => {
            let mut findings = Findings::default();
            findings.problems.push(Problem::required(
                "`tools/list` lists the tools, or says that there are none",
                shortened(why),
                "answer JSON-RPC at `POST /mcp`, and look into the server's log for why it failed",
            ));
            return findings;
        }
    };
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    let mut findings = Findings::seen(names.join(", "));
    let mut known = BTreeSet::new();
    for tool in tools {
        if !known.insert(tool.name.as_str()) {
            findings.problems.push(Problem::required(
                "each tool has a name of its own",
                format!("`{}` is there twice", tool.name),
                "rename one of them",
            ));
        }
        findings.judge_name(&tool.name);
        findings.judge_schema(tool);
    }
    let silent = tools.iter().filter(|tool| !tool.described);
    let silent: Vec<_> = silent.map(|tool| format!("`{}`", tool.name)).collect();
    if !silent.is_empty() {
        findings.problems.push(Problem::advice(
            "each tool says what it does",
            format!("no description: {}", silent.join(", ")),
            "describe them: agents choose tools by it, and some clients list none without it",
        ));
    }
    findings
}

impl Findings {
    fn judge_name(&mut self, name: &str) {
        let fix = "rename the tool";
        if RESERVED.contains(&name) {
            self.problems.push(Problem::required(
                format!("no tool is called {}", RESERVED.join(", ")),
                format!("a tool is called `{name}`"),
                fix,
            ));
        }
        let usable = |character: char| {
            character.is_ascii_alphanumeric() || matches!(character, '_' | '-' | '.' | '/')
        };
        let length = name.chars().count();
        if !(1..=LONGEST_NAME).contains(&length) || !name.chars().all(usable) {
            self.problems.push(Problem::required(
                format!("names have 1 to {LONGEST_NAME} letters, digits, `_`, `-`, `.` or `/`"),
                format!("a tool is called {name:?}"),
                fix,
            ));
        }
    }

    fn judge_schema(&mut self, tool: &Tool) {
        let name = &tool.name;
        let built = jsonschema::draft202012::options()
            .offline()
            .should_validate_formats(false)
            .build(&tool.schema);
        let seen = match built {
            _ if !tool.schema.is_object() => {
                format!(
                    "`{name}` has the schema {}",
                    shortened(&tool.schema.to_string())
                )
            }
            Err(error) => format!(
                "that of `{name}` is not valid: {}",
                shortened(&error.to_string())
            ),
            Ok(_) if tool.schema["type"] != "object" => {
                let kind = &tool.schema["type"];
                format!("the arguments of `{name}` are declared as {kind}")
            }
            Ok(_) => return,
        };
        self.problems.push(Problem::required(
            "the arguments of a tool are an object with a valid JSON Schema",
            seen,
            "publish the schema of the tool's arguments as `inputSchema`",
        ));
    }

    /// Makes a call that must fail.
    async fn call(&mut self, episode: &mut Episode, name: &str, arguments: &Value, what: &str) {
        let params = json!({ "name": name, "arguments": arguments });
        let frame = json!({ "type": "mcp", "data": request("tools/call", &params) }).to_string();
        let expected = format!("{what} fails with an error");
        let fix = "refuse unknown tools, and arguments that the tool's schema does not allow";
        let seen = match episode.socket().ask(frame.as_str()).await {
            Ok(reply) => {
                let reply: Value = serde_json::from_str(&reply).unwrap_or_default();
                if has_failed(&reply) {
                    return;
                }
                format!("the reply {}", shortened(&reply.to_string()))
            }
            Err(lost) => lost.to_string(),
        };
        self.problems.push(Problem::required(expected, seen, fix));
    }
}

/// As an error of JSON-RPC, as a result that says so, or as an error of the socket.
fn has_failed(reply: &Value) -> bool {
    let response = &reply["data"];
    let result = &response["result"];
    reply["type"] == "error"
        || response.get("error").is_some_and(|error| !error.is_null())
        || result["isError"] == true
        || result["is_error"] == true
        || result.get("error").is_some_and(|error| !error.is_null())
}
