//! What agents can do, and what they get for it.

use std::collections::BTreeSet;
use std::future::poll_fn;
use std::task::Poll;

use openenv::{Error, Mode, Progress, Result, Tool, Tools};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::arguments::{Answer, Append, Delete, Export, Import, List, Read, Search, Write};
use crate::environment::{Assignment, Documents};
use crate::episode::Verdict;
use crate::search::as_number;
use crate::store::{Document, Entry, Hit, MAX_TEXT};

/// The tool that answers the question: what it earns is another matter than what
/// the others cost.
pub(crate) const SUBMIT_ANSWER: &str = "submit_answer";

/// What `search` found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// The documents that fit, the best first
    pub hits: Vec<Hit>,
    /// How many documents fit, also beyond the limit
    pub total: usize,
}

/// What `read` returns: a document, or some lines of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Page {
    /// Id of the document
    pub id: String,
    /// What it is about
    pub title: String,
    /// Groups it belongs to
    pub tags: Vec<String>,
    /// The lines that were asked for
    pub text: String,
    /// Number of the first of these lines
    pub from_line: usize,
    /// Number of the last of these lines
    pub to_line: usize,
    /// How many lines the document has
    pub total_lines: usize,
}

/// One line of a list of documents.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listed {
    /// Id of the document
    pub id: String,
    /// What it is about
    pub title: String,
    /// Groups it belongs to
    pub tags: Vec<String>,
    /// How many lines it has
    pub lines: usize,
}

/// What `list` returns.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Listing {
    /// The documents, by id
    pub documents: Vec<Listed>,
    /// How many there are
    pub total: usize,
    /// The offset to go on with, if there are more
    pub next_offset: Option<usize>,
    /// Every tag that a document of the store has
    pub tags: Vec<String>,
}

/// What `write` and `append` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Written {
    /// Id of the document
    pub id: String,
    /// Whether there was no such document before
    pub created: bool,
    /// How many lines it has now
    pub lines: usize,
}

/// What `delete` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Deleted {
    /// Id of the document that is gone
    pub id: String,
    /// How many documents are left
    pub documents: usize,
}

/// What `import` did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Imported {
    /// Ids of the documents, in the order in which they came
    pub ids: Vec<String>,
    /// How many of them are new
    pub created: usize,
}

/// What `export` returns, and `import` takes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Exported {
    /// The documents, by id
    pub documents: Vec<Document>,
}

/// The tools. Closures stand where a method changes nothing, and needs no `&mut self`.
pub(crate) fn tools() -> Tools<Documents> {
    type Session<'a> = &'a mut Documents;

    Tools::new()
        .add(
            Tool::new(
                "search",
                "Finds documents by words in their titles, texts and tags, the best first. \
                 Each hit has the id to read it by, and the line that fits best.",
                |session: Session<'_>, search: Search| Ok(session.search(&search)),
            )
            .read_only(),
        )
        .add(
            Tool::new(
                "read",
                "Reads a document, or some lines of it.",
                |session: Session<'_>, read: Read| session.read(&read),
            )
            .read_only(),
        )
        .add(
            Tool::new(
                "list",
                "Lists documents by id, all or those with a tag, a page at a time.",
                |session: Session<'_>, list: List| Ok(session.list(&list)),
            )
            .read_only(),
        )
        .add(
            Tool::new(
                "write",
                "Writes a document; one with the same id is replaced.",
                Documents::write,
            )
            .idempotent(),
        )
        .add(Tool::new(
            "append",
            "Adds lines at the end of a document.",
            Documents::append,
        ))
        .add(Tool::new(
            "delete",
            "Deletes a document.",
            Documents::delete,
        ))
        .add(
            Tool::new(
                "import",
                "Writes several documents, all of them or, if one does not fit, none.",
                Documents::import,
            )
            .idempotent(),
        )
        .add(
            Tool::new(
                "question",
                "Tells the question of the episode again, and how many answers are left.",
                |session: Session<'_>, (): ()| session.question(),
            )
            .read_only()
            .only(Mode::Simulation),
        )
        .add(
            Tool::new(
                SUBMIT_ANSWER,
                "Answers the question of the episode. The right answer ends the episode; \
                 there are a few tries.",
                Documents::submit_answer,
            )
            .only(Mode::Simulation),
        )
        .add(
            Tool::new(
                "export",
                "Returns whole documents, all or those with a tag, in the form that `import` takes.",
                |session: Session<'_>, export: Export| Ok(session.export(&export)),
            )
            .read_only()
            .only(Mode::Production),
        )
}

impl Documents {
    fn search(&self, search: &Search) -> Found {
        let (hits, total) = self.store.search(&search.query, search.limit);
        Found { hits, total }
    }

    fn read(&self, read: &Read) -> Result<Page> {
        let document = self.store.get(&read.id)?;
        let lines: Vec<&str> = document.text.lines().collect();
        let total = lines.len();
        let from = read.from_line;
        let to = read.to_line.unwrap_or(total).min(total);
        if from > total {
            let message = format!("`{}` ends with line {total}", read.id);
            return Err(Error::invalid("from_line", message));
        }
        if from > to {
            let message = format!("line {to} comes before line {from}");
            return Err(Error::invalid("to_line", message));
        }
        Ok(Page {
            id: document.id.clone(),
            title: document.title.clone(),
            tags: document.tags.clone(),
            text: lines[from - 1..to].join("\n"),
            from_line: from,
            to_line: to,
            total_lines: total,
        })
    }

