//! The documents of one session.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use openenv::{Error, Result};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::search::{Counts, Query, as_number};

/// Most documents of one session.
pub const MAX_DOCUMENTS: usize = 100;
/// Most bytes of all documents of one session: 256 KiB.
pub const MAX_BYTES: usize = 256 * 1024;
/// Most characters of one text.
pub const MAX_TEXT: usize = 8_000;

/// What a word in the title is worth, compared with one in the text.
const TITLE_WEIGHT: u32 = 3;
/// Characters of a snippet.
const SNIPPET: usize = 200;
/// Ids less alike than this are not what somebody meant.
const ALIKE: f64 = 0.4;

/// One document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Document {
    /// Id of the document
    pub id: String,
    /// What it is about
    pub title: String,
    /// Groups it belongs to
    pub tags: Vec<String>,
    /// Its text, in lines
    pub text: String,
}

impl Document {
    fn bytes(&self) -> usize {
        let tags: usize = self.tags.iter().map(String::len).sum();
        self.id.len() + self.title.len() + tags + self.text.len()
    }
}

/// A document that is ready to be searched.
#[derive(Debug)]
pub(crate) struct Entry {
    document: Document,
    counts: Counts,
}

impl Entry {
    pub(crate) fn new(document: Document) -> Self {
        let mut counts = Counts::default();
        counts.add(&document.title, TITLE_WEIGHT);
        counts.add(&document.text, 1);
        for tag in &document.tags {
            counts.add(tag, 1);
        }
        Self { document, counts }
    }
}

/// A document that fits a query.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hit {
    /// Id of the document, to read it
    pub id: String,
    /// What it is about
    pub title: String,
    /// Number of the line that fits best
    pub line: usize,
    /// The beginning of that line
    pub snippet: String,
    /// How well the document fits; of use to compare hits of one search
    pub score: f64,
}

/// The documents of one session, by id.
///
/// Copies share everything until one of them is changed, so that a session that
/// only reads the collection costs a pointer.
#[derive(Debug, Clone, Default)]
pub(crate) struct Store {
    entries: Arc<BTreeMap<String, Arc<Entry>>>,
}

impl Store {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Every document, or those with a tag; by id.
    pub(crate) fn documents(&self, tag: Option<&str>) -> impl Iterator<Item = &Document> {
        self.entries
            .values()
            .map(|entry| &entry.document)
            .filter(move |document| match tag {
                None => true,
                Some(tag) => document
                    .tags
                    .iter()
                    .any(|own| own.eq_ignore_ascii_case(tag)),
            })
    }

    /// Every tag that a document has.
    pub(crate) fn tags(&self) -> BTreeSet<&str> {
        self.documents(None)
            .flat_map(|document| &document.tags)
            .map(String::as_str)
            .collect()
    }

    pub(crate) fn get(&self, id: &str) -> Result<&Document> {
        match self.entries.get(id) {
            Some(entry) => Ok(&entry.document),
            None => Err(self.unknown(id)),
        }
    }

    /// The best of what fits the query, the best first, and how much fits at all.
    pub(crate) fn search(&self, query: &str, limit: usize) -> (Vec<Hit>, usize) {
        let counts: Vec<&Counts> = self.entries.values().map(|entry| &entry.counts).collect();
        let query = Query::new(query, &counts);
        let mut found: Vec<(f64, &Document)> = self
            .entries
            .values()
            .map(|entry| (query.score(&entry.counts), &entry.document))
            .filter(|(score, _)| *score > 0.0)
            .collect();
        // The sort is stable: what fits equally well stays in the order of ids.
        found.sort_by(|left, right| right.0.total_cmp(&left.0));
        let total = found.len();
        let hits = found
            .into_iter()
            .take(limit)
            .map(|(score, document)| {
                let line = query.best_line(&document.text);
                let text = document.text.lines().nth(line).unwrap_or_default();
                Hit {
                    id: document.id.clone(),
                    title: document.title.clone(),
                    line: line + 1,
                    snippet: beginning(text),
                    score: (score * 1000.0).round() / 1000.0,
                }
            })
            .collect();
        (hits, total)
    }

    /// Adds documents, or puts them in the place of those with the same ids: all
    /// of them, or none if there is no room. Says how many are new.
    pub(crate) fn put(&mut self, entries: Vec<Entry>) -> Result<usize> {
        let is_new = |entry: &&Entry| !self.entries.contains_key(&entry.document.id);
        let added = entries.iter().filter(is_new).count();
        let count = self.len() + added;
        if count > MAX_DOCUMENTS {
            return Err(Error::new(format!(
                "the store would hold {count} documents and has room for {MAX_DOCUMENTS}: delete some first"
            )));
        }
        let ids: BTreeSet<&str> = entries
            .iter()
            .map(|entry| entry.document.id.as_str())
            .collect();
        let kept: usize = self
            .documents(None)
            .filter(|document| !ids.contains(document.id.as_str()))
            .map(Document::bytes)
            .sum();
        let written: usize = entries.iter().map(|entry| entry.document.bytes()).sum();
        if kept + written > MAX_BYTES {
            return Err(Error::new(format!(
                "the store would hold {} bytes and has room for {MAX_BYTES}: delete some documents first",
                kept + written
            )));
        }
        let own = Arc::make_mut(&mut self.entries);
        for entry in entries {
            own.insert(entry.document.id.clone(), Arc::new(entry));
        }
        Ok(added)
    }

