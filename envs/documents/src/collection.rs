//! The documents that every session begins with.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::store::{Document, Entry, Store};

static COLLECTION: LazyLock<Store> = LazyLock::new(|| {
    let written: Vec<Written> = serde_json::from_str(include_str!("../data/collection.json"))
        .expect("the collection is JSON: a test reads it");
    let entries = written.into_iter().map(Written::entry).collect();
    let mut store = Store::default();
    store
        .put(entries)
        .expect("the collection fits a store: a test fills one");
    store
});

/// A document as it stands in the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    id: String,
    title: String,
    tags: Vec<String>,
    lines: Vec<String>,
}

impl Written {
    fn entry(self) -> Entry {
        Entry::new(Document {
            id: self.id,
            title: self.title,
            tags: self.tags,
            text: self.lines.join("\n"),
        })
    }
}

/// A store with the collection in it.
pub(crate) fn collection() -> Store {
    COLLECTION.clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{MAX_BYTES, MAX_DOCUMENTS};

    #[test]
    fn leaves_room_for_what_a_session_writes() {
        let store = collection();
        assert!((20..MAX_DOCUMENTS / 2).contains(&store.len()));
        let bytes: usize = store
            .documents(None)
            .map(|document| document.text.len())
            .sum();
        assert!(bytes < MAX_BYTES / 4);
    }

    #[test]
    fn every_document_has_all_of_its_parts() {
        for document in collection().documents(None) {
            assert!(!document.title.is_empty(), "{}", document.id);
            assert!(!document.tags.is_empty(), "{}", document.id);
            assert!(document.text.lines().count() > 3, "{}", document.id);
        }
    }
}
