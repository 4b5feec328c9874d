//! The environment: a session's documents and the question it is asked.

use std::sync::Arc;

use openenv::{
    Environment, Metadata, NoAction, ResetOptions, Result, Step, StepOptions, Tasks, ToolCall,
    ToolObservation, Tools,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::collection::collection;
use crate::episode::{Episode, MAX_CALLS};
use crate::quiz::{self, Quiz};
use crate::store::Store;
use crate::tools::{self, SUBMIT_ANSWER};

/// What an episode is about.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Assignment {
    /// Id of the question
    pub question_id: String,
    /// The question; its answer is in the documents
    pub question: String,
    /// How many documents there are to look through
    pub documents: usize,
    /// How many answers may be given
    pub answers_left: u32,
    /// How many calls are left before the episode is cut short
    pub calls_left: u32,
}

impl Assignment {
    pub(crate) fn new(episode: &Episode, documents: usize) -> Self {
        Self {
            question_id: episode.question.id.clone(),
            question: episode.question.text.clone(),
            documents,
            answers_left: episode.answers_left(),
            calls_left: MAX_CALLS.saturating_sub(episode.calls),
        }
    }
}

/// What a trainer sees of an episode.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DocumentsState {
    /// Id of the question, once there is one
    pub question_id: Option<String>,
    /// The split that the question belongs to
    pub split: Option<String>,
    /// How many documents there are
    pub documents: usize,
    /// Tool calls of the episode that were steps
    pub calls: u32,
    /// Answers that were given
    pub answers: u32,
    /// Score of the best answer
    pub best_score: f64,
    /// Whether the right answer was given
    pub solved: bool,
}

/// A session: documents to search, and a question about them.
#[derive(Debug)]
pub struct Documents {
    pub(crate) store: Store,
    pub(crate) episode: Option<Episode>,
}

impl Default for Documents {
    fn default() -> Self {
        Self {
            store: collection(),
            episode: None,
        }
    }
}

impl Environment for Documents {
    type Action = NoAction;
    type Observation = ToolObservation;
    type ResetObservation = Assignment;
    type State = DocumentsState;
    const CONCURRENT: bool = true;

    async fn reset(&mut self, options: ResetOptions) -> Result<Step<Assignment>> {
        let episode = Episode::new(quiz::choose(&options)?);
        self.store = collection();
        let assignment = Assignment::new(&episode, self.store.len());
        self.episode = Some(episode);
        Ok(Step::new(assignment))
    }

    async fn step(&mut self, none: NoAction, _: StepOptions) -> Result<Step<ToolObservation>> {
        match none {}
    }

    fn state(&self) -> DocumentsState {
        let episode = self.episode.as_ref();
        DocumentsState {
            question_id: episode.map(|episode| episode.question.id.clone()),
            split: episode.map(|episode| episode.question.split.clone()),
            documents: self.store.len(),
            calls: episode.map_or(0, |episode| episode.calls),
            answers: episode.map_or(0, |episode| episode.answers),
            best_score: episode.map_or(0.0, |episode| episode.best),
            solved: episode.is_some_and(|episode| episode.solved),
        }
    }

    fn tools() -> Tools<Self> {
        tools::tools()
    }

    fn judge(&mut self, call: ToolCall<'_>) -> Step<()> {
        let Some(episode) = &mut self.episode else {
            return Step::new(());
        };
        episode.judge(call.name == SUBMIT_ANSWER && call.outcome.is_ok())
    }

    fn metadata() -> Metadata {
        Metadata::new(
            "documents",
            "Documents to search, read and write with tools, and questions to answer from them",
        )
        .version(env!("CARGO_PKG_VERSION"))
    }

    fn tasks() -> Option<Arc<dyn Tasks>> {
        Some(Arc::new(Quiz))
    }
}

#[cfg(test)]
mod tests;
