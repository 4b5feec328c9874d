//! The servers that the clients are tested against.

use std::time::Duration;

use openenv::provider::{Process, Provider};
use openenv::{Endpoint, ServerBuilder};
use serde_json::{Value, json};

use crate::probe::InlineProbe;
use crate::support::{TestServer, http};

/// The Python of the reference package's environment.
const REFERENCE_PYTHON: &str = "OPENENV_REFERENCE_PYTHON";
const APP_DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it/client");

/// A server of probes.
#[derive(Debug, Clone, Copy)]
pub(super) enum Kind {
    Ours,
    Reference,
}

#[derive(Debug)]
pub(super) struct Subject {
    url: String,
    #[expect(dead_code, reason = "kept alive")]
    server: Running,
}

#[derive(Debug)]
enum Running {
    Ours(#[expect(dead_code, reason = "kept alive")] TestServer),
    Reference(#[expect(dead_code, reason = "killed with it")] Process),
}

impl Kind {
    pub(super) async fn start(self) -> Subject {
        self.start_with(64).await
    }

    pub(super) async fn start_with(self, sessions: usize) -> Subject {
        match self {
            Self::Ours => {
                let (builder, _) = InlineProbe::server();
                Subject::ours(builder.max_sessions(sessions)).await
            }
            Self::Reference => Subject::reference("probe_app:app", sessions).await,
        }
    }
}

impl Subject {
    pub(super) async fn ours(builder: ServerBuilder) -> Self {
        let server = TestServer::start(builder).await;
        Self {
            url: server.url(),
            server: Running::Ours(server),
        }
    }

    /// The reference, with an app of these tests.
    pub(super) async fn reference(app: &str, sessions: usize) -> Self {
        let python = std::env::var(REFERENCE_PYTHON)
            .unwrap_or_else(|_| panic!("{REFERENCE_PYTHON} names the Python of the reference"));
        let mut process = Process::new(python)
            .args(["-m", "uvicorn", app, "--log-level", "warning"])
            .args(["--port", "{port}", "--ws-max-size", "134217728"])
            .env("MAX_CONCURRENT_ENVS", sessions.to_string())
            .current_dir(APP_DIRECTORY)
            // It imports for half a minute on a busy machine.
            .start_timeout(Duration::from_mins(2));
        let endpoint = process.start().await.unwrap();
        Self {
            url: endpoint.to_string(),
            server: Running::Reference(process),
        }
    }

    pub(super) fn url(&self) -> &str {
        &self.url
    }

    pub(super) fn endpoint(&self) -> Endpoint {
        Endpoint::new(&self.url).unwrap()
    }

    /// Creates a session that belongs to no socket.
    pub(super) async fn create_session(&self) -> String {
        let request = json!({
            "jsonrpc": "2.0", "id": 1, "method": "openenv/session/create", "params": {}
        });
        let answer = http()
            .build()
            .unwrap()
            .post(format!("{}/mcp", self.url))
            .json(&request)
            .send()
            .await
            .unwrap();
        let answer: Value = answer.json().await.unwrap();
        answer["result"]["session_id"].as_str().unwrap().to_owned()
    }
}