    fn list(&self, list: &List) -> Listing {
        let tag = list.tag.as_deref();
        let total = self.store.documents(tag).count();
        let documents = self
            .store
            .documents(tag)
            .skip(list.offset)
            .take(list.limit)
            .map(|document| Listed {
                id: document.id.clone(),
                title: document.title.clone(),
                tags: document.tags.clone(),
                lines: document.text.lines().count(),
            })
            .collect();
        let end = list.offset.saturating_add(list.limit);
        Listing {
            documents,
            total,
            next_offset: (end < total).then_some(end),
            tags: self.store.tags().into_iter().map(str::to_owned).collect(),
        }
    }

    fn write(&mut self, write: Write) -> Result<Written> {
        let document = document(write, "")?;
        self.put(document)
    }

    fn append(&mut self, Append { id, text }: Append) -> Result<Written> {
        let mut document = self.store.get(&id)?.clone();
        check_text(&text, "")?;
        document.text = format!("{}\n{}", document.text.trim_end(), text);
        if document.text.chars().count() > MAX_TEXT {
            let message = format!("the text would be longer than {MAX_TEXT} characters");
            return Err(Error::invalid("text", message));
        }
        self.put(document)
    }

    fn put(&mut self, document: Document) -> Result<Written> {
        let id = document.id.clone();
        let lines = document.text.lines().count();
        let created = self.store.put(vec![Entry::new(document)])? == 1;
        Ok(Written { id, created, lines })
    }

    fn delete(&mut self, Delete { id }: Delete) -> Result<Deleted> {
        self.store.remove(&id)?;
        Ok(Deleted {
            id,
            documents: self.store.len(),
        })
    }

    async fn import(&mut self, import: Import, progress: Progress) -> Result<Imported> {
        let total = as_number(import.documents.len());
        let mut ids = Vec::with_capacity(import.documents.len());
        let mut seen = BTreeSet::new();
        let mut entries = Vec::with_capacity(import.documents.len());
        for (position, write) in import.documents.into_iter().enumerate() {
            let at = format!("documents.{position}.");
            let document = document(write, &at)?;
            if !seen.insert(document.id.clone()) {
                let message = format!("the id `{}` stands twice", document.id);
                return Err(Error::invalid(&format!("{at}id"), message));
            }
            let message = format!("read `{}`", document.title);
            ids.push(document.id.clone());
            entries.push(Entry::new(document));
            progress.report(as_number(ids.len()), total, message);
            // The report leaves, and other sessions have a turn. A caller that
            // gives up now leaves the store as it was.
            take_turns().await;
        }
        let created = self.store.put(entries)?;
        Ok(Imported { ids, created })
    }

    fn question(&self) -> Result<Assignment> {
        let episode = self.episode.as_ref().ok_or_else(no_question)?;
        Ok(Assignment::new(episode, self.store.len()))
    }

    fn submit_answer(&mut self, Answer { answer }: Answer) -> Result<Verdict> {
        let episode = self.episode.as_mut().ok_or_else(no_question)?;
        episode.answer(&answer)
    }

    fn export(&self, export: &Export) -> Exported {
        let documents = self.store.documents(export.tag.as_deref());
        Exported {
            documents: documents.cloned().collect(),
        }
    }
}

fn no_question() -> Error {
    Error::new("there is no question yet: reset to get one")
}

/// The document that somebody wrote, in the arguments whose names begin with `at`.
fn document(write: Write, at: &str) -> Result<Document> {
    check_text(&write.text, at)?;
    let id = match write.id {
        Some(id) => id,
        None => id_from(&write.title).ok_or_else(|| {
            let message = "the title has none of the letters a to z to make an id of: give one";
            Error::invalid(&format!("{at}id"), message)
        })?,
    };
    let mut tags: Vec<String> = write.tags.iter().map(|tag| tag.to_lowercase()).collect();
    tags.sort_unstable();
    tags.dedup();
    Ok(Document {
        id,
        title: write.title,
        tags,
        text: write.text,
    })
}

/// Refuses a text without anything to read: the schema only counts characters.
fn check_text(text: &str, at: &str) -> Result<()> {
    if text.trim().is_empty() {
        let message = "there is nothing in it";
        return Err(Error::invalid(&format!("{at}text"), message));
    }
    Ok(())
}

/// A title in the letters of an id: `Barn owls!` is `barn-owls`.
fn id_from(title: &str) -> Option<String> {
    let words: Vec<String> = title
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_ascii_lowercase)
        .collect();
    let mut id = words.join("-");
    id.truncate(64);
    let id = id.trim_end_matches('-');
    (!id.is_empty()).then(|| id.to_owned())
}

/// Lets the task do something else before it goes on.
async fn take_turns() {
    let mut is_over = false;
    poll_fn(|context| {
        if is_over {
            return Poll::Ready(());
        }
        is_over = true;
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests;
