//! What the tools take.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::store::{MAX_DOCUMENTS, MAX_TEXT};

/// Arguments of `search`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Search {
    /// Words to look for; plain words work better than a sentence
    #[schemars(length(min = 1, max = 500))]
    pub(crate) query: String,
    /// Most hits to return
    #[serde(default = "five")]
    #[schemars(range(min = 1, max = 20))]
    pub(crate) limit: usize,
}

/// Arguments of `read`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Read {
    /// Id of the document, as `search` and `list` show it
    #[schemars(length(min = 1))]
    pub(crate) id: String,
    /// First line to read, counted from 1
    #[serde(default = "one")]
    #[schemars(range(min = 1))]
    pub(crate) from_line: usize,
    /// Last line to read; the end if left out
    #[serde(default)]
    #[schemars(range(min = 1))]
    pub(crate) to_line: Option<usize>,
}

/// Arguments of `list`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct List {
    /// Tag that the documents must have
    #[serde(default)]
    pub(crate) tag: Option<String>,
    /// How many documents to skip
    #[serde(default)]
    #[schemars(range(min = 0))]
    pub(crate) offset: usize,
    /// Most documents to return
    #[serde(default = "twenty")]
    #[schemars(range(min = 1, max = 100))]
    pub(crate) limit: usize,
}

/// Arguments of `write`, and one document of `import`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Write {
    /// Id of the document; made of the title if left out
    #[serde(default)]
    #[schemars(length(max = 64), regex(pattern = r"^[a-z0-9]+(-[a-z0-9]+)*$"))]
    pub(crate) id: Option<String>,
    /// What the document is about
    #[schemars(length(min = 1, max = 100))]
    pub(crate) title: String,
    /// The text, in lines
    #[schemars(length(min = 1, max = MAX_TEXT))]
    pub(crate) text: String,
    /// Groups that the document belongs to
    #[serde(default)]
    #[schemars(length(max = 8), inner(length(min = 1, max = 32)))]
    pub(crate) tags: Vec<String>,
}

/// Arguments of `append`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Append {
    /// Id of the document
    #[schemars(length(min = 1))]
    pub(crate) id: String,
    /// Lines to add at its end
    #[schemars(length(min = 1, max = MAX_TEXT))]
    pub(crate) text: String,
}

/// Arguments of `delete`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Delete {
    /// Id of the document
    #[schemars(length(min = 1))]
    pub(crate) id: String,
}

/// Arguments of `import`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Import {
    /// The documents, as `export` returns them
    #[schemars(length(min = 1, max = MAX_DOCUMENTS))]
    pub(crate) documents: Vec<Write>,
}

/// Arguments of `export`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Export {
    /// Tag that the documents must have
    #[serde(default)]
    pub(crate) tag: Option<String>,
}

/// Arguments of `submit_answer`.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct Answer {
    /// The answer in as few words as possible
    #[schemars(length(min = 1, max = 200))]
    pub(crate) answer: String,
}

fn one() -> usize {
    1
}

fn five() -> usize {
    5
}

fn twenty() -> usize {
    20
}
