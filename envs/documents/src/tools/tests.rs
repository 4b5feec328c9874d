use std::sync::{Arc, Mutex};

use openenv::{Environment, ResetOptions};
use serde_json::{Value, json};

use super::*;

/// Arguments as they come, with the defaults that were left out.
fn arguments<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn note(title: &str, text: &str) -> Write {
    arguments(json!({ "title": title, "text": text }))
}

#[test]
fn search_leads_to_the_document() {
    let session = Documents::default();
    let found = session.search(&arguments(json!({ "query": "silent flight of owls" })));
    assert_eq!(found.hits[0].id, "barn-owl");
    assert!(found.hits.len() <= 5);

    let one = session.search(&arguments(json!({ "query": "water", "limit": 1 })));
    assert_eq!(one.hits.len(), 1);
    assert!(one.total > 1);
}

#[test]
fn reads_all_or_some_lines() {
    let session = Documents::default();
    let read = |value: Value| session.read(&arguments(value));
    let page = read(json!({ "id": "octopus" })).unwrap();
    assert_eq!((page.from_line, page.to_line, page.total_lines), (1, 5, 5));
    let page = read(json!({ "id": "octopus", "from_line": 2, "to_line": 2 })).unwrap();
    assert!(page.text.starts_with("Its blood is blue") && !page.text.contains('\n'));
    let page = read(json!({ "id": "octopus", "from_line": 4, "to_line": 99 })).unwrap();
    assert_eq!((page.from_line, page.to_line), (4, 5));

    for (from, to, argument) in [(6, 7, "from_line"), (3, 2, "to_line")] {
        let refused = read(json!({ "id": "octopus", "from_line": from, "to_line": to }));
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(argument), "{refused}");
    }
    let unknown = read(json!({ "id": "octopuss" })).unwrap_err().to_string();
    assert!(unknown.contains("did you mean `octopus`?"), "{unknown}");
}

#[test]
fn lists_page_by_page() {
    let session = Documents::default();
    let mut ids = Vec::new();
    let mut offset = Some(0);
    while let Some(next) = offset {
        let listing = session.list(&arguments(json!({ "offset": next, "limit": 7 })));
        assert_eq!(listing.total, session.store.len());
        ids.extend(listing.documents.into_iter().map(|listed| listed.id));
        offset = listing.next_offset;
    }
    assert_eq!(ids.len(), session.store.len());
    assert!(ids.is_sorted());

    let birds = session.list(&arguments(json!({ "tag": "Birds" })));
    assert_eq!(birds.total, 3);
    assert!(birds.tags.contains(&"cooking".to_owned()));
}

#[test]
fn what_is_written_is_found_appended_to_and_deleted() {
    let mut session = Documents::default();
    let written = session
        .write(note("Tin whistle, in D!", "Six holes."))
        .unwrap();
    assert_eq!(
        (written.id.as_str(), written.created),
        ("tin-whistle-in-d", true)
    );
    let id = written.id;
    assert_eq!(session.store.search("whistle", 1).0[0].id, id);

    let appended = session.append(arguments(json!({ "id": id, "text": "Two octaves." })));
    let appended = appended.unwrap();
    assert_eq!((appended.created, appended.lines), (false, 2));
    assert_eq!(session.store.search("octave", 1).0[0].id, id);

    let before = session.store.len();
    let deleted = session.delete(arguments(json!({ "id": id }))).unwrap();
    assert_eq!(deleted.documents, before - 1);
    assert!(session.delete(arguments(json!({ "id": id }))).is_err());
}

#[test]
fn what_makes_no_document_is_refused() {
    let mut session = Documents::default();
    let empty = session.write(note("Empty", " \n")).unwrap_err();
    assert_eq!(
        empty.violations()[0].to_string(),
        "text: there is nothing in it"
    );
    assert!(
        session
            .write(note("日本", "x"))
            .unwrap_err()
            .is_validation()
    );

    session.write(note("Long", &"x".repeat(MAX_TEXT))).unwrap();
    let longer = session.append(arguments(json!({ "id": "long", "text": "x" })));
    assert!(longer.unwrap_err().is_validation());
}

#[test]
fn ids_are_made_of_titles() {
    assert_eq!(id_from("  A — b/C9 ").unwrap(), "a-b-c9");
    assert_eq!(id_from(&"ab ".repeat(40)).unwrap().len(), 64);
    assert!(
        !id_from(&format!("{} b", "a".repeat(63)))
            .unwrap()
            .ends_with('-')
    );
}

#[tokio::test]
async fn an_import_tells_how_far_it_is() {
    let mut session = Documents::default();
    let reports = Arc::new(Mutex::new(Vec::new()));
    let progress = Progress::to({
        let reports = Arc::clone(&reports);
        move |update| reports.lock().unwrap().push((update.done, update.total))
    });
    let documents = vec![note("One", "1"), note("Octopus", "2")];
    let imported = session
        .import(Import { documents }, progress)
        .await
        .unwrap();
    assert_eq!(imported.ids, ["one", "octopus"]);
    assert_eq!(imported.created, 1);
    assert_eq!(
        *reports.lock().unwrap(),
        [(1.0, Some(2.0)), (2.0, Some(2.0))]
    );
}

#[tokio::test]
async fn an_import_is_all_or_nothing() {
    let mut session = Documents::default();
    let before = session.store.len();
    for (second, complaint) in [
        (note("Two", " "), "documents.1.text: "),
        (
            note("one", "again"),
            "documents.1.id: the id `one` stands twice",
        ),
    ] {
        let documents = vec![note("One", "1"), second];
        let refused = session
            .import(Import { documents }, Progress::default())
            .await;
        let refused = refused.unwrap_err().to_string();
        assert!(refused.contains(complaint), "{refused}");
        assert_eq!(session.store.len(), before);
    }
}

#[tokio::test]
async fn an_export_can_be_imported() {
    let mut session = Documents::default();
    let exported = session.export(&arguments(json!({ "tag": "birds" })));
    assert_eq!(exported.documents.len(), 3);
    let import = arguments(serde_json::to_value(&exported).unwrap());
    let imported = session.import(import, Progress::default()).await.unwrap();
    assert_eq!((imported.ids.len(), imported.created), (3, 0));
    assert_eq!(
        session.export(&arguments(json!({ "tag": "birds" }))),
        exported
    );
}

#[tokio::test]
async fn a_reset_asks_and_tidies_up() {
    let mut session = Documents::default();
    assert!(session.question().is_err());
    assert!(
        session
            .submit_answer(arguments(json!({ "answer": "x" })))
            .is_err()
    );

    session
        .delete(arguments(json!({ "id": "octopus" })))
        .unwrap();
    let asked = |seed| ResetOptions::default().with_seed(seed);
    let first = session.reset(asked(7)).await.unwrap().observation;
    assert_eq!(first, session.reset(asked(7)).await.unwrap().observation);
    assert_eq!(first, session.question().unwrap());
    assert!(session.store.get("octopus").is_ok());

    // A reset that is refused leaves the episode as it was.
    let refused = session
        .reset(ResetOptions::default().with("task", "x"))
        .await;
    assert!(refused.is_err());
    assert_eq!(session.state().question_id, Some(first.question_id));
}
