//! An environment that is nothing but tools: a notebook.
//!
//! Run it with `cargo run -p openenv --example tools`, then connect any MCP client
//! to `http://127.0.0.1:8000/mcp`.

use std::time::Duration;

use openenv::{
    Environment, Error, Metadata, Mode, NoAction, Progress, ResetOptions, Result, Server, Step,
    StepOptions, Tool, ToolCall, ToolObservation, Tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

#[derive(Default)]
struct Notebook {
    notes: Vec<Note>,
}

#[derive(Clone, Serialize, Deserialize, JsonSchema)]
struct Note {
    /// What it is about
    #[schemars(length(min = 1, max = 100))]
    topic: String,
    /// What to remember
    text: String,
}

#[derive(Deserialize, JsonSchema)]
struct Search {
    /// A word of the topic or the text
    word: String,
}

impl Notebook {
    fn write(&mut self, note: Note) -> Result<usize> {
        if self.notes.len() == 100 {
            return Err(Error::new("the notebook is full: forget something first"));
        }
        self.notes.push(note);
        Ok(self.notes.len())
    }

    fn search(&mut self, Search { word }: Search) -> Result<Vec<Note>> {
        if word.is_empty() {
            return Err(Error::invalid("word", "every note has that: say a word"));
        }
        let found = |note: &&Note| note.topic.contains(&word) || note.text.contains(&word);
        Ok(self.notes.iter().filter(found).cloned().collect())
    }

    async fn tidy_up(&mut self, (): (), progress: Progress) -> Result<()> {
        progress.report(0.0, 2.0, "sorting");
        self.notes.sort_by(|a, b| a.topic.cmp(&b.topic));
        progress.report(1.0, 2.0, "binding");
        tokio::time::sleep(Duration::from_millis(10)).await;
        Ok(())
    }
}

impl Environment for Notebook {
    type Action = NoAction;
    type Observation = ToolObservation;
    type ResetObservation = ();
    type State = ();
    const CONCURRENT: bool = true;

    async fn reset(&mut self, _: ResetOptions) -> Result<Step<()>> {
        self.notes.clear();
        Ok(Step::new(()))
    }

    async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
        match none {}
    }

    fn state(&self) {}

    fn tools() -> Tools<Self> {
        Tools::new()
            .add(Tool::new("write", "Writes a note", Self::write))
            .add(Tool::new("search", "Finds notes by a word", Self::search).read_only())
            .add(
                Tool::new("tidy_up", "Sorts the notes", Self::tidy_up)
                    .timeout(Duration::from_secs(5)),
            )
            .add(
                Tool::new("peek", "Shows every note", |notebook: &mut Self, (): ()| {
                    Ok(notebook.notes.clone())
                })
                .only(Mode::Simulation),
            )
    }

    /// Every note is worth a point, every failure costs one.
    fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
        match (call.name, call.outcome) {
            (_, Err(_)) => Step::new(()).reward(-1.0),
            ("write", Ok(_)) => Step::new(()).reward(1.0),
            _ => Step::new(()).reward(0.0),
        }
    }

    fn metadata() -> Metadata {
        Metadata::new("notebook", "Keeps notes and finds them again")
    }
}

#[tokio::main]
async fn main() -> Result<()> {
    let server = Server::builder()
        .environment("notebook", Notebook::default)
        .build()?;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:8000").await?;
    server.serve(listener, openenv::shutdown_signal()).await
}
