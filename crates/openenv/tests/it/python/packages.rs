//! Packages that cannot be served say why, and packages for older generations can be.

use std::collections::BTreeMap;
use std::path::Path;

use openenv::Server;
use openenv::python::Project;
use serde_json::json;

use super::Tree;
use super::installed::{Installed, OPENENV, STANDIN};
use super::serving::{fixtures, project, start};
use crate::support::TestServer;

/// Why a project cannot be served: the message, and what is said of the cause.
async fn refusal(project: &Project, python: Installed) -> (String, String) {
    let error = match start(project, python, BTreeMap::new()).await {
        Ok(workers) => panic!("`{workers}` can be served"),
        Err(error) => error,
    };
    let cause = std::error::Error::source(&error).map(ToString::to_string);
    (error.to_string(), cause.unwrap_or_default())
}

/// The same for a package of the fixtures, which both say the same of.
async fn refusal_of(package: &str) -> (String, String) {
    let project = project(&format!("packages/{package}"), ".").unwrap();
    let (message, cause) = refusal(&project, OPENENV).await;
    let (without, _) = refusal(&project, STANDIN).await;
    assert_eq!(
        message.replace(OPENENV.0, STANDIN.0),
        without,
        "the stand-in makes a difference"
    );
    (message, cause)
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_module_that_raises_is_shown_with_the_line_and_the_way_there() {
    let (message, cause) = refusal_of("broken_import").await;
    assert_eq!(
        message,
        "importing `broken_import` failed at server/app.py, line 13: \
         RuntimeError: there is no level 'moor'"
    );
    let lines: Vec<_> = cause.lines().collect();
    assert!(
        lines[1].ends_with("server/app.py\", line 17, in <module>"),
        "{cause}"
    );
    assert!(cause.contains("line 13, in load_level"), "{cause}");
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_file_that_is_not_python_is_named_with_its_line() {
    let (message, cause) = refusal_of("syntax_error").await;
    assert_eq!(
        message,
        "importing `syntax_error` failed at server/app.py, line 6: SyntaxError: expected ':'"
    );
    assert!(cause.contains("def make_environment()"), "{cause}");
    assert!(!cause.contains("importlib"), "{cause}");
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_module_that_is_missing_is_named_with_who_wants_it() {
    let (message, _) = refusal_of("missing_dependency").await;
    let start = "`missing_dependency` needs the Python module `openenv_fixture_tide_tables` \
                 (server/app.py, line 7), which is not installed for /";
    assert!(message.starts_with(start), "{message}");
    let end = "add it to the dependencies of the package, or install it with ";
    assert!(message.contains(end), "{message}");
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn a_package_without_a_server_is_told_what_to_do() {
    let (message, _) = refusal_of("no_app").await;
    assert_eq!(
        message,
        "`no_app` makes no server: none of its modules calls `create_app` (tried: server.app \
         (imported, but it makes no server)); name its class to serve it as it is, as \
         `server.app:LonelyEnvironment`"
    );
}

/// Why an object cannot be served.
async fn refusal_of_object(object: &str, directory: &Path) -> String {
    let project = Project::of_object(object, directory).unwrap();
    refusal(&project, STANDIN).await.0
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn an_object_that_is_not_there_is_named_with_what_is() {
    let directory = fixtures().join("packages/plain_object");
    for (object, expected) in [
        (
            "world:Nowhere",
            "`world` cannot be served: module `world` has no `Nowhere`, but `World`".to_owned(),
        ),
        (
            "world:ROOMS",
            "`world` cannot be served: `ROOMS` is a dict, not a class or a function".to_owned(),
        ),
        (
            "nowhere:World",
            format!(
                "`nowhere` cannot be served: there is no module `nowhere` in `{}`",
                directory.display()
            ),
        ),
    ] {
        assert_eq!(refusal_of_object(object, &directory).await, expected);
    }
}

#[tokio::test]
#[ignore = "needs packages of Python: `cargo xtask test workers`"]
async fn an_object_that_says_too_little_is_told_what_to_say() {
    let silent = Tree::new("silent").file(
        "quiet.py",
        "class Quiet:\n    def reset(self): ...\n    def step(self, action): ...\n\n\
         def make(): return Quiet()\n",
    );
    for (object, expected) in [
        (
            "quiet:Quiet",
            "`quiet` cannot be served: `Quiet.step` does not say what it takes: annotate it, as \
             `def step(self, action: MyAction) -> MyObservation`",
        ),
        (
            "quiet:make",
            "`quiet` cannot be served: `make` does not say what it makes: \
             give it a return annotation",
        ),
    ] {
        assert_eq!(refusal_of_object(object, &silent.path()).await, expected);
    }
}

/// Tools, as every generation knows them.
const TOOLS: &str = r#"
from fastmcp import FastMCP
from openenv.core.env_server import (
    CallToolAction, CallToolObservation, MCPEnvironment, Observation, State, create_app,
)

class Shelf(MCPEnvironment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        mcp = FastMCP("shelf")
        self._books = []

        @mcp.tool
        def put(book: str) -> int:
            """Put a book on the shelf."""
            self._books.append(book)
            return len(self._books)

        super().__init__(mcp)

    def reset(self, **kwargs):
        self._books.clear()
        return Observation()

    def _step_impl(self, action, **kwargs):
        return Observation()

    @property
    def state(self):
        return State(step_count=len(self._books))

app = create_app(Shelf, CallToolAction, CallToolObservation, env_name="shelf")
"#;

/// Packages of three kinds with an older generation: what it takes to be of use.
async fn older(python: Installed) {
    let shelf = Tree::new("shelf").file("server/app.py", TOOLS);
    for (project, name, action, expected) in [
        (
            project("scaffolds/hello_env", "."),
            "hello_env",
            json!({ "message": "hi" }),
            json!("hi"),
        ),
        (
            project("packages/manifest_only", "."),
            "thermostat",
            json!({ "level": 2 }),
            json!(18.0),
        ),
        (
            Project::find(shelf.path()),
            "shelf",
            json!({ "type": "call_tool", "tool_name": "put", "arguments": { "book": "Emma" } }),
            json!(1),
        ),
    ] {
        let workers = start(&project.unwrap(), python, BTreeMap::new()).await;
        let workers = workers.unwrap_or_else(|error| panic!("{name} with {python:?}: {error}"));
        assert_eq!(workers.name(), name);
        assert!(!workers.report().standin);
        let server = TestServer::start(Server::builder().python(workers)).await;
        let mut socket = server.socket("/ws").await;
        socket.ask(&json!({ "type": "reset", "data": {} })).await;
        let reply = socket.ask(&json!({ "type": "step", "data": action })).await;
        let observation = &reply["data"]["observation"];
        let found = match name {
            "hello_env" => &observation["echoed_message"],
            "thermostat" => &observation["celsius"],
            _ => &observation["result"]["data"],
        };
        assert_eq!(*found, expected, "{reply}");
        let refused = socket
            .ask(&json!({ "type": "step", "data": { "x": 1 } }))
            .await;
        assert_eq!(refused["data"]["code"], "VALIDATION_ERROR", "{refused}");
        let state = socket.ask(&json!({ "type": "state" })).await;
        assert_eq!(state["data"]["step_count"], 1, "{state}");
        if name == "shelf" {
            let called = json!({ "name": "put", "arguments": { "book": "Ulysses" } });
            let reply = server.rpc("tools/call", &called).await;
            assert_eq!(reply["result"]["data"], 1, "{reply}");
        }
        server.stop().await;
    }
}

macro_rules! generations {
    ($($test:ident: $venv:literal;)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            #[ignore = "needs packages of Python: `cargo xtask test workers`"]
            async fn $test() {
                older(Installed($venv)).await;
            }
        )*
    };
}

generations! {
    packages_run_with_openenv_0_4: "openenv-0.4.1";
    packages_run_with_openenv_core_0_3: "openenv-core-0.3.0";
    packages_run_with_openenv_core_0_2: "openenv-core-0.2.1";
}
