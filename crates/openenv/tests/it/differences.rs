//! Where this implementation answers differently on purpose: the whole list.
//!
//! `Q…` numbers a quirk of the recorded server. Every entry says what is
//! answered instead, which the replay asserts; an entry whose rows agree with
//! the recording fails the replay as well, so the list cannot outlive its reasons.
//! Most are of the server, whatever the environment is written in; the others say
//! which language they are of.

use serde_json::{Value, json};

use crate::golden::{Answer, Body, Row, rows};
use crate::replay::agree;

mod core;
mod python;
mod tools;

/// What a replayed environment is written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    Rust,
    Python,
}

/// Rows that are answered differently, why, and how.
#[derive(Debug)]
pub(crate) struct Difference {
    /// Keys of the rows; a `*` stands for any text without a blank.
    rows: &'static [&'static str],
    /// Quirk of the recorded server, or `own` for an addition.
    quirk: &'static str,
    reason: &'static str,
    /// The language whose environments it is about; `None` if it is about all.
    only: Option<Language>,
    /// What is sent in place of the recorded frame.
    pub(crate) ask: Ask,
    instead: Instead,
}

/// What is sent on the socket of a row.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Ask {
    AsRecorded,
    Nothing,
    Text(&'static str),
    Binary(&'static [u8]),
}

/// What is answered instead of the recorded answer.
#[derive(Debug)]
enum Instead {
    /// Exactly this; `{session}` stands for the id in the row.
    Answer(Answer),
    /// The recorded answer with its JSON edited.
    Edited(fn(&mut Value)),
    /// The recorded answer, once both have been reduced to what must agree.
    Reduced(fn(&mut Value)),
    /// An error frame with this code, whatever its message.
    ErrorCode(&'static str),
    /// A redirect to this path.
    Redirect(&'static str),
    /// What another server answers to the same.
    As(&'static str),
}

impl Difference {
    /// The same, of environments in one language.
    fn only(self, language: Language) -> Self {
        Self {
            only: Some(language),
            ..self
        }
    }

    /// Whether the row with this key is one of those that are answered differently.
    pub(crate) fn covers(&self, key: &str) -> bool {
        self.rows.iter().any(|row| matches(row, key))
    }

    /// Whether the answer is the one listed here, and not the recorded one.
    pub(crate) fn judge(
        &self,
        row: &Row,
        recorded: &Answer,
        answer: &Answer,
        fill: &dyn Fn(Answer) -> Answer,
    ) -> Result<(), String> {
        if agree(&fill(recorded.clone()), answer).is_ok() {
            return Err(format!(
                "  answers as recorded: the listed difference is gone ({}, {})",
                self.quirk, self.reason
            ));
        }
        self.check(row, recorded, answer, fill)
            .map_err(|complaint| format!("{complaint}\n  because  {}: {}", self.quirk, self.reason))
    }

    fn check(
        &self,
        row: &Row,
        recorded: &Answer,
        answer: &Answer,
        fill: &dyn Fn(Answer) -> Answer,
    ) -> Result<(), String> {
        let edited = |answer: &Answer, edit: fn(&mut Value)| {
            let mut answer = answer.clone();
            if let Some(json) = answer.json_mut() {
                edit(json);
            }
            answer
        };
        match &self.instead {
            Instead::Answer(expected) => agree(&fill(name_session(expected, row)), answer),
            Instead::Edited(edit) => agree(&fill(edited(recorded, *edit)), answer),
            Instead::Reduced(reduce) => {
                agree(&fill(edited(recorded, *reduce)), &edited(answer, *reduce))
            }
            Instead::ErrorCode(code) => match answer {
                Answer::Frame(Body::Json(frame))
                    if frame["type"] == "error"
                        && frame["data"]["code"] == *code
                        && frame["data"]["message"].is_string() =>
                {
                    Ok(())
                }
                _ => Err(format!("  expected an error {code}\n  got      {answer}")),
            },
            Instead::As(server) => {
                let other = rows(server)
                    .into_iter()
                    .find(|other| other.name == row.name && other.transport == row.transport)
                    .expect("the other server was asked the same");
                let recorded = other.answer("");
                let language = self.only.unwrap_or(Language::Rust);
                match of(language).iter().find(|it| it.covers(&other.key())) {
                    None => agree(&fill(recorded), answer),
                    Some(difference) => difference.check(&other, &recorded, answer, fill),
                }
            }
            Instead::Redirect(path) => match answer {
                Answer::Http {
                    status: 307,
                    location: Some(location),
                    ..
                } if location.ends_with(path) => Ok(()),
                _ => Err(format!(
                    "  expected a redirect to {path}\n  got      {answer}"
                )),
            },
        }
    }
}

fn matches(row: &str, key: &str) -> bool {
    let Some((before, after)) = row.split_once('*') else {
        return row == key;
    };
    key.strip_prefix(before)
        .and_then(|rest| rest.strip_suffix(after))
        .is_some_and(|variant| !variant.contains(' '))
}

fn name_session(answer: &Answer, row: &Row) -> Answer {
    let mut answer = answer.clone();
    if let (Some(json), Some(session)) = (answer.json_mut(), row.volatile_uuids.first()) {
        let text = json.to_string().replace("{session}", session);
        *json = serde_json::from_str(&text).expect("an id needs no escapes");
    }
    answer
}

/// Every difference of environments in a language.
pub(crate) fn of(language: Language) -> Vec<Difference> {
    let mut differences = all();
    differences.retain(|it| it.only.is_none_or(|only| only == language));
    differences
}

fn all() -> Vec<Difference> {
    let mut differences = core::all();
    differences.extend(tools::all());
    differences.extend(python::all());
    differences
}

fn edited(
    rows: &'static [&'static str],
    quirk: &'static str,
    reason: &'static str,
    edit: fn(&mut Value),
) -> Difference {
    Difference {
        rows,
        quirk,
        reason,
        only: None,
        ask: Ask::AsRecorded,
        instead: Instead::Edited(edit),
    }
}

fn frame(json: Value) -> Answer {
    Answer::Frame(Body::Json(json))
}

/// A `state` frame of the echo environment: a fresh one, and what is different.
fn state(changes: &Value) -> Answer {
    let mut data = json!({
        "episode_id": null, "step_count": 0, "last_message": null, "total_reward": 0.0,
    });
    for (key, value) in changes.as_object().into_iter().flatten() {
        data[key] = value.clone();
    }
    frame(json!({ "type": "state", "data": data }))
}

fn execution_error(message: &str) -> Answer {
    frame(json!({
        "type": "error",
        "data": { "message": message, "code": "EXECUTION_ERROR" },
    }))
}

fn http(status: u16, json: Value) -> Answer {
    Answer::Http {
        status,
        content_type: Some("application/json".to_owned()),
        allow: None,
        location: None,
        body: Some(Body::Json(json)),
    }
}

fn failure(status: u16, detail: &str) -> Answer {
    http(status, json!({ "detail": detail }))
}

fn without_digest(document: &mut Value) {
    if let Some(document) = document.as_object_mut() {
        document.shift_remove("digest");
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::golden::all_rows;

    #[test]
    fn every_difference_is_about_rows_that_exist_and_once() {
        let keys: HashSet<_> = all_rows().iter().map(Row::key).collect();
        for language in [Language::Rust, Language::Python] {
            let mut seen = HashSet::new();
            for row in of(language).iter().flat_map(|difference| difference.rows) {
                let mut meant = keys.iter().filter(|key| matches(row, key)).peekable();
                assert!(meant.peek().is_some(), "no such row: {row}");
                for key in meant {
                    assert!(seen.insert(key), "listed twice: {key}");
                }
            }
        }
    }

    #[test]
    fn a_star_stands_for_one_word() {
        assert!(matches("mcp-* ws: add", "mcp-sim ws: add"));
        assert!(matches("mcp-sim* ws: add", "mcp-sim ws: add"));
        assert!(!matches("mcp-* ws: add", "mcp-sim ws: ws: add"));
        assert!(!matches("mcp-* ws: add", "mcp-sim ws: add more"));
        assert!(!matches("mcp-sim ws: add", "mcp-sim-own ws: add"));
    }

    #[test]
    fn a_difference_that_is_gone_is_reported() {
        for row in all_rows() {
            let recorded = row.answer("http://127.0.0.1:1");
            let key = row.key();
            for difference in all().iter().filter(|it| it.covers(&key)) {
                let verdict = difference.judge(&row, &recorded, &recorded, &|answer| answer);
                assert!(verdict.is_err_and(|text| text.contains("gone")), "{key}");
            }
        }
    }

    #[test]
    fn only_the_listed_answer_passes() {
        let difference = Difference {
            rows: &[],
            quirk: "Q8",
            reason: "test",
            only: None,
            ask: Ask::AsRecorded,
            instead: Instead::ErrorCode("INVALID_JSON"),
        };
        let row = &all_rows()[0];
        let error = |code: &str| {
            let data = json!({ "message": "m", "code": code });
            frame(json!({ "type": "error", "data": data }))
        };
        let judge =
            |answer: Answer| difference.judge(row, &Answer::Close(1000), &answer, &|answer| answer);
        assert_eq!(judge(error("INVALID_JSON")), Ok(()));
        assert!(judge(error("SESSION_ERROR")).is_err());
        assert!(judge(Answer::Close(1000)).is_err());
    }
}