    pub(crate) fn remove(&mut self, id: &str) -> Result<()> {
        self.get(id)?;
        Arc::make_mut(&mut self.entries).remove(id);
        Ok(())
    }

    /// The error for an id that no document has: it tells which ones are close.
    fn unknown(&self, id: &str) -> Error {
        let mut close: Vec<(f64, &str)> = self
            .entries
            .keys()
            .map(|known| (likeness(known, id), known.as_str()))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        close.sort_by(|left, right| right.0.total_cmp(&left.0));
        close.truncate(3);
        let hint = if close.is_empty() {
            "`search` and `list` show the ids".to_owned()
        } else {
            let close: Vec<String> = close.iter().map(|(_, id)| format!("`{id}`")).collect();
            format!("did you mean {}?", close.join(" or "))
        };
        Error::invalid(
            "id",
            format!("there is no document `{}`; {hint}", beginning(id)),
        )
    }
}

/// A text, cut off where it gets long.
fn beginning(text: &str) -> String {
    match text.char_indices().nth(SNIPPET) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// The share of pairs of neighbouring letters that two words have in common.
fn likeness(one: &str, other: &str) -> f64 {
    let pairs = |word: &str| -> BTreeSet<(char, char)> {
        let letters: Vec<char> = word.to_lowercase().chars().collect();
        letters.windows(2).map(|pair| (pair[0], pair[1])).collect()
    };
    let (one, other) = (pairs(one), pairs(other));
    let shared = one.intersection(&other).count();
    2.0 * as_number(shared) / as_number(one.len() + other.len()).max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(id: &str, text: &str) -> Entry {
        Entry::new(Document {
            id: id.to_owned(),
            title: id.replace('-', " "),
            tags: vec!["test".to_owned()],
            text: text.to_owned(),
        })
    }

    fn store() -> Store {
        let mut store = Store::default();
        store
            .put(vec![
                entry("grey-owl", "Hunts mice.\nFlies silently."),
                entry("red-fox", "Hunts mice and owls."),
                entry("oak", "A tree."),
            ])
            .unwrap();
        store
    }

    fn found(store: &Store, query: &str) -> Vec<Hit> {
        let (hits, total) = store.search(query, 10);
        assert_eq!(hits.len(), total);
        hits
    }

    fn ids(hits: &[Hit]) -> Vec<&str> {
        hits.iter().map(|hit| hit.id.as_str()).collect()
    }

    #[test]
    fn finds_titles_before_texts() {
        let hits = found(&store(), "owls");
        assert_eq!(ids(&hits), ["grey-owl", "red-fox"]);
        assert!(hits[0].score > hits[1].score);
        let (first, total) = store().search("owls", 1);
        assert_eq!((ids(&first), total), (vec!["grey-owl"], 2));
        assert!(found(&store(), "whale").is_empty());
        assert!(found(&store(), "the").is_empty());
    }

    #[test]
    fn a_hit_shows_the_line_that_fits() {
        let hit = found(&store(), "silently flying owl").swap_remove(0);
        assert_eq!((hit.line, hit.snippet.as_str()), (2, "Flies silently."));
    }

    #[test]
    fn changes_are_searched_and_stay_in_their_copy() {
        let original = store();
        let mut copy = original.clone();
        assert_eq!(copy.put(vec![entry("oak", "Whales.")]).unwrap(), 0);
        assert_eq!(copy.put(vec![entry("elm", "Whales.")]).unwrap(), 1);
        copy.remove("red-fox").unwrap();
        assert_eq!(ids(&found(&copy, "whale")), ["elm", "oak"]);
        assert_eq!(copy.len(), 3);
        assert!(found(&original, "whale").is_empty());
        assert!(original.get("red-fox").is_ok());
    }

    #[test]
    fn unknown_ids_are_answered_with_close_ones() {
        let refused = |id: &str| store().get(id).unwrap_err().to_string();
        assert!(refused("gray-owl").ends_with("did you mean `grey-owl`?"));
        assert!(refused("Red Fox").ends_with("did you mean `red-fox`?"));
        assert!(refused("zzz").ends_with("`search` and `list` show the ids"));
        assert!(refused(&"long".repeat(200)).len() < 300);
        assert!(store().remove("owl").is_err());
    }

    #[test]
    fn room_is_limited_and_all_or_nothing() {
        let mut store = store();
        let many = (0..MAX_DOCUMENTS).map(|n| entry(&format!("n{n}"), "x"));
        assert!(store.put(many.collect()).is_err());
        assert_eq!(store.len(), 3);

        let large = "x".repeat(MAX_BYTES / 4);
        let large = |count| {
            (0..count)
                .map(|n| entry(&format!("n{n}"), &large))
                .collect()
        };
        assert!(store.put(large(4)).is_err());
        assert_eq!(store.put(large(3)).unwrap(), 3);
        // What is replaced makes room for what comes instead.
        assert_eq!(store.put(large(3)).unwrap(), 0);
    }

    #[test]
    fn tags_select() {
        assert_eq!(store().documents(Some("TEST")).count(), 3);
        assert_eq!(store().documents(Some("other")).count(), 0);
        assert_eq!(store().tags().into_iter().collect::<Vec<_>>(), ["test"]);
    }
}
